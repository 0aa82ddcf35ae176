# SPDX-License-Identifier: BSD-3-Clause
"""What does a halo cost an application? Advection with and without communication."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from transrank.lab import units
from transrank.lab.report.figures import axes
from transrank.lab.report.figures.figure import Figure, KeyEntry, Panel, Spec
from transrank.lab.report.figures.line_panel import Line, Mark, Words, line_panel
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import change, kept_sentence, percent
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.report.tables import NOTHING, Column, Row, Table, range_text
from transrank.lab.stats.compare import ratio_of
from transrank.lab.stats.summary import CaseResult
from transrank.lab.store.records import Shape

STUDY = "advection"
NONE, COPIES = "none", ("memcpy", "nontemporal")

CAPTION = (
    "Time of one step, by the slowest rank, over the points in each dimension of a rank's block. "
    "`none` is the sweep without communication, whose result is wrong; the copies move as many "
    "bytes as a step must. Bands are 95 % intervals."
)
RATIO_CAPTION = (
    "Time that the halo adds to the sweep without communication, over the surface ratio of a "
    "block, (2 nx + 2 ny) / (nx ny)."
)

RUN_CAPTION = (
    "Time of a whole run, by the slowest rank, over its number of steps, as the source draws it: "
    "with each way to update the halo, and without communication (`none`)."
)

RUN = Words(
    lambda steps: f"{steps:,.0f} steps",
    lambda mark: f"{units.format_seconds(mark.y)} ({range_text(mark.low, mark.high)})",
)
STEP = Words(
    lambda points: f"{points:,.0f} points",
    lambda mark: f"{units.format_seconds(mark.y)} ({range_text(mark.low, mark.high)})",
)
COST = Words(lambda ratio: f"ratio {ratio:.3g}", lambda mark: f"{mark.y:+.3g} %")

Place = tuple[Shape, str, str, str, int]
Key = tuple[str, str]


def ask(context: Context) -> Question | None:
    """Build the question; None when no field was advected."""
    if not context.all_of(STUDY):
        return None
    figures = [
        figure
        for run in context.runs
        for figure in (*_figures(context, run), *_run_figures(context, run))
    ]
    return Question(
        "advection",
        "What does the halo cost an application?",
        context.said(_answer),
        tuple(figures),
        tuple(
            table
            for run in context.runs
            if run.of_study(STUDY)
            for table in (_table(context, run), *_speed_ups(context, run))
        ),
        (STUDY,),
    )


def _points(result: CaseResult) -> int:
    return int(result.axes.get("points", 0))


def _iterations(result: CaseResult) -> int:
    return int(result.axes.get("iterations", 1))


def _place(result: CaseResult) -> Place:
    """The properties common to the curves of one panel."""
    texts = [str(result.axes.get(name, "")) for name in ("scheme", "processes", "velocity")]
    return (result.shape, texts[0], texts[1], texts[2], _iterations(result))


def _key(result: CaseResult) -> Key:
    return str(result.axes.get("transport", "")), str(result.axes.get("overlap", "no"))


def _name(key: Key) -> str:
    transport, overlap = key
    return f"{transport}, overlapped" if overlap == "yes" else transport


def _title(place: Place) -> str:
    shape, scheme, processes, velocity, iterations = place
    steps = _steps_text(iterations)
    return f"{shape}, {scheme}, process grid {processes}, velocity {velocity}, {steps}"


def _run(result: CaseResult) -> Mark:
    """Seconds of all steps at their number."""
    assert result.headline is not None
    value, low, high = result.headline.value, result.headline.low, result.headline.high
    ends = (low if low is not None and low > 0 else value, value if high is None else high)
    return Mark(_iterations(result), value, *ends)


def _steps_text(count: int) -> str:
    return f"{count} steps" if count > 1 else "1 step"


def _step(result: CaseResult) -> Mark:
    """Seconds of one step at a number of points."""
    run = _run(result)
    return Mark(_points(result), run.y / run.x, run.low / run.x, run.high / run.x)


def _by_place(results: Sequence[CaseResult]) -> dict[Place, dict[Key, list[CaseResult]]]:
    found: dict[Place, dict[Key, list[CaseResult]]] = {}
    for result in sorted(results, key=_points):
        if result.headline is not None and result.headline.value > 0:
            found.setdefault(_place(result), {}).setdefault(_key(result), []).append(result)
    return found


def _added(results: dict[Key, list[CaseResult]], key: Key) -> list[tuple[int, float]]:
    """The time that a method adds to the undivided sweep without communication, by points."""
    alone = {_points(result): _step(result).y for result in results.get((NONE, "no"), [])}
    return [
        (_points(result), _step(result).y / alone[_points(result)] - 1)
        for result in results[key]
        if _points(result) in alone
    ]


def _lines(
    context: Context, by_key: dict[Key, list[CaseResult]], mark: Callable[[CaseResult], Mark]
) -> list[Line]:
    return [
        Line(_name(way), context.palette.style("advection", _name(way)), tuple(map(mark, results)))
        for way, results in by_key.items()
    ]


def _figures(context: Context, run: Measured) -> list[Figure]:
    results = run.of_study(STUDY)
    times: list[Panel] = []
    ratios: list[Panel] = []
    key: dict[str, KeyEntry] = {}
    shown: set[str] = set()
    for place, by_key in _by_place(results).items():
        lines = _lines(context, by_key, _step)
        key |= {line.series: KeyEntry(line.series, line.series, line.style) for line in lines}
        times.append(line_panel(_title(place), "Times of one step", lines, _time_axes(lines), STEP))
        costs = [
            Line(
                line.series,
                line.style,
                tuple(Mark(4 / points, *[100 * added] * 3) for points, added in costs_of),
            )
            for line, way in zip(lines, by_key, strict=True)
            if way[0] not in (NONE, *COPIES) and (costs_of := _added(by_key, way))
        ]
        shown |= {line.series for line in costs}
        if costs:
            subject = "Added cost of the halo"
            ratios.append(line_panel(_title(place), subject, costs, _cost_axes(costs), COST))
    name = f"advection-{run.run.header.run}" if context.several else "advection"
    kept = kept_sentence(results)
    entries = tuple(key.values())
    figures = []
    if times:
        figures.append(Figure(name, tuple(times), context.about(run, CAPTION), entries, kept=kept))
    if ratios:
        entries = tuple(entry for entry in entries if entry.key in shown)
        caption = context.about(run, RATIO_CAPTION)
        figures.append(Figure(f"{name}-surface", tuple(ratios), caption, entries, kept=kept))
    return figures


def _run_figures(context: Context, run: Measured) -> list[Figure]:
    """A panel for each block of which runs of several lengths were measured."""
    blocks: dict[str, dict[Key, list[CaseResult]]] = {}
    results = [r for r in run.of_study(STUDY) if r.headline is not None and r.headline.value > 0]
    for result in sorted(results, key=_iterations):
        shape, scheme, processes, velocity, _ = _place(result)
        block = (
            f"{shape}, {scheme}, process grid {processes}, velocity {velocity}, "
            f"{_points(result):,} x {_points(result):,} points"
        )
        blocks.setdefault(block, {}).setdefault(_key(result), []).append(result)
    panels = []
    key: dict[str, KeyEntry] = {}
    for block, by_key in blocks.items():
        several = {way: found for way, found in by_key.items() if len(found) > 1}
        if lines := _lines(context, several, _run):
            key |= {line.series: KeyEntry(line.series, line.series, line.style) for line in lines}
            specs = _time_axes(lines, "steps", "time of a run")
            panels.append(line_panel(block, "Times of whole runs", lines, specs, RUN))
    if not panels:
        return []
    name = f"advection-runs-{run.run.header.run}" if context.several else "advection-runs"
    caption = context.about(run, RUN_CAPTION)
    return [Figure(name, tuple(panels), caption, tuple(key.values()), kept=kept_sentence(results))]


def _time_axes(
    lines: Sequence[Line], place: str = "points per dimension", time: str = "time per step"
) -> tuple[Spec, Spec]:
    marks = [mark for line in lines for mark in line.marks]
    times = [value for mark in marks for value in (mark.y, mark.low, mark.high)]
    x = axes.places_axis((mark.x for mark in marks), place)
    return x, axes.value_axis(times, time, axes.SECONDS_LABEL)


def _cost_axes(lines: Sequence[Line]) -> tuple[Spec, Spec]:
    ratios = (mark.x for line in lines for mark in line.marks)
    x = axes.places_axis(ratios, "surface ratio of a block", "format(datum.value, '.3~g')")
    return x, {"title": "added, %", "axis": {"tickSize": 0, "minExtent": 46}}


def _hidden(by_key: dict[Key, list[CaseResult]], transport: str, points: int) -> str:
    """The part of the blocking method's cost that overlapping saves, dividing included."""
    blocking = dict(_added(by_key, (transport, "no"))) if (transport, "no") in by_key else {}
    split = dict(_added(by_key, (transport, "yes"))) if (transport, "yes") in by_key else {}
    if points not in blocking or points not in split or blocking[points] <= 0:
        return NOTHING
    return f"{100 * (1 - split[points] / blocking[points]):.0f} %"


