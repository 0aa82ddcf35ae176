# SPDX-License-Identifier: BSD-3-Clause
"""Times over the number of ranks: one, or from the fastest to the slowest rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from transrank.report.figures import axes
from transrank.report.figures.figure import Spec
from transrank.report.figures.reader import Reading, reader
from transrank.report.figures.style import panel_spec
from transrank.report.palette import Style
from transrank.report.tables import range_text


@dataclass(frozen=True, slots=True)
class RangePoint:
    """One rank count: when the first and when the last rank was there, seconds."""

    ranks: int
    fastest: float
    slowest: float


@dataclass(frozen=True, slots=True)
class Ranges:
    """A line of the figure."""

    key: str
    label: str
    style: Style
    points: tuple[RangePoint, ...]
    published: bool = False


@dataclass(frozen=True, slots=True)
class Unit:
    """How values are told: on the axis, and in words from the least to the most."""

    label: str
    text: Callable[[float, float], str]


SECONDS = Unit(axes.SECONDS_LABEL, range_text)


def range_panel(
    lines: Sequence[Ranges],
    size: str = "wide",
    title: str = "time since the launcher was started",
    unit: Unit = SECONDS,
) -> Spec:
    """Specification of a panel with a band from the fastest to the slowest rank per line."""
    rows = [
        {
            "s": line.key,
            "x": point.ranks,
            "l": float(f"{point.fastest:.5g}"),
            "y": float(f"{point.slowest:.5g}"),
            "k": "published" if line.published else "case",
        }
        for line in lines
        for point in line.points
    ]
    color = {
        "field": "s",
        "type": "nominal",
        "legend": None,
        "scale": {
            "domain": [line.key for line in lines],
            "range": [line.style.color for line in lines],
        },
    }
    return panel_spec(
        size,
        {
            "data": {"values": rows},
            "params": [{"name": "hidden", "value": []}],
            "transform": [{"filter": "indexof(hidden, datum.s) < 0"}],
            "encoding": {
                "x": _ranks_axis(_counts(lines)),
                "y": _value_axis(lines, title, unit),
                "color": color,
            },
            "layer": [
                {"mark": {"type": "area", "opacity": 0.15}, "encoding": {"y2": {"field": "l"}}},
                *_ends("case", []),
                *_ends("published", [6, 3]),
                {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {"y2": {"field": "l"}}},
                reader(_readings(lines, unit)),
            ],
        },
    )


def _ends(kind: str, dash: list[int]) -> list[Spec]:
    """The two edges of the band: the slowest and the fastest rank."""
    only = [{"filter": {"field": "k", "equal": kind}}]
    line = {"type": "line", "strokeDash": dash or [1, 0], "point": {"filled": True, "size": 26}}
    return [
        {"transform": only, "mark": line},
        {"transform": only, "mark": line, "encoding": {"y": {"field": "l"}}},
    ]


def _counts(lines: Sequence[Ranges]) -> list[int]:
    return sorted({point.ranks for line in lines for point in line.points})


def _ranks_axis(counts: Sequence[int]) -> Spec:
    low, high = (
        (counts[0], counts[-1]) if counts[0] < counts[-1] else (counts[0] / 2, counts[0] * 2)
    )
    return {
        "field": "x",
        "type": "quantitative",
        "title": "ranks",
        "scale": {"type": "log", "base": 2, "domain": [low / 1.15, high * 1.15], "nice": False},
        "axis": {"values": list(counts), "labelExpr": axes.COUNT_LABEL, "grid": False},
    }


def _value_axis(lines: Sequence[Ranges], title: str, unit: Unit) -> Spec:
    values = [value for line in lines for p in line.points for value in (p.fastest, p.slowest)]
    return {"field": "y", **axes.value_axis(values, title, unit.label)}


def _readings(lines: Sequence[Ranges], unit: Unit) -> list[Reading]:
    return [
        (
            count,
            f"{count:,} ranks",
            [
                (line.key, unit.text(point.fastest, point.slowest))
                for line in lines
                for point in line.points
                if point.ranks == count
            ],
        )
        for count in _counts(lines)
    ]
