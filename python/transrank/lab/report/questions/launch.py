# SPDX-License-Identifier: BSD-3-Clause
"""How long does a job take to start? From the launcher's start to the first and last rank."""

from __future__ import annotations

from collections.abc import Sequence

from transrank.lab import units
from transrank.lab.report.curves import places_of
from transrank.lab.report.figures.axes import SECONDS_LABEL, places_axis, value_axis
from transrank.lab.report.figures.figure import Figure, KeyEntry
from transrank.lab.report.figures.line_panel import Line, Mark, Words, line_panel
from transrank.lab.report.findings.fugaku import launch_facts
from transrank.lab.report.measured import Measured, shapes_of
from transrank.lab.report.phrases import kept_sentence
from transrank.lab.report.published import comparable, published_launches
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.report.tables import range_text
from transrank.lab.stats.growth import exponent_of, exponent_text
from transrank.lab.stats.summary import CaseResult
from transrank.lab.store.records import Shape

STUDY = "launch"
FEWEST_COUNTS = 3
MODES = {"plain": "until main()", "init": "until MPI_Init returns"}

CAPTION = (
    "Time from just before the launcher starts until the first and the last rank run: medians "
    "over launches of the medians over their jobs. The times of day of different hosts are "
    "compared, so the offset between their clocks is part of the number."
)


WORDS = Words(lambda ranks: f"{ranks:,.0f} ranks", lambda mark: range_text(mark.low, mark.high))


def ask(context: Context) -> Question | None:
    """Build the question; None when no launch was timed."""
    lines = [line for run in context.runs for line in _lines(context, run)]
    if not lines:
        return None
    theirs, found = published_launches(
        context.palette, places_of(context.all_of(STUDY)), context.machines
    )
    shown = [*lines, *theirs]
    key = tuple(KeyEntry(line.series, line.series, line.style) for line in shown)
    marks = [mark for line in shown for mark in line.marks]
    times = [time for mark in marks for time in (mark.low, mark.high)]
    axes = (
        places_axis((mark.x for mark in marks), "ranks"),
        value_axis(times, "time since the launcher was started", SECONDS_LABEL),
    )
    panel = line_panel(
        "", "Time until the first rank runs, and the last", shown, axes, WORDS, "wide"
    )
    return Question(
        "launch",
        "How long does a job take to start?",
        context.said(_answer),
        (Figure("launch", (panel,), CAPTION, key, "wide", kept_sentence(context.all_of(STUDY))),),
        tables=(launch_facts(),) if theirs else (),
        studies=(STUDY,),
        sources=found.sources,
        comparable=comparable(found),
    )


def range_of(result: CaseResult) -> tuple[float, float]:
    """Seconds to the first rank, if known, and to the last one: the value of the case."""
    assert result.headline is not None
    return result.first_rank or result.headline.value, result.headline.value


def _lines(context: Context, run: Measured) -> list[Line]:
    by_line: dict[str, list[Mark]] = {}
    for result in sorted(run.of_study(STUDY), key=lambda result: result.shape):
        per_node = result.shape.ranks_per_node
        label = MODES.get(str(result.axes.get("stamp")), result.case)
        if per_node:
            label += f", {per_node} per node"
        if context.several:
            label = f"{run.name}: {label}"
        fastest, slowest = range_of(result)
        by_line.setdefault(label, []).append(Mark(result.shape.ranks, slowest, fastest, slowest))
    return [
        Line(label, context.palette.style("launch", label), tuple(marks))
        for label, marks in by_line.items()
    ]


def _answer(run: Measured) -> list[str]:
    results = run.of_study(STUDY)
    if not results:
        return []
    most: Shape = shapes_of(results)[-1]
    slowest = {
        str(result.axes.get("stamp")): range_of(result)[1]
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
    return [f"{'; '.join(parts)}.", *_growth(results)]


def _growth(results: Sequence[CaseResult]) -> list[str]:
    """How the time until the last rank runs grows with the ranks, if there are enough shapes."""
    last = {
        result.shape.ranks: range_of(result)[1]
        for result in sorted(results, key=lambda result: -result.shape.ranks_per_node)
        if result.axes.get("stamp") == "plain"
    }
    if len(last) < FEWEST_COUNTS:
        return []
    return [
        f"from {min(last):,} to {max(last):,} ranks that time grows with an exponent "
        f"of {exponent_text(exponent_of(list(last.items())))}; in proportion to the ranks "
        "would be 1."
    ]
