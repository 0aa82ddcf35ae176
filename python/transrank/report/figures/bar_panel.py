# SPDX-License-Identifier: BSD-3-Clause
"""Level bars from zero with their 95 % intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transrank import units
from transrank.report.figures.figure import Spec
from transrank.report.figures.style import INK, panel_spec
from transrank.report.palette import Style

BAR_PIXELS = 26
# The value stands behind the bar.
LABEL_ROOM = 1.2
# So many times beyond the longest bar an interval is drawn: else no bar would be seen beside it.
INTERVAL_REACH = 1.5


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, bytes per second; `series` is its entry in the key."""

    label: str
    series: str
    style: Style
    rate: float
    low: float
    high: float


def bar_panel(bars: Sequence[Bar], highest: float, size: str = "wide") -> Spec:
    """Specification of a panel of rates in GB/s, in the given order from the top.

    `highest`, bytes per second, is the end of the longest bar on this axis.
    """
    labels = list(dict.fromkeys(bar.label for bar in bars))
    series = {bar.series: bar.style.color for bar in bars}
    rows = [
        {
            "n": bar.label,
            "s": bar.series,
            "v": _short(bar.rate / 1e9),
            "l": _short(min(bar.low, highest) / 1e9),
            "h": _short(min(bar.high, highest) / 1e9),
            "t": [bar.label, [[bar.series, _reading(bar)]]],
            "w": units.format_rate(bar.rate),
        }
        for bar in bars
    ]
    value = {
        "field": "v",
        "type": "quantitative",
        "title": "GB/s",
        "scale": {"domain": [0, highest / 1e9 * LABEL_ROOM], "nice": False},
        "axis": {"tickCount": 6},
    }
    place = {
        "field": "n",
        "type": "nominal",
        "sort": labels,
        "title": None,
        "axis": {"domain": False, "ticks": False, "grid": False, "labelLimit": 150},
    }
    beside = {"field": "s", "type": "nominal", "sort": list(series)}
    color = {
        "field": "s",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": list(series), "range": list(series.values())},
    }
    body = {
        "data": {"values": rows},
        "params": [{"name": "hidden", "value": []}],
        "transform": [{"filter": "indexof(hidden, datum.s) < 0"}],
        "encoding": {"y": place, "yOffset": beside, "x": value},
        "layer": [
            {
                "mark": {"type": "bar", "tooltip": {"expr": "datum.t"}},
                "encoding": {"color": color},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 1.5},
                "encoding": {"x": {"field": "l"}, "x2": {"field": "h"}, "color": {"value": INK}},
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 8, "fontSize": 12},
                "encoding": {
                    "x": {"field": "h", "type": "quantitative"},
                    "text": {"field": "w"},
                    "color": {"value": INK},
                },
            },
        ],
    }
    spec = panel_spec(size, body)
    spec["height"] = BAR_PIXELS * max(len(rows), 2)
    return spec


def longest(bars: Sequence[Bar]) -> float:
    """The end of the longest bar or interval, bytes per second; intervals are cut beyond reach."""
    return min(max(bar.high for bar in bars), INTERVAL_REACH * max(bar.rate for bar in bars))


def _short(value: float) -> float:
    return float(f"{value:.5g}")


def _reading(bar: Bar) -> str:
    if bar.low == bar.high:
        return units.format_rate(bar.rate)
    low, high = units.format_rate(bar.low), units.format_rate(bar.high)
    return f"{units.format_rate(bar.rate)} ({low} to {high})"
