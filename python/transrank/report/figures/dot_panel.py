# SPDX-License-Identifier: BSD-3-Clause
"""Times of things without a size: a mark and a 95 % interval each, one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transrank import units
from transrank.report.figures import axes
from transrank.report.figures.figure import Spec
from transrank.report.figures.style import panel_spec
from transrank.report.palette import Style
from transrank.report.tables import range_text
from transrank.stats.estimate import Estimate

LINE_PIXELS = 22


@dataclass(frozen=True, slots=True)
class Dot:
    """A time; `series` is its entry in the key."""

    label: str
    series: str
    style: Style
    seconds: float
    low: float
    high: float

    @classmethod
    def at(cls, label: str, series: str, style: Style, value: Estimate) -> Dot:
        """A time with its interval, as far as a logarithmic axis can show that."""
        seconds, low, high = value.value, value.low, value.high
        return cls(
            label,
            series,
            style,
            seconds,
            seconds if low is None or low <= 0 else low,
            seconds if high is None else high,
        )


def dot_panel(dots: Sequence[Dot], size: str = "wide") -> Spec:
    """Specification of a panel of times, in the given order from the top."""
    labels = list(dict.fromkeys(dot.label for dot in dots))
    styles = {dot.series: dot.style for dot in dots}
    seconds = [dot.seconds for dot in dots]
    least, most = axes.drawn_bounds(seconds, [end for dot in dots for end in (dot.low, dot.high)])
    rows = [
        {
            "n": dot.label,
            "s": dot.series,
            "v": float(f"{dot.seconds:.5g}"),
            "l": float(f"{max(dot.low, least):.5g}"),
            "h": float(f"{min(dot.high, most):.5g}"),
            "t": [dot.label, [[dot.series, _reading(dot)]]],
        }
        for dot in dots
    ]
    axis = axes.value_axis([*seconds, least, most], "time per operation", axes.SECONDS_LABEL)
    axis["axis"] = {name: axis["axis"][name] for name in ("values", "labelExpr")}
    time = {"field": "v", **axis}
    place = {
        "field": "n",
        "type": "nominal",
        "sort": labels,
        "title": None,
        "axis": {"domain": False, "ticks": False, "grid": True, "labelLimit": 210},
    }
    body = {
        "data": {"values": rows},
        "params": [{"name": "hidden", "value": []}],
        "transform": [{"filter": "indexof(hidden, datum.s) < 0"}],
        "encoding": {
            "y": place,
            "yOffset": {"field": "s", "type": "nominal", "sort": list(styles)},
            "x": time,
            "color": _scale(styles, [style.color for style in styles.values()]),
        },
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.5},
                "encoding": {"x": {"field": "l"}, "x2": {"field": "h"}},
            },
            {
                "mark": {
                    "type": "point",
                    "filled": True,
                    "size": 46,
                    "opacity": 1,
                    "tooltip": {"expr": "datum.t"},
                },
                "encoding": {"shape": _scale(styles, [s.shape for s in styles.values()])},
            },
        ],
    }
    spec = panel_spec(size, body)
    spec["height"] = LINE_PIXELS * max(len(labels), 2) * max(1, (len(styles) + 1) // 2)
    return spec


def _scale(styles: dict[str, Style], values: Sequence[str]) -> Spec:
    return {
        "field": "s",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": list(styles), "range": list(values)},
    }


def _reading(dot: Dot) -> str:
    if dot.low == dot.high:
        return units.format_seconds(dot.seconds)
    return f"{units.format_seconds(dot.seconds)} ({range_text(dot.low, dot.high)})"
