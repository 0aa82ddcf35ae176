# SPDX-License-Identifier: BSD-3-Clause
"""Does making a route cost more on more ranks? Compared with ESMF's published times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from transrank.lab import units
from transrank.lab.report.figures.axes import COUNT_LABEL, SECONDS_LABEL, places_axis, value_axis
from transrank.lab.report.figures.figure import Figure, KeyEntry, Spec
from transrank.lab.report.figures.line_panel import Line, Mark, Words, line_panel
from transrank.lab.report.measured import Measured
from transrank.lab.report.palette import PUBLISHED_COLOR, Style
from transrank.lab.report.phrases import joined, kept_sentence
from transrank.lab.report.published import published_store_times
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.stats.growth import exponent_of, exponent_text, growth_exponent
from transrank.lab.stats.summary import CaseResult

STUDY = "plan-scaling"
# From this number of processors on the published times grow with its square.
BEND = 128
FEWEST_POINTS = 3
# The published ratios are relative to the time at this number of ranks.
REFERENCE = 32

CAPTION = (
    "Time of one process to make the route of one rank, or those of all ranks one after another, "
    "over the number of ranks; boundary tables of irregular blocks are included. The published "
    "times are the totals of ESMF's route pre-computation and creation; the lines O(n) and O(n²) "
    "begin at its first point."
)
RATIO_CAPTION = f"The same times as multiples of those at {REFERENCE} ranks, T(n)/T({REFERENCE})."


def _ranks_text(ranks: float) -> str:
    return f"{ranks:,.0f} ranks"


SECONDS = Words(_ranks_text, lambda mark: units.format_seconds(mark.y))
RATIO = Words(_ranks_text, lambda mark: units.three_digits(mark.y))

Lines = Mapping[tuple[str, str, str], list[CaseResult]]


def ask(context: Context) -> Question | None:
    """Build the question; None when no routes were made."""
    lines = [line for run in context.runs for line in _lines(context, run)]
    if not lines:
        return None
    published, sources = published_store_times(context.machines)
    shown = [*lines, *_published(context, published, lines)]
    key = tuple(KeyEntry(line.series, line.series, line.style) for line in shown)
    axes = _axes(shown, "time to make the routes", SECONDS_LABEL)
    seconds = line_panel("", "Time to make routes", shown, axes, SECONDS)
    kept = kept_sentence(context.all_of(STUDY))
    figures = [Figure("plan-scaling", (seconds,), CAPTION, key, "wide", kept)]
    ratios = [ratio for line in shown if (ratio := _ratios(line)) is not None]
    if any(ratio.series == line.series for ratio in ratios for line in lines):
        subject = f"Times in multiples of those at {REFERENCE} ranks"
        axes = _axes(ratios, f"times the time at {REFERENCE} ranks", COUNT_LABEL)
        panel = line_panel(f"T(n)/T({REFERENCE})", subject, ratios, axes, RATIO)
        figures.append(Figure("plan-growth", (panel,), RATIO_CAPTION, key, "wide", kept))
    return Question(
        "plan-scaling",
        "Does planning a redistribution cost more on more ranks?",
        (
            *context.said(_answer),
            *([_published_answer(published)] if published else []),
        ),
        tuple(figures),
        studies=(STUDY,),
        sources=sources,
    )


def _by_line(run: Measured) -> Lines:
    """Results by routes, blocks and divided dimensions, in the order of their ranks."""
    found: dict[tuple[str, str, str], list[CaseResult]] = {}
    for result in sorted(run.of_study(STUDY), key=_ranks):
        if result.headline is not None and result.headline.value > 0:
            line = tuple(str(result.axes.get(axis)) for axis in ("routes", "blocks", "dimensions"))
            found.setdefault((line[0], line[1], line[2]), []).append(result)
    return found


def _ranks(result: CaseResult) -> int:
    return int(result.axes.get("plan_ranks", 0))


def _name(line: tuple[str, str, str]) -> str:
    routes, blocks, dimensions = line
    return f"{'all ranks' if routes == 'all' else 'one rank'}, {blocks}, {dimensions} dimensions"


def _lines(context: Context, run: Measured) -> list[Line]:
    made = []
    for line, results in _by_line(run).items():
        label = f"{run.name}: {_name(line)}" if context.several else _name(line)
        marks = tuple(
            _mark(_ranks(result), result.headline.value)
            for result in results
            if result.headline is not None
        )
        made.append(Line(label, context.palette.style("planning", label), marks))
    return made


def _published(
    context: Context, times: Sequence[tuple[int, float]], lines: Sequence[Line]
) -> list[Line]:
    most = max(mark.x for line in lines for mark in line.marks)
    within = [(ranks, seconds) for ranks, seconds in times if ranks <= most]
    if not within:
        return []
    first, least = within[0]
    name = "ESMF on Jaguar, all of store"
    curves = [(name, within, context.palette.published(name))]
    for label, power, dash in (("O(n)", 1, (1, 3)), ("O(n²)", 2, (1, 6))):
        grown = [(ranks, least * (ranks / first) ** power) for ranks, _ in within]
        curves.append((label, grown, Style(PUBLISHED_COLOR, dash=dash)))
    return [
        Line(label, style, tuple(_mark(ranks, seconds) for ranks, seconds in points))
        for label, points, style in curves
    ]


def _mark(ranks: float, value: float) -> Mark:
    return Mark(ranks, value, value, value)


def _axes(lines: Sequence[Line], title: str, label: str) -> tuple[Spec, Spec]:
    marks = [mark for line in lines for mark in line.marks]
    x = places_axis((mark.x for mark in marks), "ranks")
    return x, value_axis([mark.y for mark in marks], title, label)


def _ratios(line: Line) -> Line | None:
    """The same line in multiples of its time at the reference; None without a time there."""
    first = next((mark.y for mark in line.marks if mark.x == REFERENCE), None)
    if first is None:
        return None
    marks = tuple(_mark(mark.x, mark.y / first) for mark in line.marks if mark.x >= REFERENCE)
    return replace(line, marks=marks)


def _answer(run: Measured) -> list[str]:
    parts = []
    for line, results in _by_line(run).items():
        if line[0] != "one" or len(results) < FEWEST_POINTS:
            continue
        last = results[-1]
        assert last.headline is not None
        parts.append(
            f"{units.format_seconds(last.headline.value)} at {_ranks(last):,} ranks with "
            f"{line[1]} blocks in {line[2]} dimensions, with a growth exponent of "
            f"{exponent_text(growth_exponent(results, 'plan_ranks'))}"
        )
    if not parts:
        return []
    answers = [f"the route of one rank takes {joined(parts)}."]
    if kept := _memory(run):
        answers.append(f"the route of one rank occupies {joined(kept)}.")
    return answers


def _memory(run: Measured) -> list[str]:
    """The size of a route with the fewest and with the most ranks."""
    found: dict[tuple[str, str], dict[int, float]] = {}
    for case in run.run.cases:
        if case.study == STUDY and case.outcome is not None:
            line = str(case.axes.get("blocks")), str(case.axes.get("dimensions"))
            ranks = int(case.axes.get("plan_ranks", 0))
            found.setdefault(line, {})[ranks] = case.outcome.values["route_bytes"]
    return [
        f"{by_ranks[min(by_ranks)]:.0f} bytes at {min(by_ranks):,} ranks and "
        f"{by_ranks[max(by_ranks)]:.0f} at {max(by_ranks):,} with {blocks} blocks in "
        f"{dimensions} dimensions"
        for (blocks, dimensions), by_ranks in sorted(found.items())
        if len(by_ranks) > 1
    ]


def _published_answer(times: Sequence[tuple[int, float]]) -> str:
    beyond = [(ranks, seconds) for ranks, seconds in times if ranks >= BEND]
    return (
        f"ESMF's published times have a growth exponent of {exponent_text(exponent_of(beyond))} "
        f"from {BEND} processors on."
    )
