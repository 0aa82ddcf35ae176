# SPDX-License-Identifier: BSD-3-Clause
"""A table of positive numbers whose cells are the darker the larger the number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transrank.lab.report.figures.figure import Spec
from transrank.lab.report.figures.style import INK, panel_spec

ROW_PIXELS = 26
# More cells than this are drawn without their numbers.
MOST_NUMBERS = 260


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: `value` decides its colour, `text` stands in it, `reading` at the pointer."""

    row: str
    column: str
    value: float
    text: str
    reading: str


def heat_panel(cells: Sequence[Cell], rows_title: str, columns_title: str, color: str) -> Spec:
    """Specification of a panel with rows and columns in the order in which they come first."""
    rows = list(dict.fromkeys(cell.row for cell in cells))
    columns = list(dict.fromkeys(cell.column for cell in cells))
    values = [cell.value for cell in cells]
    low, high = min(values), max(values)
    axis = {"domain": False, "ticks": False, "grid": False, "labelAngle": 0}
    place = {
        "y": {"field": "r", "type": "nominal", "sort": rows, "title": None, "axis": axis},
        "x": {
            "field": "c",
            "type": "nominal",
            "sort": columns,
            # Beside narrow rows a title of theirs would lie on the first column's.
            "title": f"{rows_title} ↓  {columns_title} →",
            "axis": {**axis, "orient": "top"},
        },
    }
    shade = {
        "field": "v",
        "type": "quantitative",
        "legend": None,
        "scale": {
            "type": "log",
            "domain": [low, high if high > low else 2 * low],
            "range": [0.06, 0.75],
        },
    }
    layers: list[Spec] = [
        {
            "mark": {"type": "rect", "tooltip": {"expr": "datum.t"}},
            "encoding": {"fillOpacity": shade, "color": {"value": color}},
        }
    ]
    if len(cells) <= MOST_NUMBERS:
        layers.append(
            {
                "mark": {"type": "text", "fontSize": 12},
                "encoding": {"text": {"field": "w"}, "color": {"value": INK}},
            }
        )
    body = {
        "data": {
            "values": [
                {
                    "r": cell.row,
                    "c": cell.column,
                    "v": float(f"{cell.value:.5g}"),
                    "w": cell.text,
                    "t": [f"{cell.row}, {cell.column}", [["", cell.reading]]],
                }
                for cell in cells
            ]
        },
        "encoding": place,
        "layer": layers,
    }
    spec = panel_spec("wide", body)
    spec["height"] = ROW_PIXELS * max(len(rows), 2)
    return spec
