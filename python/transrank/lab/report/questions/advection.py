# SPDX-License-Identifier: BSD-3-Clause
"""What does a halo cost an application? Advection with and without communication."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from transrank.lab.report.curves import Point, point_at, side_by_side
from transrank.lab.report.figures import axes
from transrank.lab.report.figures.curve_figure import curve_figure
from transrank.lab.report.figures.figure import Figure
from transrank.lab.report.figures.quantity import TIME
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import change, percent
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.stats.compare import ratio_of
from transrank.lab.stats.summary import CaseResult
from transrank.lab.store.records import Shape
from transrank.lab.view.kinds import COUNT, SECONDS, WORDS, Kind
from transrank.lab.view.table import Column, Table

STUDY = "advection"
NONE, COPIES = "none", ("memcpy", "nontemporal")

CAPTION = (
    "Time of one step, by the slowest rank, over the points in each dimension of a rank's block. "
    "`none` is the sweep without communication, whose result is wrong; the copies move as many "
    "bytes as a step must. Bands are 95 % intervals."
)
RUN_CAPTION = (
    "Time of a whole run, by the slowest rank, over its number of steps, as the source draws it: "
    "with each way to update the halo, and without communication (`none`)."
)

POINTS = axes.counts("points per dimension", "points")
STEPS = axes.counts("steps", "steps")

COLUMNS = (
    *(Column("panel", WORDS), Column("points", COUNT), Column("way", WORDS)),
    *(Column("one step", SECONDS), Column("added", Kind(lambda added: f"{100 * added:+.1f} %"))),
    *(Column("hidden by overlap"), Column("points/s per rank"), Column("of the fastest copy")),
)

Place = tuple[Shape, str, str, str, int]
Key = tuple[str, str]


def ask(context: Context) -> Question | None:
    """Build the question; None when no field was advected."""
    if not context.all_of(STUDY):
        return None
    figures = [figure for run in context.runs for figure in _figures(context, run)]
    return Question(
        "advection",
        "What does the halo cost an application?",
        context.said(_answer),
        tuple(figures),
        tuple(_table(context, run) for run in context.runs if run.of_study(STUDY)),
        (STUDY,),
    )


def _points(result: CaseResult) -> int:
    return int(result.axes.get("points", 0))


def _iterations(result: CaseResult) -> int:
    return int(result.axes.get("iterations", 1))


def _place(result: CaseResult) -> Place:
    """The properties common to the curves of one panel."""
    texts = [result.text(name) for name in ("scheme", "processes", "velocity")]
    return (result.shape, texts[0], texts[1], texts[2], _iterations(result))


def _key(result: CaseResult) -> Key:
    return result.text("transport"), str(result.axes.get("overlap", "no"))


def _name(key: Key) -> str:
    transport, overlap = key
    return f"{transport}, overlapped" if overlap == "yes" else transport


def _title(place: Place) -> str:
    shape, scheme, processes, velocity, iterations = place
    steps = _steps_text(iterations)
    return f"{shape}, {scheme}, process grid {processes}, velocity {velocity}, {steps}"


def _steps_text(count: int) -> str:
    return f"{count} steps" if count > 1 else "1 step"


def _run(result: CaseResult) -> Point:
    """Seconds of all steps at their number."""
    point = point_at(_iterations(result), result)
    assert point is not None
    return point


def _step(result: CaseResult) -> Point:
    """Seconds of one step at a number of points."""
    run = _run(result)
    seconds, low, high = (time / run.x for time in (run.seconds, run.low, run.high))
    launches = tuple(time / run.x for time in run.launch_seconds)
    return replace(
        run, x=_points(result), seconds=seconds, low=low, high=high, launch_seconds=launches
    )


def _by_place(results: Sequence[CaseResult]) -> dict[Place, dict[Key, list[CaseResult]]]:
    found: dict[Place, dict[Key, list[CaseResult]]] = {}
    for result in sorted(results, key=_points):
        if result.headline is not None and result.headline.value > 0:
            found.setdefault(_place(result), {}).setdefault(_key(result), []).append(result)
    return found


def _added(results: dict[Key, list[CaseResult]], key: Key) -> list[tuple[int, float]]:
    """The time that a method adds to the undivided sweep without communication, by points."""
    alone = {_points(result): _step(result).seconds for result in results.get((NONE, "no"), [])}
    return [
        (_points(result), _step(result).seconds / alone[_points(result)] - 1)
        for result in results[key]
        if _points(result) in alone
    ]


def _figures(context: Context, run: Measured) -> list[Figure]:
    """Steps over points, and whole runs over their steps."""
    results = [r for r in run.of_study(STUDY) if r.headline is not None and r.headline.value > 0]
    name = context.name("advection", run)
    figures = []
    for each, order, title, points, caption, places in (
        (name, _points, lambda result: _title(_place(result)), _steps, CAPTION, POINTS),
        (f"{name}-runs", _iterations, _block, _whole_runs, RUN_CAPTION, STEPS),
    ):
        groups = side_by_side(
            sorted(results, key=order), context.palette, title, _way, "advection", points
        )
        figures.append(
            curve_figure(
                each,
                groups,
                TIME,
                context.about(run, caption),
                places=places,
            )
        )
    return [figure for figure in figures if figure is not None]


def _way(result: CaseResult) -> str:
    return _name(_key(result))


def _block(result: CaseResult) -> str:
    shape, scheme, processes, velocity, _ = _place(result)
    points = f"{_points(result):,} x {_points(result):,} points"
    return f"{shape}, {scheme}, process grid {processes}, velocity {velocity}, {points}"


def _steps(results: Sequence[CaseResult]) -> tuple[Point, ...]:
    return tuple(map(_step, results))


def _whole_runs(results: Sequence[CaseResult]) -> tuple[Point, ...]:
    """Nothing of runs of one length."""
    return tuple(map(_run, results)) if len(results) > 1 else ()


def _hidden(by_key: dict[Key, list[CaseResult]], transport: str, points: int) -> str | None:
    """The part of the blocking method's cost that overlapping saves, dividing included."""
    blocking = dict(_added(by_key, (transport, "no"))) if (transport, "no") in by_key else {}
    split = dict(_added(by_key, (transport, "yes"))) if (transport, "yes") in by_key else {}
    if points not in blocking or points not in split or blocking[points] <= 0:
        return None
    return f"{100 * (1 - split[points] / blocking[points]):.0f} %"


