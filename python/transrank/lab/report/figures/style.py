# SPDX-License-Identifier: BSD-3-Clause
"""The style of all panels: sizes, type and lines. Colours are those of the page."""

from __future__ import annotations

from typing import Any

from transrank.lab.report.figures.figure import Spec

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
INK, MUTED, GRID, PAGE = "var(--ink)", "var(--muted)", "var(--grid)", "var(--page)"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"

# Width and height of the static drawing, pixels: small enough to be read on a phone. A live one
# takes the width that it is given.
SIZES = {"small": (300, 190), "half": (400, 190), "wide": (480, 190), "full": (960, 260)}

CONFIG: dict[str, Any] = {
    "background": None,
    "font": FONT,
    "view": {"stroke": None},
    "aria": False,
    "axis": {
        "labelColor": MUTED,
        "titleColor": MUTED,
        "gridColor": GRID,
        "domainColor": GRID,
        "tickColor": GRID,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelOverlap": "greedy",
        "labelFlush": False,
        "labelSeparation": 4,
        "labelPadding": 5,
    },
    "axisY": {"titleAngle": 0, "titleAlign": "left", "titleAnchor": "end", "titleY": -10},
    "legend": {
        "labelColor": MUTED,
        "titleColor": MUTED,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gradientStrokeColor": GRID,
    },
    "line": {"strokeWidth": 1.8, "strokeJoin": "round"},
}


def panel_spec(size: str, body: Spec) -> Spec:
    """A complete specification that fills the width of its place."""
    width, height = SIZES[size]
    return {
        "$schema": SCHEMA,
        "width": width,
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": {"left": 2, "right": 10, "top": 6, "bottom": 2},
        **body,
    }
