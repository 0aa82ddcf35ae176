# SPDX-License-Identifier: BSD-3-Clause
"""What does access to another rank's memory cost? A panel per operation, a curve per epoch."""

from __future__ import annotations

from collections.abc import Iterator

from transrank.lab import units
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import best_rate, rate_with_interval
from transrank.lab.report.questions.study import Study
from transrank.lab.stats.summary import CaseResult


def _operation(result: CaseResult) -> str:
    return result.text("operation")


def _best_rate(run: Measured) -> Iterator[str]:
    best = best_rate(run.of_study(STUDY.name))
    if best is not None and best.bytes is not None:
        yield (
            f"the best rate is {rate_with_interval(best)}, by {_operation(best)} of "
            f"{units.format_bytes(best.bytes)} with {best.axes['in_flight']} in flight."
        )


STUDY = Study(
    "one-sided",
    "What does access to another rank's memory cost?",
    "Time per operation over its bytes, timed on the rank that accesses. Operations of an epoch "
    "are completed together: one is a latency, 64 give a bandwidth and a message rate. Bands are "
    "95 % intervals over launches, small dots are outlying launches.",
    way=("epoch",),
    where=_operation,
    marks=("in_flight", "1"),
    baseline=("flush", "fence", "lock", "post"),
    subject=lambda result: (
        f"an operation of {units.format_bytes(result.bytes or 0)} completed by "
        f"{result.text('epoch')}"
    ),
    told=8,
    said=_best_rate,
)
