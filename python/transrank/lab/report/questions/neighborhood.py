# SPDX-License-Identifier: BSD-3-Clause
"""What does an exchange with neighbors cost? A panel per topology, a curve per way."""

from __future__ import annotations

from transrank.lab import units
from transrank.lab.report.curves import arrange, namer, side_by_side
from transrank.lab.report.figures.curve_figure import curve_figure
from transrank.lab.report.figures.quantity import TIME
from transrank.lab.report.measured import Measured, telling_shape
from transrank.lab.report.phrases import joined, nearest, time_with_interval, times_as_long
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.stats.summary import CaseResult

STUDY = "neighborhood"
TOLD_BYTES = 4096
# What the others are held against: what solvers call.
BASELINE = "blocking neighbor_alltoallv"
TOLD = ("persistent neighbor_alltoallv", "persistent messages", "persistent exchange")

CAPTION = (
    "Time of the slowest rank from a common start over the block for one neighbor, with {shape}. "
    "Bands are 95 % intervals over launches, small dots are outlying launches."
)


def ask(context: Context) -> Question | None:
    """Build the question; None when no exchange with neighbors was measured."""
    results = context.all_of(STUDY)
    if not results:
        return None
    shape = telling_shape(results, *context.runs)
    groups = (
        arrange(context.results_of(STUDY), context.palette, namer(results))
        if context.several
        else side_by_side(
            [result for result in results if result.shape == shape],
            context.palette,
            _topology,
            _way,
            "neighbors",
        )
    )
    figure = curve_figure("neighborhood", groups, TIME, CAPTION.format(shape=shape))
    return Question(
        "neighborhood",
        "What does an exchange with neighbors cost?",
        context.said(_answer),
        () if figure is None else (figure,),
        studies=(STUDY,),
    )


def _answer(run: Measured) -> list[str]:
    """A sentence per topology: the collective that solvers call, and what others take of it."""
    results = run.of_study(STUDY)
    if not results:
        return []
    shape = telling_shape(results, run)
    texts = []
    for topology in dict.fromkeys(map(_topology, results)):
        ways: dict[str, list[CaseResult]] = {}
        for result in results:
            if (_topology(result), result.shape) == (topology, shape):
                ways.setdefault(_way(result), []).append(result)
        base = nearest(ways.get(BASELINE, []), TOLD_BYTES)
        if base is None or base.bytes is None:
            continue
        size = base.bytes
        others = [
            f"by {way} {ratio}"
            for way in TOLD
            for result in ways.get(way, [])
            if result.bytes == size and (ratio := times_as_long(base, result))
        ]
        texts.append(
            f"with {shape}, neighbors as on {topology}, {BASELINE} takes "
            f"{time_with_interval(base)} for blocks of {units.format_bytes(size)}."
        )
        if others:
            texts.append(f"it takes {joined(others)} as long.")
    return texts


def _topology(result: CaseResult) -> str:
    return result.text("topology")


def _way(result: CaseResult) -> str:
    return f"{result.axes['form']} {result.axes['operation']}"