def _table(context: Context, run: Measured) -> Table:
    columns = (
        Column("panel", number=False),
        Column("points"),
        Column("way", number=False),
        Column("one step"),
        Column("added"),
        Column("hidden by overlap"),
        Column("points/s per rank"),
        Column("of the fastest copy"),
    )
    rows = []
    for place, by_key in _by_place(run.of_study(STUDY)).items():
        copies = _fastest_copies(by_key)
        for way, results in by_key.items():
            added = dict(_added(by_key, way)) if way[0] not in COPIES else {}
            for result in results:
                points, step = _points(result), _step(result)
                copy = copies.get(points)
                rows.append(
                    Row(
                        (
                            _title(place),
                            f"{points:,}",
                            _name(way),
                            units.format_seconds(step.y),
                            f"{100 * added[points]:+.1f} %" if points in added else NOTHING,
                            _hidden(by_key, way[0], points) if way[1] == "yes" else NOTHING,
                            f"{points * points / step.y:.3g}",
                            f"{100 * copy / step.y:.0f} %" if copy else NOTHING,
                        )
                    )
                )
    title = context.about(run, "steps of advection, and the time added by the halo")
    return Table(title, columns, tuple(rows))


def _speed_ups(context: Context, run: Measured) -> list[Table]:
    """Steps of equal blocks on several numbers of ranks; none where there is one number."""
    columns = (
        Column("case", number=False),
        Column("way", number=False),
        Column("where", number=False),
        Column("one step"),
        Column("speed-up"),
        Column("efficiency"),
    )
    alike: dict[tuple[str, str], list[CaseResult]] = {}
    for place, by_key in _by_place(run.of_study(STUDY)).items():
        _, scheme, processes, velocity, iterations = place
        for way, results in by_key.items():
            for result in results if way[0] not in COPIES else ():
                case = f"{scheme}, {processes}, {velocity}, {iterations} steps, {_points(result):,}"
                alike.setdefault((case, _name(way)), []).append(result)
    rows = []
    for (case, method), results in alike.items():
        results.sort(key=lambda result: (result.shape.ranks, result.shape))
        first = results[0]
        for result in results if results[-1].shape.ranks > first.shape.ranks else ():
            efficiency = _step(first).y / _step(result).y
            speed_up = efficiency * result.shape.ranks / first.shape.ranks
            seconds = units.format_seconds(_step(result).y)
            parts = (str(result.shape), seconds, f"{speed_up:.2f}", f"{100 * efficiency:.0f} %")
            rows.append(Row((case, method, *parts)))
    title = "speed-up of advection over the fewest ranks, each with a block of as many points"
    return [Table(context.about(run, title), columns, tuple(rows))] if rows else []


