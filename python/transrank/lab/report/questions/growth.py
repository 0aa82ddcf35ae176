# SPDX-License-Identifier: BSD-3-Clause
"""How do times grow with the ranks? A curve per way over three or more numbers of ranks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from statistics import fmean, median

from transrank.lab import units
from transrank.lab.reference.tables import Machine, machines
from transrank.lab.report.curves import Curve, CurveGroup, Point, point_at
from transrank.lab.report.figures.axes import COUNT_LABEL, counts
from transrank.lab.report.figures.curve_figure import curve_figure
from transrank.lab.report.figures.figure import Figure
from transrank.lab.report.figures.quantity import TIME, Quantity
from transrank.lab.report.machine_run import run_of
from transrank.lab.report.measured import measure_up
from transrank.lab.report.palette import PUBLISHED_COLOR, SLOTS, Style
from transrank.lab.report.phrases import joined, nearest, sentence
from transrank.lab.report.published import short_name, source_of
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.report.questions.study import Study
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.growth import exponent_of, exponent_text, is_telling
from transrank.lab.stats.summary import CaseResult
from transrank.lab.view.kinds import COUNT, NUMBER, SECONDS, WORDS
from transrank.lab.view.table import Column, Table

FEWEST = 3
# The sizes with a curve, or the measured ones nearest to them.
TOLD_BYTES = (8, 4096, 1 << 20)
PER_NODE = "per node"
RANKS = counts("ranks", "ranks")
# The powers of n whose slopes are drawn, and the gaps between their dots.
GUIDES = {"1/n": (-1, 3), "n": (1, 5), "n²": (2, 8)}
SPEED_UP = Quantity(
    "speed-up",
    COUNT_LABEL,
    lambda point: (point.seconds, point.low, point.high),
    units.three_digits,
)

CAPTION = (
    "Time over the number of ranks, both logarithmic; dotted lines have the slopes of 1/n, n and "
    f"n². Of more than {SLOTS} curves those that are lowest on most ranks are drawn. Bands are "
    "95 % intervals."
)
SPEED_UP_CAPTION = (
    "Work per time over that of the fewest ranks: the dotted line is in proportion to the ranks. "
    "The bands are those of the times."
)
TABLE_CAPTION = (
    "Growth of the time with the number of ranks: the exponent of a power law, with its 95 % "
    "interval. 1 is in proportion, -1 half the time on twice as many ranks."
)


# Values that say nothing without the name of their axis.
UNTELLING = ("yes", "no", "one", "all")
# Cases of these are other questions on other numbers of ranks.
UNLIKE = ("advection-solution", "contention", "locality")


@dataclass(frozen=True, slots=True)
class Growth:
    """Times of a case over numbers of ranks: a curve and its panel."""

    panel: str
    series: str
    points: tuple[Point, ...]

    @property
    def name(self) -> str:
        return _joined(self.panel, self.series)

    @property
    def exponent(self) -> Estimate:
        return exponent_of([(point.x, point.seconds) for point in self.points])


COLUMNS = (
    Column("curve", WORDS, lambda growth: growth.name or "all"),
    Column("fewest ranks", COUNT, lambda growth: round(growth.points[0].x)),
    Column("most", COUNT, lambda growth: round(growth.points[-1].x)),
    Column("time", SECONDS, lambda growth: growth.points[0].seconds),
    Column("time", SECONDS, lambda growth: growth.points[-1].seconds),
    Column("exponent", NUMBER, lambda growth: exponent_text(growth.exponent)),
)


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def with_growth(context: Context, question: Question, studies: Iterable[Study]) -> Question:
    """The question with figures over ranks of its studies, their exponents and what they say."""
    for study in studies:
        question = _with_study(context, question, study)
    return question


def _with_study(context: Context, question: Question, study: Study) -> Question:
    found = _found(context, study)
    figures = _figures(context, study, found)
    if not figures:
        return question
    # Curves over size come first: they are what others publish.
    first = [figure for figure in question.figures[:1] if context.all_of(study.name)[0].bytes]
    table = _table(context, found)
    said = (
        f"{run}: {text}" if context.several else sentence(text)
        for run, of_run in found.items()
        for text in (() if study.always else _said(context, of_run))
    )
    theirs = _machines(context, study)
    return replace(
        question,
        answer=(*question.answer, *said),
        figures=(*first, *figures, *question.figures[len(first) :]),
        tables=(*question.tables, *([table] if table.rows else [])),
        sources=(*question.sources, *(source_of(each, (study.name,)) for each in theirs)),
    )


def _found(context: Context, study: Study) -> dict[str, list[Growth]]:
    """The curves of each run, or of all runs if only together they have enough numbers of ranks."""
    found = {run.name: growths(run.of_study(study.name), study) for run in context.runs}
    alone = any(len(each.points) >= FEWEST for of_run in found.values() for each in of_run)
    if context.several and not alone:
        together = growths(context.all_of(study.name), study)
        if any(len(each.points) >= FEWEST for each in together):
            return {"all runs": together}
    return found


def growths(results: Sequence[CaseResult], study: Study) -> list[Growth]:
    """The curves over ranks of a study's results, in their order."""
    results = [] if study.name in UNLIKE else _drawn(results, study)
    series, others = _telling(results, study)
    curves: dict[tuple[str, str], dict[int, list[Point]]] = {}
    for result in results:
        panel, name = _words(result, others), _words(result, series)
        for end, point in _ends(result, study):
            curves.setdefault((panel, _joined(name, end)), {}).setdefault(int(point.x), []).append(
                point
            )
    fewest = 1 if study.always else FEWEST
    return [
        Growth(*names, tuple(_merged(by_ranks[ranks]) for ranks in sorted(by_ranks)))
        for names, by_ranks in curves.items()
        if len(by_ranks) >= fewest
    ]


