# SPDX-License-Identifier: BSD-3-Clause
"""How far the medians of single launches lie from the value of their case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from transrank.report.figures.figure import Spec
from transrank.report.figures.style import INK, MUTED, panel_spec

ROW_PIXELS = 24
# Farther launches stand at the edge: a few strays must not press all others into one line.
EDGE = 0.5


def deviation_panel(
    deviations: Mapping[str, Sequence[tuple[str, float]]], size: str = "wide"
) -> Spec:
    """Specification of a strip per study: a tick per pair (case, relative deviation)."""
    reach = max((abs(value) for pairs in deviations.values() for _, value in pairs), default=0.0)
    edge = min(max(reach * 1.05, 0.02), EDGE)
    rows = [
        {
            "n": study,
            "v": float(f"{min(max(value, -edge), edge):.4g}"),
            "t": [case, [["launch", f"{100 * value:+.1f} %"]]],
        }
        for study, pairs in deviations.items()
        for case, value in pairs
    ]
    body = {
        "data": {"values": rows},
        "encoding": {
            "y": {
                "field": "n",
                "type": "nominal",
                "sort": list(deviations),
                "title": None,
                "axis": {"domain": False, "ticks": False, "grid": False, "labelLimit": 170},
            },
            "x": {
                "field": "v",
                "type": "quantitative",
                "title": "launch against the value of its case",
                "scale": {"domain": [-edge, edge], "nice": False},
                "axis": {
                    "tickCount": 7,
                    "labelExpr": "(datum.value > 0 ? '+' : '') + format(100 * datum.value, '.3~r')"
                    " + ' %'",
                },
            },
        },
        "layer": [
            {
                "data": {"values": [{"v": 0}]},
                "mark": {"type": "rule", "strokeWidth": 1},
                "encoding": {"y": None, "color": {"value": MUTED}},
            },
            {
                "mark": {
                    "type": "tick",
                    "thickness": 1.5,
                    "opacity": 0.35,
                    "bandSize": 16,
                    "tooltip": {"expr": "datum.t"},
                },
                "encoding": {"color": {"value": INK}},
            },
        ],
    }
    spec = panel_spec(size, body)
    spec["height"] = ROW_PIXELS * max(len(deviations), 2)
    return spec