def _fastest_copies(by_key: dict[Key, list[CaseResult]]) -> dict[int, float]:
    """Seconds of the fastest copy of as many bytes, by points."""
    fastest: dict[int, float] = {}
    for copy in COPIES:
        for result in by_key.get((copy, "no"), []):
            points, seconds = _points(result), _step(result).y
            fastest[points] = min(seconds, fastest.get(points, seconds))
    return fastest


def _answer(run: Measured) -> list[str]:
    """The cheapest halo on the largest blocks, and the sweep itself beside the fastest copy."""
    texts = []
    for place, by_key in _by_place(run.of_study(STUDY)).items():
        alone = {_points(result): result for result in by_key.get((NONE, "no"), [])}
        halos = [
            (_points(result), way, result)
            for way, results in by_key.items()
            for result in results
            if way[0] not in (NONE, *COPIES) and _points(result) in alone
        ]
        if not halos:
            continue
        points = max(halo[0] for halo in halos)
        _, way, best = min((h for h in halos if h[0] == points), key=lambda h: _step(h[2]).y)
        halo = ratio_of(alone[points], best)
        if halo is None:
            continue
        text = (
            f"with {place[0]} and blocks of {points:,} x {points:,} points, the cheapest halo "
            f"({_name(way)}) makes a {place[1]} step take {change(halo)} time "
            f"(of {_steps_text(_iterations(best))} in a row)"
        )
        copies = [
            r for copy in COPIES for r in by_key.get((copy, "no"), []) if _points(r) == points
        ]
        copy = min(copies, key=lambda result: _step(result).y, default=None)
        share = ratio_of(alone[points], copy) if copy is not None else None
        if share is not None:
            text += f"; the step alone runs at {percent(share)} of the fastest copy"
        texts.append(f"{text}.")
    return texts[:2]