def _drawn(results: Sequence[CaseResult], study: Study) -> list[CaseResult]:
    """The results whose sizes and values are drawn."""
    axis, value = study.only
    kept = [result for result in results if result.axes.get(axis) == value] or list(results)
    by_size: dict[int | None, set[int]] = {}
    for result in kept:
        by_size.setdefault(result.bytes, set()).add(_ranks(result, study))
    most = max(map(len, by_size.values()), default=0)
    everywhere = [r for r in kept if r.bytes and len(by_size[r.bytes]) == most]
    told = {each.bytes for size in TOLD_BYTES if (each := nearest(everywhere, size)) is not None}
    return [result for result in kept if result.bytes in {None, *told}]


def _telling(results: Sequence[CaseResult], study: Study) -> tuple[list[str], list[str]]:
    """The axes in which results differ: those of the curves, and those of the panels."""
    values: dict[str, set[str | int]] = {}
    nodes: dict[int, set[int]] = {}
    for result in results:
        for axis, value in result.axes.items():
            values.setdefault(axis, set()).add(value)
        nodes.setdefault(_ranks(result, study), set()).add(result.shape.ranks_per_node)
    telling = [axis for axis, seen in values.items() if len(seen) > 1]
    series = [axis for axis in study.series if axis in telling]
    if not study.ranks and any(len(each) > 1 for each in nodes.values()):
        series.append(PER_NODE)
    apart = {*study.series, *study.follows, study.ranks}
    return series, [axis for axis in telling if axis not in apart]


def _words(result: CaseResult, axes: Sequence[str]) -> str:
    values = {**result.axes, PER_NODE: result.shape.ranks_per_node}
    return _joined(*(_word(axis, values[axis]) for axis in axes if axis in values))


def _word(axis: str, value: str | int) -> str:
    if axis == PER_NODE:
        return f"{value} {axis}" if value else ""
    if axis == "bytes":
        return units.format_bytes(int(value))
    return f"{axis} {value}" if isinstance(value, int) or value in UNTELLING else value


def _ranks(result: CaseResult, study: Study) -> int:
    if study.ranks:
        return int(result.axes.get(study.ranks, 0))
    return result.placed.ranks if result.placed is not None else result.shape.ranks


def _ends(result: CaseResult, study: Study) -> Iterator[tuple[str, Point]]:
    """The point of a result, and that of its first rank where this is a curve as well."""
    point = point_at(_ranks(result, study), result)
    first = result.first_rank if study.first_rank else None
    if point is not None:
        yield ("last rank" if first else ""), point
        if first:
            yield "first rank", Point(point.x, first, first, first)


def _merged(points: Sequence[Point]) -> Point:
    """One point for cases that differ in what follows the ranks: medians."""
    if len(points) == 1:
        return points[0]
    low, high = median(p.low for p in points), median(p.high for p in points)
    return Point(points[0].x, median(p.seconds for p in points), low, high)


def _figures(context: Context, study: Study, found: Mapping[str, Sequence[Growth]]) -> list[Figure]:
    """The times, and the speed-up where the study has one."""
    figures = [_figure(context, study, found, TIME)]
    if study.work:
        faster = {
            run: [replace(each, points=_speed_up(each.points, study.work)) for each in of_run]
            for run, of_run in found.items()
        }
        figures.append(_figure(context, study, faster, SPEED_UP))
    return [figure for figure in figures if figure is not None]


