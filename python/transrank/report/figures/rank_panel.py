# SPDX-License-Identifier: BSD-3-Clause
"""A mark per rank, one below the other, on an axis that shows small differences of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transrank import units
from transrank.report.figures import axes
from transrank.report.figures.figure import Spec
from transrank.report.figures.style import panel_spec
from transrank.report.palette import Style

ROW_PIXELS = 17


@dataclass(frozen=True, slots=True)
class RankTime:
    """A rank's time, seconds; `series` is its entry in the key."""

    label: str
    series: str
    style: Style
    seconds: float


def rank_panel(times: Sequence[RankTime], low: float, high: float, size: str = "half") -> Spec:
    """Specification of a panel in the given order from the top; the axis is from low to high."""
    styles = {one.series: one.style for one in times}
    margin = (high - low) * 0.06 or high * 0.05
    rows = [
        {
            "n": one.label,
            "s": one.series,
            "v": float(f"{one.seconds:.6g}"),
            "t": [one.label, [[one.series, units.format_seconds(one.seconds)]]],
        }
        for one in times
    ]

    def by_series(values: Sequence[str]) -> Spec:
        scale = {"domain": list(styles), "range": list(values)}
        return {"field": "s", "type": "nominal", "legend": None, "scale": scale}

    body = {
        "data": {"values": rows},
        "params": [{"name": "hidden", "value": []}],
        "transform": [{"filter": "indexof(hidden, datum.s) < 0"}],
        "encoding": {
            "y": {
                "field": "n",
                "type": "nominal",
                "sort": [one.label for one in times],
                "title": None,
                "axis": {"domain": False, "ticks": False, "grid": True, "labelOverlap": False},
            },
            "x": {
                "field": "v",
                "type": "quantitative",
                "title": "time per operation",
                "scale": {"domain": [low - margin, high + margin], "nice": False, "zero": False},
                "axis": {"tickCount": 4, "labelExpr": _label(low, high)},
            },
            "color": by_series([style.color for style in styles.values()]),
            "shape": by_series([style.shape for style in styles.values()]),
        },
        "mark": {
            "type": "point",
            "filled": True,
            "size": 46,
            "opacity": 1,
            "tooltip": {"expr": "datum.t"},
        },
    }
    spec = panel_spec(size, body)
    spec["height"] = ROW_PIXELS * max(len(rows), 2)
    return spec


def _label(low: float, high: float) -> str:
    """Times with as many digits as it takes to tell the ticks apart."""
    digits = 3 if high - low > 0.05 * high else 5
    return axes.SECONDS_LABEL.replace(".3~r", f".{digits}~r")
