# SPDX-License-Identifier: BSD-3-Clause
"""Curves over message size, and how they are divided into panels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from transrank.lab.report.palette import Palette, Style
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.summary import CaseResult
from transrank.lab.store.records import Shape

# How many ranks took part, and whether all of them were on one node.
Place = tuple[int, bool]


@dataclass(frozen=True, slots=True)
class Point:
    """A place of a curve, as a size in bytes; `low` and `high` equal `seconds` without interval."""

    x: float
    seconds: float
    low: float
    high: float
    rate: float | None = None
    wide: bool = False
    samples: int = 0
    clean: int = 0
    launch_seconds: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Curve:
    """A line of a figure. `key` is unique in the figure, points are in the order of x.

    A `published` one was not measured here; a `guide` shows a slope, and has no values.
    """

    key: str
    label: str
    style: Style
    points: tuple[Point, ...]
    published: bool = False
    guide: bool = False


@dataclass(frozen=True, slots=True)
class CurveGroup:
    """The curves of one panel, one of the results that they show, and where all of these were."""

    title: str
    curves: tuple[Curve, ...]
    example: CaseResult
    places: frozenset[Place] = frozenset()


Entity = Callable[[CaseResult], str]


def point_of(result: CaseResult) -> Point | None:
    """The point that a result contributes to a curve over size; None without bytes or a value."""
    return point_at(result.bytes, result) if result.bytes else None


def point_at(x: float, result: CaseResult) -> Point | None:
    """The point of a result at a place; None without a value."""
    if result.headline is None or result.headline.value <= 0:
        return None
    value = result.headline.value
    low, high = result.headline.low, result.headline.high
    return Point(
        x,
        value,
        value if low is None or low <= 0 else low,
        value if high is None else high,
        result.rate,
        result.status == "wide",
        result.samples,
        result.counted,
        tuple(launch.value for launch in result.launch_medians) if result.samples else (),
    )


def points_of(results: Iterable[CaseResult]) -> tuple[Point, ...]:
    """The points over size of those results that have one."""
    points = [point for result in results if (point := point_of(result)) is not None]
    return tuple(sorted(points, key=lambda point: point.x))


def intervals_of(results: Iterable[CaseResult]) -> dict[int, Estimate]:
    """{bytes: seconds} of the results of two launches or more, whose differences it contains."""
    return {
        result.bytes: result.headline
        for result in results
        if result.bytes is not None
        and result.headline is not None
        and len(result.launches) > 1
        and result.headline.low is not None
    }


def places_of(results: Iterable[CaseResult]) -> frozenset[Place]:
    """The places where results were measured, as far as known."""
    return frozenset(
        (result.placed.ranks, result.placed.nodes == 1)
        for result in results
        if result.placed is not None
    )


def study_name(result: CaseResult) -> str:
    """The plainest subject of a result."""
    return result.study


def namer(results: Iterable[CaseResult], subject: Entity = study_name) -> Entity:
    """The name of a result's subject, with the axes that distinguish it from others.

    An axis is named when cases of one subject and shape differ in it; bytes never are.
    """
    values: dict[tuple[str, str, Shape], set[str | int]] = {}
    for result in results:
        for axis, value in result.axes.items():
            values.setdefault((subject(result), axis, result.shape), set()).add(value)
    telling = {(name, axis) for (name, axis, _), seen in values.items() if len(seen) > 1}

    def name(result: CaseResult) -> str:
        axes = [
            f"{axis} {value}" if isinstance(value, int) else value
            for axis, value in result.axes.items()
            if axis != "bytes" and (subject(result), axis) in telling
        ]
        return ", ".join([subject(result), *axes])

    return name


def curves_of(
    lines: Mapping[str, Sequence[CaseResult]],
    palette: Palette,
    kind: str,
    points: Callable[[Sequence[CaseResult]], tuple[Point, ...]] = points_of,
) -> tuple[Curve, ...]:
    """A curve of each name's results in its style of the group `kind`, if it has points."""
    return tuple(
        Curve(name, name, palette.style(kind, name), drawn)
        for name, results in lines.items()
        if (drawn := points(results))
    )


def side_by_side(
    results: Iterable[CaseResult],
    palette: Palette,
    panel: Entity,
    line: Entity,
    kind: str,
    points: Callable[[Sequence[CaseResult]], tuple[Point, ...]] = points_of,
) -> list[CurveGroup]:
    """Divide the results of one run and shape into panels, with a curve for each `line` in them.

    Curves of the same name have the same style of the group `kind` in all panels.
    """
    panels: dict[str, dict[str, list[CaseResult]]] = {}
    for result in results:
        panels.setdefault(panel(result), {}).setdefault(line(result), []).append(result)
    return [
        CurveGroup(
            title,
            curves_of(lines, palette, kind, points),
            next(iter(lines.values()))[0],
        )
        for title, lines in panels.items()
    ]


def arrange(
    runs: Sequence[tuple[str, Sequence[CaseResult]]],
    palette: Palette,
    entity: Entity,
    points: Callable[[Sequence[CaseResult]], tuple[Point, ...]] = points_of,
) -> list[CurveGroup]:
    """Divide the results of named runs into panels, one for each thing that `entity` names.

    A panel has a curve per shape. With several runs it has a curve per run, and each shape has
    panels of its own; if no two runs have a shape in common, a curve per run and shape.
    """
    found = [(run, result) for run, results in runs for result in results if points([result])]
    several_runs = len(runs) > 1
    several_shapes = len({result.shape for _, result in found}) > 1
    runs_at: dict[tuple[str, Shape], set[str]] = {}
    for run, result in found:
        runs_at.setdefault((entity(result), result.shape), set()).add(run)
    shared = {name for (name, _), at in runs_at.items() if len(at) > 1}
    by_panel: dict[tuple[str, str], dict[str, list[CaseResult]]] = {}
    for run, result in sorted(found, key=lambda pair: pair[1].shape):
        name, shape = entity(result), str(result.shape)
        panel = (name, shape if name in shared and several_shapes else "")
        label = run if panel[1] or not several_shapes else f"{run}, {shape}"
        label = label if several_runs else shape
        by_panel.setdefault(panel, {}).setdefault(label, []).append(result)
    order = list(dict.fromkeys(entity(result) for _, result in found))
    kind = "run" if several_runs else "shape"
    return [
        CurveGroup(
            ", ".join(part for part in panel if part),
            curves_of(curves, palette, kind, points),
            next(iter(curves.values()))[0],
            places_of(result for results in curves.values() for result in results),
        )
        for panel, curves in sorted(by_panel.items(), key=lambda item: order.index(item[0][0]))
    ]
