# SPDX-License-Identifier: BSD-3-Clause
"""How long does a job take to start? From the launcher's start to the first and last rank."""

from __future__ import annotations

import numpy as np

from transrank import units
from transrank.report.figures.figure import Figure, KeyEntry, Panel
from transrank.report.figures.range_panel import RangePoint, Ranges, range_panel
from transrank.report.measured import Measured, shapes_of
from transrank.report.phrases import kept_sentence, sentence
from transrank.report.published import published_launches
from transrank.report.questions.question import Context, Question
from transrank.report.tables import range_text
from transrank.stats.selection import select
from transrank.stats.summary import CaseResult
from transrank.store.records import Shape

STUDY = "launch"
MODES = {"plain": "until main()", "init": "until MPI_Init returns"}

CAPTION = (
    "Seconds from just before the launcher starts until the ranks run, over the number of ranks: "
    "the band reaches from the first rank to the last; medians over launches of the medians over "
    "their jobs. Clocks of day are compared, so between hosts their offset is part of the number."
)


def ask(context: Context) -> Question | None:
    """Build the question; None when no launch was timed."""
    lines = [line for run in context.runs for line in _lines(context, run)]
    if not lines:
        return None
    published, sources = published_launches(context.palette)
    shown = [*published, *lines]
    key = tuple(KeyEntry(line.key, line.label, line.style) for line in (*lines, *published))
    panel = Panel("", _description(lines), range_panel(shown))
    return Question(
        "launch",
        "How long does a job take to start?",
        tuple(text for run in context.runs for text in _answer(run, context.several)),
        (Figure("launch", (panel,), CAPTION, key, "wide", kept_sentence(context.all_of(STUDY))),),
        studies=(STUDY,),
        sources=sources,
    )


def range_of(run: Measured, result: CaseResult) -> tuple[float, float]:
    """Seconds to the first and to the last rank: the last one's is the value of the case.

    The first one's is of the launches that count the median over their samples' medians.
    """
    assert result.headline is not None
    launches = [
        case.samples
        for case in run.run.cases
        if (case.case, case.shape) == (result.case, result.shape)
        and case.samples is not None
        and case.launch in result.launches
    ]
    counted = select(launches).counted
    fastest = [
        np.median(samples.fastest[mask])
        for samples, mask in zip(launches, counted, strict=True)
        if mask.any()
    ]
    return float(np.median(fastest)), result.headline.value


def _lines(context: Context, run: Measured) -> list[Ranges]:
    by_line: dict[str, list[RangePoint]] = {}
    for result in sorted(run.of_study(STUDY), key=lambda result: result.shape):
        per_node = result.shape.ranks_per_node
        label = MODES.get(str(result.axes.get("stamp")), result.case)
        if per_node:
            label += f", {per_node} per node"
        if context.several:
            label = f"{run.name}: {label}"
        fastest, slowest = range_of(run, result)
        by_line.setdefault(label, []).append(RangePoint(result.shape.ranks, fastest, slowest))
    return [
        Ranges(label, label, context.palette.style("launch", label), tuple(points))
        for label, points in by_line.items()
    ]


def _description(lines: list[Ranges]) -> str:
    parts = [
        f"{line.label}, {point.ranks} ranks: {range_text(point.fastest, point.slowest)}"
        for line in lines
        for point in line.points
    ]
    return f"Time until the ranks run. {'; '.join(parts)}."


def _answer(run: Measured, several: bool) -> list[str]:
    results = run.of_study(STUDY)
    if not results:
        return []
    most: Shape = shapes_of(results)[-1]
    prefix = f"{run.name}: " if several else ""
    slowest = {
        str(result.axes.get("stamp")): range_of(run, result)[1]
        for result in results
        if result.shape == most
    }
    parts = []
    if "plain" in slowest:
        parts.append(
            f"the last of {most.ranks} ranks runs after {units.format_seconds(slowest['plain'])}"
        )
    if "init" in slowest:
        parts.append(
            f"MPI_Init has returned everywhere after {units.format_seconds(slowest['init'])}"
        )
    return [sentence(f"{prefix}{'; '.join(parts)}.")]
