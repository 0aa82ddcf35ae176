# SPDX-License-Identifier: BSD-3-Clause
"""What does a message cost beside others that wait to be matched? By posted and arrived ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from transrank.lab import units
from transrank.lab.report.curves import Point, point_at
from transrank.lab.report.figures.axes import counts
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import ends
from transrank.lab.report.questions.study import Study
from transrank.lab.stats.launches import mean_over
from transrank.lab.stats.summary import CaseResult

ONE = {"posted": "receive posted before it", "unexpected": "message that arrived before it"}
CAPTION = (
    "Half a round trip over the number of receives of another tag that are posted on both ranks, "
    "or of messages of another tag that have arrived there. All are of {shape}. Bands are 95 % "
    "intervals over launches, small dots are outlying launches."
)


def _waiting(result: CaseResult) -> int:
    return int(result.axes["waiting"])


def _points(results: Sequence[CaseResult]) -> tuple[Point, ...]:
    found = [point_at(_waiting(result), result) for result in results if _waiting(result)]
    return tuple(sorted(filter(None, found), key=lambda point: point.x))


def _said(run: Measured) -> Iterator[str]:
    """What one that waits costs: from the fewest to the most, launch by launch."""
    curves: dict[tuple[object, ...], list[CaseResult]] = {}
    for result in run.of_study(STUDY.name):
        curves.setdefault((result.shape, result.bytes, result.text("queue")), []).append(result)
    for (shape, _, queue), results in curves.items():
        few, most = (choose(results, key=_waiting) for choose in (min, max))
        ours, theirs = most.by_launch, few.by_launch
        further = _waiting(most) - _waiting(few)
        longer = mean_over([ours[i] - theirs[i] for i in sorted(ours.keys() & theirs)])
        if further and longer is not None and longer.low is not None and longer.low > 0:
            each = longer.scaled(1 / further)
            yield (
                f"with {shape}, a message of {units.format_bytes(most.bytes or 0)} takes "
                f"{units.format_seconds(each.value)} longer for each {ONE[str(queue)]} "
                f"({ends(each, units.format_seconds)}), of up to {_waiting(most):,}."
            )


STUDY = Study(
    "matching",
    "What does a message cost beside others that wait to be matched?",
    CAPTION,
    way=("queue",),
    over="waiting",
    x=counts("receives or messages that wait", "waiting"),
    points=_points,
    said=_said,
)
