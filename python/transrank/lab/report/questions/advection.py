# SPDX-License-Identifier: BSD-3-Clause
"""What does a halo cost an application? Advection with and without communication."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter

from transrank.lab.report.curves import Point, point_at, side_by_side
from transrank.lab.report.figures import axes
from transrank.lab.report.figures.curve_figure import curve_figure
from transrank.lab.report.figures.figure import Figure
from transrank.lab.report.figures.quantity import TIME
from transrank.lab.report.questions.question import Context
from transrank.lab.report.questions.study import Study
from transrank.lab.stats.summary import CaseResult
from transrank.lab.view.kinds import COUNT, NUMBER, SECONDS, WORDS, Kind
from transrank.lab.view.table import Column, Table

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

ADDED = Kind(lambda added: f"{100 * added:+.1f} %")
COLUMNS = tuple(
    Column(heading, kind, itemgetter(place))
    for place, (heading, kind) in enumerate(
        (
            *(("panel", WORDS), ("points", COUNT), ("way", WORDS), ("one step", SECONDS)),
            *(("added", ADDED), ("hidden by overlap", NUMBER), ("points/s per rank", NUMBER)),
            ("of the fastest copy", NUMBER),
        )
    )
)


def _points(result: CaseResult) -> int:
    return int(result.axes.get("points", 0))


def _iterations(result: CaseResult) -> int:
    return int(result.axes.get("iterations", 1))


def _block(result: CaseResult) -> str:
    """What the curves of one panel share, whichever its x."""
    scheme, processes, velocity = map(result.text, ("scheme", "processes", "velocity"))
    return f"{scheme}, process grid {processes}, velocity {velocity}"


def _steps_text(result: CaseResult) -> str:
    count = _iterations(result)
    return f"{count} steps" if count > 1 else "1 step"


def _where(result: CaseResult) -> str:
    return f"{_block(result)}, {_steps_text(result)}"


def _overlapped(way: str) -> str:
    transport, _, overlap = way.partition(" ")
    return f"{transport}, overlapped" if overlap == "yes" else transport


def _run(result: CaseResult) -> Point | None:
    """Seconds of all steps at their number."""
    return point_at(_iterations(result), result)


def _step(result: CaseResult) -> Point | None:
    """Seconds of one step at a number of points."""
    run = _run(result)
    if run is None:
        return None
    seconds, low, high = (time / run.x for time in (run.seconds, run.low, run.high))
    launches = tuple(time / run.x for time in run.launch_seconds)
    return replace(
        run, x=_points(result), seconds=seconds, low=low, high=high, launch_seconds=launches
    )


def _steps(results: Sequence[CaseResult]) -> tuple[Point, ...]:
    found = [step for result in results if (step := _step(result)) is not None]
    return tuple(sorted(found, key=lambda point: point.x))


def _whole_runs(results: Sequence[CaseResult]) -> tuple[Point, ...]:
    """Nothing of runs of one length."""
    found = [run for result in results if (run := _run(result)) is not None]
    return tuple(sorted(found, key=lambda point: point.x)) if len(found) > 1 else ()


def _runs(context: Context) -> Iterator[Figure | None]:
    """Whole runs over their steps."""
    for run in context.runs:
        groups = side_by_side(
            sorted(run.of_study(STUDY.name), key=_iterations),
            context.palette,
            lambda r: f"{r.shape}, {_block(r)}, {_points(r):,} x {_points(r):,} points",
            lambda r: _overlapped(STUDY.way_of(r)),
            STUDY.way[0],
            _whole_runs,
        )
        name, caption = context.name("advection-runs", run), context.about(run, RUN_CAPTION)
        yield curve_figure(name, groups, TIME, caption, places=STEPS)


def _tables(context: Context) -> Iterator[Table]:
    rows = [(run.name, row) for run in context.runs for row in _rows(run.of_study(STUDY.name))]
    yield context.table("Steps of advection, and the time added by the halo", COLUMNS, rows)


def _rows(results: Sequence[CaseResult]) -> Iterator[tuple[object, ...]]:
    by_case: dict[tuple[str, int], dict[str, float]] = {}
    for result in results:
        if (step := _step(result)) is not None:
            case = by_case.setdefault((STUDY.title(result), _points(result)), {})
            case[STUDY.way_of(result)] = step.seconds
    for (title, points), ways in sorted(by_case.items()):
        alone = ways.get(f"{NONE} no")
        copy = min((ways[way] for way in STUDY.floors if way in ways), default=None)
        for way, seconds in ways.items():
            transport, _, overlap = way.partition(" ")
            yield (
                *(title, points, _overlapped(way), seconds),
                seconds / alone - 1 if alone and way not in STUDY.floors else None,
                _hidden(alone, ways.get(f"{transport} no"), seconds) if overlap == "yes" else None,
                f"{points * points / seconds:.3g}",
                f"{100 * copy / seconds:.0f} %" if copy else None,
            )


def _hidden(alone: float | None, blocking: float | None, overlapped: float) -> str | None:
    """The part of the blocking method's cost that overlapping saves, dividing included."""
    if alone is None or blocking is None or blocking <= alone:
        return None
    return f"{100 * (1 - (overlapped - alone) / (blocking - alone)):.0f} %"


STUDY = Study(
    "advection",
    "What does the halo cost an application?",
    CAPTION,
    way=("transport", "overlap"),
    label=_overlapped,
    where=_where,
    baseline=(f"{NONE} no",),
    floors=tuple(f"{copy} no" for copy in COPIES),
    rivals={"*": "the cheapest halo"},
    subject=lambda r: f"advection of {_points(r):,} x {_points(r):,} points without a halo",
    most=2,
    over="points",
    x=POINTS,
    points=_steps,
    figures=_runs,
    tables=_tables,
    work="each",
)
