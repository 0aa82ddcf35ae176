# SPDX-License-Identifier: BSD-3-Clause
"""What a study asks: the roles of its axes, from which its figure and its sentences follow."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from transrank.lab import units
from transrank.lab.report.curves import (
    Curve,
    CurveGroup,
    Point,
    arrange,
    namer,
    points_of,
    side_by_side,
    study_name,
)
from transrank.lab.report.figures.axes import SIZES, Places
from transrank.lab.report.figures.category_panel import Value, times_figure
from transrank.lab.report.figures.curve_figure import curve_figure
from transrank.lab.report.figures.figure import Figure
from transrank.lab.report.figures.quantity import TIME, Quantity
from transrank.lab.report.measured import Measured, shapes_of, telling_shape
from transrank.lab.report.palette import SLOTS
from transrank.lab.report.phrases import (
    joined,
    kept_sentence,
    time_with_interval,
    times_as_long,
)
from transrank.lab.report.published import Source, published_lines
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.stats.summary import CaseResult
from transrank.lab.view.table import Table

CURVES = (
    "Time of one operation over the message size. Bands are 95 % intervals over launches, small "
    "dots are outlying launches."
)
VALUES = "Time of one operation; lines are 95 % intervals over launches."

Words = Callable[[CaseResult], str]


@dataclass(frozen=True, slots=True)
class Study:
    """The roles of a study's axes, and its own words, figures and tables.

    Attributes
    ----------
    question, caption, ways_caption
        the heading, and the captions of a figure over shapes and of one of ways.
    way, label
        axes that distinguish what is compared: the curves of a panel, or its lines of values; and
        what these are called.
    where
        words for what a panel shows, besides the shape; without them the other axes tell.
    marks
        an axis whose values stand beside each other on a line, and these values: sentences are of
        the first that was measured.
    chosen
        the results of a run that count, if panels are not of one shape.
    over_shapes
        whether the first way has a figure with a curve for each shape, beside published ones.
    baseline
        ways that others are held against, the first that was measured.
    floors
        copies of as many bytes, of which the fastest counts.
    rivals
        other ways that sentences name, and their words for them; of those that end in `*` the
        fastest that begins so. Without any, all.
    subject
        words for what takes the time; without them the way and the size.
    told, most
        the size that sentences are of; how many there are.
    quantities, over, x, points
        what curves show, over which axis, its words, and the points of a curve's results.
    said, figures, tables, sources
        what a study has of its own.
    follows, only, ranks, always, first_rank, work
        in a figure over ranks: axes that change with these; an axis and the value that is drawn;
        the axis with their number, if it is not of those that take part; whether there is a figure
        however few numbers were measured, beside published curves; whether the first rank has a
        curve as well; `each` if a case is as much work for each rank, `all` if for all together.
    """

    name: str
    question: str = ""
    caption: str = CURVES
    anchor: str = ""
    way: tuple[str, ...] = ()
    label: Callable[[str], str] = str
    where: Words | None = None
    marks: tuple[str, ...] = ()
    chosen: Callable[[Measured], Iterable[CaseResult]] | None = None
    over_shapes: bool = False
    ways_caption: str = ""
    baseline: tuple[str, ...] = ()
    floors: tuple[str, ...] = ()
    rivals: Mapping[str, str] = field(default_factory=dict)
    subject: Words | None = None
    told: int = 0
    most: int = 8
    quantities: tuple[Quantity, ...] = (TIME,)
    over: str = "bytes"
    x: Places = SIZES
    points: Callable[[Sequence[CaseResult]], tuple[Point, ...]] = points_of
    said: Callable[[Measured], Iterable[str]] = lambda run: ()
    figures: Callable[[Context], Iterable[Figure | None]] = lambda context: ()
    tables: Callable[[Context], Iterable[Table]] = lambda context: ()
    sources: Callable[[Context], tuple[Source, ...]] = lambda context: ()
    follows: tuple[str, ...] = ()
    only: tuple[str, str] = ("", "")
    ranks: str = ""
    always: bool = False
    first_rank: bool = False
    work: str = ""

    def of(self, run: Measured) -> list[CaseResult]:
        """The results of the study in a run."""
        return list(self.chosen(run)) if self.chosen is not None else run.of_study(self.name)

    @property
    def series(self) -> tuple[str, ...]:
        """The axes that distinguish the curves of a figure over ranks; others do its panels."""
        return self.way if self.way and not self.only[0] else ("bytes",)

    def way_of(self, result: CaseResult) -> str:
        """The way, as the axes have it."""
        return " ".join(filter(None, map(result.text, self.way)))

    def place(self, result: CaseResult) -> str:
        """What a panel shows besides the shape."""
        return self.where(result) if self.where is not None else ""

    def title(self, result: CaseResult) -> str:
        """What a panel shows."""
        return ", ".join(filter(None, (str(result.shape), self.place(result))))

    def telling(self, results: Sequence[CaseResult]) -> Iterator[Telling]:
        """The baseline of each place in the widest shape that has it, and what is beside it."""
        bases = [each for each in results if self.way_of(each) in self.baseline]
        for mark in self.marks[1:]:
            if marked := [each for each in bases if each.text(self.marks[0]) == mark]:
                bases = marked
                break
        shape = shapes_of(bases)[-1] if bases and self.chosen is None else None
        for place in dict.fromkeys(map(self.place, bases)):
            here = [r for r in bases if self.place(r) == place and shape in (None, r.shape)]
            if here:
                first = min(map(self.way_of, here), key=self.baseline.index)
                here = [each for each in here if self.way_of(each) == first]
                base = min(here, key=self._distance)
                case = self._beside(base)
                yield base, {self.way_of(r): r for r in results if self._beside(r) == case}

    def floor(self, ways: Mapping[str, CaseResult]) -> CaseResult | None:
        """The fastest copy."""
        return _fastest(ways[way] for way in self.floors if way in ways)

    def _beside(self, result: CaseResult) -> tuple[object, ...]:
        """What results share that differ in the way alone."""
        return result.shape, self._x(result), self.place(result), *map(result.text, self.marks[:1])

    def _x(self, result: CaseResult) -> float:
        """Where the result is on its curve; 0 of one that is on none."""
        points = self.points([result])
        return points[0].x if points else 0

    def _distance(self, result: CaseResult) -> float:
        """From what sentences are of, which is the largest if nothing is named."""
        x = self._x(result)
        return abs(math.log((x + 1) / (self.told + 1))) if self.told else -x


# A result, and all ways of the same case.
Telling = tuple[CaseResult, Mapping[str, CaseResult]]


def compared(what: str, base: CaseResult, others: Mapping[str, CaseResult], floor: str = "") -> str:
    """`WHAT takes TIME: FLOOR; by OTHER 1.4 times (1.3 to 1.5) as long.`."""
    longer = [
        f"by {name} {ratio}"
        for name, other in others.items()
        if (ratio := times_as_long(base, other))
    ]
    parts = [*([floor] if floor else []), *([f"{joined(longer)} as long"] if longer else [])]
    text = f"{what} takes {time_with_interval(base)}"
    return f"{text}: {'; '.join(parts)}." if parts else f"{text}."


def answer(study: Study) -> Callable[[Context], Question | None]:
    """What asks the question of a study: None where it was not measured."""

    def ask(context: Context) -> Question | None:
        if not any(r.study == study.name for run in context.runs for r in run.results):
            return None
        curves, sources = _curves(context, study)
        figures = [*curves, *_values(context, study), *study.figures(context)]
        return Question(
            study.anchor or study.name,
            study.question or f"What does {study.name} cost?",
            context.said(lambda run: [*_sentences(study, run), *study.said(run)]),
            tuple(figure for figure in figures if figure is not None),
            tuple(table for table in study.tables(context) if table.items),
            (study.name,),
            (*sources, *study.sources(context)),
        )

    return ask


def _sentences(study: Study, run: Measured) -> Iterator[str]:
    """What the baseline takes in each place, what a floor and others take of it."""
    told = study.telling(study.of(run)) if study.subject or study.told else ()
    for base, ways in islice(told, study.most):
        way = study.way_of(base)
        size = f" of {units.format_bytes(base.bytes)}" if base.bytes is not None else ""
        what = study.subject(base) if study.subject else study.label(way) + size
        copied = ""
        if (floor := study.floor(ways)) and (ratio := times_as_long(floor, base)):
            copied = f"{ratio} its memory floor ({study.label(study.way_of(floor))})"
        others = _rivals(study, {w: r for w, r in ways.items() if w not in (way, *study.floors)})
        yield compared(f"with {study.title(base)}, {what}", base, others, copied)


def _rivals(study: Study, others: Mapping[str, CaseResult]) -> dict[str, CaseResult]:
    """Those that sentences name, by their words."""
    if not study.rivals:
        return {study.label(way): result for way, result in others.items()}
    found = {}
    for begin, words in study.rivals.items():
        way = begin.rstrip("*")
        several = begin.endswith("*")
        of_way = {w: r for w, r in others.items() if w == way or (several and w.startswith(way))}
        if (best := _fastest(of_way.values())) is not None:
            found[f"{words} ({study.label(study.way_of(best))})" if several else words] = best
    return found


def _fastest(results: Iterable[CaseResult]) -> CaseResult | None:
    return min(results, key=lambda result: result.seconds, default=None)


def _curves(context: Context, study: Study) -> tuple[list[Figure | None], tuple[Source, ...]]:
    """Over shapes or runs, and of the ways in one shape."""
    runs = [(run.name, [r for r in study.of(run) if study.points([r])]) for run in context.runs]
    results = [result for _, found in runs for result in found]
    figures: list[Figure | None] = []
    sources: tuple[Source, ...] = ()
    shape = telling_shape(results, *context.runs)
    subject = study.where or study_name
    if results and (study.over_shapes or not study.way or context.several):
        main = _first_way(study, results) if study.over_shapes else None
        chosen = [(n, [r for r in found if main in (None, study.way_of(r))]) for n, found in runs]
        named = [_without(r, (study.over,)) for _, found in chosen for r in found]
        told = namer(named, subject)
        groups = arrange(chosen, context.palette, told, study.points)
        lines = published_lines(context.palette, groups, context.machines) if main else None
        caption = study.caption.format(shape=shape)
        figures += _drawn(study, "", groups, caption, lines.by_title if lines else {})
        sources = lines.sources if lines and any(figures) else ()
    if results and study.way and not context.several:
        here = [r for r in results if study.chosen or r.shape == shape]
        named = [_without(r, (*study.way, study.over)) for r in here]
        groups = _ways(context, study, here, namer(named, subject))
        if study.over_shapes:
            groups = [group for group in groups if len(group.curves) > 1]
        words = study.ways_caption or study.caption
        placed = "{shape}" in words or study.chosen is not None
        caption = (words if placed else f"{words} All are of {{shape}}.").format(shape=shape)
        figures += _drawn(study, "-ways" if study.over_shapes else "", groups, caption, {})
    return figures, sources


def _drawn(
    study: Study,
    more: str,
    groups: Sequence[CurveGroup],
    caption: str,
    beside: Mapping[str, Sequence[Curve]],
) -> Iterator[Figure | None]:
    """A figure for each quantity."""
    for i, quantity in enumerate(study.quantities):
        name = f"{study.anchor or study.name}{more}{f'-{i}' if i else ''}"
        yield curve_figure(name, groups, quantity, caption, beside, study.x)


def _ways(
    context: Context, study: Study, here: Sequence[CaseResult], panel: Words
) -> list[CurveGroup]:
    """A panel for each place, with a curve for each way; of many those that are often fastest."""
    fastest: dict[object, CaseResult] = {}
    for result in here:
        case = (study.place(result), result.axes.get(study.over))
        fastest[case] = min(fastest.get(case, result), result, key=lambda r: r.seconds)
    wins = Counter(map(study.way_of, fastest.values()))
    ways = sorted(
        dict.fromkeys(map(study.way_of, here)), key=lambda w: (w not in study.baseline, -wins[w])
    )
    drawn = [r for r in here if study.way_of(r) in ways[:SLOTS]]
    return side_by_side(
        drawn,
        context.palette,
        panel,
        lambda result: study.label(study.way_of(result)),
        study.way[0],
        study.points,
    )


def _first_way(study: Study, results: Sequence[CaseResult]) -> str:
    ways = list(dict.fromkeys(map(study.way_of, results)))
    return next((way for way in study.baseline if way in ways), ways[0])


def _without(result: CaseResult, axes: Sequence[str]) -> CaseResult:
    left = {name: value for name, value in result.axes.items() if name not in axes}
    return replace(result, axes=left)


def _values(context: Context, study: Study) -> Iterator[Figure | None]:
    """Of results without a size: all ways of a place on lines, or all cases of all runs."""
    name, subject = study.anchor or study.name, f"Times of {study.name}"
    if study.marks:
        for run in context.runs:
            results = [result for result in study.of(run) if not study.points([result])]
            results.sort(key=lambda r: (r.shape, _mark(study, r), r.seconds))
            panels: dict[str, list[Value | None]] = {}
            for each in results:
                series = each.text(study.marks[0])
                value = Value.of(each, study.way_of(each), series, context.palette, study.marks[0])
                panels.setdefault(study.title(each), []).append(value)
            of_run = context.name(name, run), panels, subject, context.about(run, study.caption)
            yield times_figure(*of_run, kept_sentence(results))
    elif not study.way:
        found = [(run, r) for run in context.runs for r in study.of(run) if not study.points([r])]
        results = [result for _, result in found]
        named = namer(results)
        values = [_value(context, run, result, named(result), results) for run, result in found]
        yield times_figure(f"{name}-values", {"": values}, subject, VALUES, kept_sentence(results))


def _mark(study: Study, result: CaseResult) -> int:
    """The place of a result among those of its line."""
    mark = result.text(study.marks[0])
    return study.marks.index(mark) if mark in study.marks else len(study.marks)


def _value(
    context: Context, run: Measured, result: CaseResult, name: str, results: Sequence[CaseResult]
) -> Value | None:
    kind, series = ("run", run.name) if context.several else ("shape", str(result.shape))
    name = name.removeprefix(f"{result.study}, ")
    several = context.several and len(shapes_of(results)) > 1
    label = f"{name}, {result.shape}" if several else name
    return Value.of(result, label, series, context.palette, kind)
