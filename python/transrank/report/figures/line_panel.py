# SPDX-License-Identifier: BSD-3-Clause
"""Lines over any quantity, their intervals as bands: where neither axis is a message size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from transrank.report.figures.figure import Spec
from transrank.report.figures.style import panel_spec
from transrank.report.palette import Style


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of a line with its interval."""

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Line:
    """A line; `series` is its entry in the key."""

    series: str
    style: Style
    marks: tuple[Mark, ...]


def line_panel(
    lines: Sequence[Line], x: dict[str, Any], y: dict[str, Any], size: str = "half"
) -> Spec:
    """Specification of a panel; `x` and `y` are channel definitions without their fields."""
    rows = [
        {
            "s": line.series,
            "x": _short(mark.x),
            "y": _short(mark.y),
            "l": _short(mark.low),
            "h": _short(mark.high),
        }
        for line in lines
        for mark in line.marks
    ]
    series = [line.series for line in lines]
    colors = [line.style.color for line in lines]
    body = {
        "data": {"values": rows},
        "params": [{"name": "hidden", "value": []}],
        "transform": [{"filter": "indexof(hidden, datum.s) < 0"}],
        "encoding": {
            "x": {"field": "x", "type": "quantitative", **x},
            "y": {"field": "y", "type": "quantitative", **y},
            "color": {
                "field": "s",
                "type": "nominal",
                "legend": None,
                "scale": {"domain": series, "range": colors},
            },
        },
        "layer": [
            {
                "mark": {"type": "area", "opacity": 0.22},
                "encoding": {"y": {"field": "l"}, "y2": {"field": "h"}},
            },
            {"mark": {"type": "line"}},
            {
                "mark": {"type": "point", "filled": True, "size": 26, "opacity": 1},
                "encoding": {
                    "shape": {
                        "field": "s",
                        "type": "nominal",
                        "legend": None,
                        "scale": {"domain": series, "range": [line.style.shape for line in lines]},
                    }
                },
            },
        ],
    }
    return panel_spec(size, body)


def _short(value: float) -> float:
    return float(f"{value:.5g}")