def _figure(
    context: Context, study: Study, found: Mapping[str, Sequence[Growth]], quantity: Quantity
) -> Figure | None:
    panels: dict[str, list[Growth]] = {}
    for run, of_run in found.items():
        for each in of_run:
            title = _joined(run if context.several else "", each.panel)
            panels.setdefault(title, []).append(each)
    published = _published(context, study) if quantity is TIME else []
    groups, beside = [], {}
    for title, here in panels.items():
        lowest = sorted(here, key=lambda each: each.points[-1].seconds)
        kept = lowest[:SLOTS] if quantity is TIME else lowest[-SLOTS:]
        shown = [each for each in here if each in kept]
        curves = tuple(_curve(context, study, each) for each in shown)
        groups.append(CurveGroup(title, curves, context.all_of(study.name)[0]))
        beside[title] = [*published, *_guides(shown, quantity)]
    kind, caption = ("ranks", CAPTION) if quantity is TIME else ("speed-up", SPEED_UP_CAPTION)
    return curve_figure(f"{kind}-{study.name}", groups, quantity, caption, beside, RANKS)


def _curve(context: Context, study: Study, growth: Growth) -> Curve:
    label = growth.series or growth.panel or study.name
    return Curve(label, label, context.palette.style(study.name, label), growth.points)


def _guides(shown: Sequence[Growth], quantity: Quantity) -> list[Curve]:
    """Slopes from the middle of the curves' first points; for a speed-up that of n alone."""
    xs = [point.x for each in shown for point in each.points]
    first, last = min(xs), max(xs)
    start = exp(fmean(log(each.points[0].seconds) for each in shown))
    curves = []
    for power, (exponent, gap) in GUIDES.items() if first < last else ():
        if quantity is TIME or power == "n":
            label = f"in proportion to {power}"
            ends = ((x, start * (x / first) ** exponent) for x in (first, last))
            points = tuple(Point(x, value, value, value) for x, value in ends)
            style = Style(PUBLISHED_COLOR, dash=(1, gap))
            curves.append(Curve(label, label, style, points, guide=True))
    return curves


def _speed_up(points: Sequence[Point], work: str) -> tuple[Point, ...]:
    """The work per time of each number of ranks over that of the fewest."""
    first = points[0]
    scales = [first.seconds * (p.x / first.x if work == "each" else 1) for p in points]
    return tuple(
        Point(p.x, scale / p.seconds, scale / p.high, scale / p.low)
        for p, scale in zip(points, scales, strict=True)
    )


def _machines(context: Context, study: Study) -> list[Machine]:
    """The machines whose published curves stand beside those of a study."""
    if not study.always:
        return []
    return [m for m in machines() if m.of_study(study.name) and m.name not in context.machines]


def _published(context: Context, study: Study) -> list[Curve]:
    curves = []
    for machine in _machines(context, study):
        (run,) = measure_up([run_of(replace(machine, points=machine.of_study(study.name)))])
        for each in growths(run.of_study(study.name), study):
            label = _joined(f"{short_name(machine)}, published", each.series)
            style = context.palette.published(label)
            curves.append(Curve(label, label, style, each.points, published=True))
    return curves


def _table(context: Context, found: Mapping[str, Sequence[Growth]]) -> Table:
    rows = [(run, each) for run, of_run in found.items() for each in of_run]
    enough = [(run, each) for run, each in rows if len(each.points) >= FEWEST]
    return context.table(TABLE_CAPTION, COLUMNS, enough)


def _said(context: Context, found: Sequence[Growth]) -> list[str]:
    """How fast times grow, of the curves that tell it, and which ranks shared cores."""
    exponents = ((each.exponent, each) for each in found if len(each.points) >= FEWEST)
    told = sorted(
        ((exponent, each) for exponent, each in exponents if is_telling(exponent)),
        key=lambda pair: pair[0].value,
    )
    if not told:
        return []
    xs = [point.x for _, each in told for point in each.points]
    parts = [
        exponent_text(exponent) + (f" for {each.name}" if each.name else "")
        for exponent, each in dict.fromkeys((told[0], told[-1]))
    ]
    crowded = {shape.ranks for run in context.runs for shape in run.crowded if shape.ranks in xs}
    numbers = joined([f"{ranks:,}" for ranks in sorted(crowded)])
    shared = f"; {numbers} ranks shared cores" if crowded else ""
    return [
        f"from {min(xs):,.0f} to {max(xs):,.0f} ranks the time grows with an exponent of "
        f"{' to '.join(parts)}; in proportion to the ranks would be 1{shared}."
    ]
