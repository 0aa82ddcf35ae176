# SPDX-License-Identifier: BSD-3-Clause
"""How long does a job take to start? From the launcher's start to the first and last rank."""

from __future__ import annotations

from collections.abc import Iterator

from transrank.lab import units
from transrank.lab.reference.machine import JOB_SHAPE
from transrank.lab.report.figures.category_panel import Value, times_figure
from transrank.lab.report.figures.figure import Figure
from transrank.lab.report.measured import Measured, shapes_of
from transrank.lab.report.phrases import kept_sentence
from transrank.lab.report.questions.question import Context
from transrank.lab.report.questions.study import Study
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.summary import CaseResult
from transrank.lab.store.records import Shape

SHAPES_CAPTION = (
    "Time from just before the launcher starts until the first and the last rank run, by the "
    "shape of the job's nodes. Lines are 95 % intervals."
)


def range_of(result: CaseResult) -> tuple[float, float]:
    """Seconds to the first rank, if known, and to the last one: the value of the case."""
    return result.first_rank or result.seconds, result.seconds


def _figures(context: Context) -> list[Figure | None]:
    return [_shapes(context, run) for run in context.runs]


def _shapes(context: Context, run: Measured) -> Figure | None:
    """Starts on as many nodes in several shapes; None where there is one shape each."""
    by_ranks: dict[int, list[CaseResult]] = {}
    for result in run.of_study(STUDY.name):
        if JOB_SHAPE in result.axes:
            by_ranks.setdefault(result.shape.ranks, []).append(result)
    results = [result for found in by_ranks.values() if len(found) > 1 for result in found]
    values = [value for result in results for value in _ends(context, result)]
    name, caption = f"launch-shapes-{run.run.header.run}", context.about(run, SHAPES_CAPTION)
    return times_figure(name, {"": values}, "Times of job starts", caption, kept_sentence(results))


def _ends(context: Context, result: CaseResult) -> Iterator[Value]:
    label = f"{result.axes[JOB_SHAPE]}, {result.shape.ranks:,} ranks"
    first = Estimate(range_of(result)[0])
    for series, value in (("first rank", first), ("last rank", result.headline)):
        if value is not None:
            yield Value.at(label, series, context.palette.style("launch", series), value)


def _answer(run: Measured) -> list[str]:
    results = run.of_study(STUDY.name)
    if not results:
        return []
    most: Shape = shapes_of(results)[-1]
    slowest = {result.text("stamp"): result.seconds for result in results if result.shape == most}
    parts = [
        f"{what} after {units.format_seconds(slowest[stamp])}"
        for stamp, what in (
            ("plain", f"the last of {most.ranks:,} ranks runs"),
            ("init", "MPI_Init has returned everywhere"),
        )
        if stamp in slowest
    ]
    return [f"{'; '.join(parts)}."]


STUDY = Study(
    "launch",
    "How long does a job take to start?",
    way=("stamp",),
    said=_answer,
    figures=_figures,
    follows=("job_shape",),
    always=True,
    first_rank=True,
)
