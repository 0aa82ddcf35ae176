# SPDX-License-Identifier: BSD-3-Clause
"""What does access to another rank's memory cost? A panel per operation, a curve per epoch."""

from __future__ import annotations

from dataclasses import replace

from transrank.lab import units
from transrank.lab.report.curves import arrange, namer, side_by_side
from transrank.lab.report.figures.curve_figure import curve_figure
from transrank.lab.report.figures.quantity import TIME
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import (
    joined,
    nearest,
    rate_with_interval,
    time_with_interval,
    times_as_long,
)
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.stats.summary import CaseResult

STUDY = "one-sided"
SMALL_BYTES = 8

CAPTION = (
    "Time per operation over its bytes, timed on the rank that accesses. Operations of an epoch "
    "are completed together: one is a latency, 64 give a bandwidth and a message rate. Bands are "
    "95 % intervals over launches, small dots are outlying launches."
)


def ask(context: Context) -> Question | None:
    """Build the question; None when no one-sided operation was measured."""
    results = context.all_of(STUDY)
    if not results:
        return None
    groups = (
        arrange(context.results_of(STUDY), context.palette, namer(results))
        if context.several or len({result.shape for result in results}) > 1
        else side_by_side(
            results,
            context.palette,
            namer([_without_epoch(result) for result in results], _operation),
            _epoch,
            "epoch",
        )
    )
    figure = curve_figure("one-sided", groups, TIME, CAPTION)
    return Question(
        "one-sided",
        "What does access to another rank's memory cost?",
        context.said(_answer),
        () if figure is None else (figure,),
        studies=(STUDY,),
    )


def _answer(run: Measured) -> list[str]:
    results = run.of_study(STUDY)
    latencies: dict[tuple[str, str], CaseResult] = {}
    single = [result for result in results if result.axes["in_flight"] == 1]
    for key in dict.fromkeys((_operation(r), _epoch(r)) for r in results):
        one = nearest([r for r in single if (_operation(r), _epoch(r)) == key], SMALL_BYTES)
        if one is not None:
            latencies[key] = one
    texts = []
    first = dict.fromkeys(operation for operation, _ in latencies)
    for operation in first:
        epochs = {epoch: r for (name, epoch), r in latencies.items() if name == operation}
        base, *others = epochs
        one = epochs[base]
        assert one.bytes is not None
        said = (
            f"{operation} of {units.format_bytes(one.bytes)} completed by {base} takes "
            f"{time_with_interval(one)}"
        )
        longer = [
            f"by {epoch} {ratio}"
            for epoch in others
            if epochs[epoch].bytes == one.bytes and (ratio := times_as_long(one, epochs[epoch]))
        ]
        texts.append(f"{said}, {joined(longer)} as long." if longer else f"{said}.")
    rates = [result for result in results if result.rate is not None]
    if len(rates) > 1:
        best = max(rates, key=lambda result: result.rate or 0.0)
        assert best.bytes is not None
        texts.append(
            f"the best rate is {rate_with_interval(best)}, by {_operation(best)} of "
            f"{units.format_bytes(best.bytes)} with {best.axes['in_flight']} in flight."
        )
    return texts


def _operation(result: CaseResult) -> str:
    return result.text("operation")


def _epoch(result: CaseResult) -> str:
    return result.text("epoch")


def _without_epoch(result: CaseResult) -> CaseResult:
    axes = {name: value for name, value in result.axes.items() if name != "epoch"}
    return replace(result, axes=axes)