def _table(context: Context, run: Measured) -> Table:
    rows = []
    for place, by_key in _by_place(run.of_study(STUDY)).items():
        copies = _fastest_copies(by_key)
        for way, results in by_key.items():
            added = dict(_added(by_key, way)) if way[0] not in COPIES else {}
            for result in results:
                points, seconds = _points(result), _step(result).seconds
                copy = copies.get(points)
                rows.append(
                    (
                        *(_title(place), points, _name(way), seconds, added.get(points)),
                        _hidden(by_key, way[0], points) if way[1] == "yes" else None,
                        f"{points * points / seconds:.3g}",
                        f"{100 * copy / seconds:.0f} %" if copy else None,
                    )
                )
    title = context.about(run, "steps of advection, and the time added by the halo")
    return Table(title, COLUMNS, rows)


def _fastest_copies(by_key: dict[Key, list[CaseResult]]) -> dict[int, float]:
    """Seconds of the fastest copy of as many bytes, by points."""
    fastest: dict[int, float] = {}
    for copy in COPIES:
        for result in by_key.get((copy, "no"), []):
            points, seconds = _points(result), _step(result).seconds
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
        _, way, best = min((h for h in halos if h[0] == points), key=lambda h: _step(h[2]).seconds)
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
        copy = min(copies, key=lambda result: _step(result).seconds, default=None)
        share = ratio_of(alone[points], copy) if copy is not None else None
        if share is not None:
            text += f"; the step alone runs at {percent(share)} of the fastest copy"
        texts.append(f"{text}.")
    return texts[:2]
