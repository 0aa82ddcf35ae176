# SPDX-License-Identifier: BSD-3-Clause
"""A field on a grid: a cell of colour for each of its values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from transrank.lab.report.figures.figure import Spec
from transrank.lab.report.figures.style import panel_spec

# Cells of a panel in each dimension: more are not distinguishable in a column of the page.
MOST_CELLS = 32
# Pixels of the longer side. Cells are squares, however wide the page is: what is drawn is a domain.
SIDE = 160


def field_panel(field: NDArray[np.float64], title: str, signed: bool = False) -> Spec:
    """Specification of a panel; the first dimension runs to the right, the second upwards.

    A `signed` field, such as an error, has a scale with zero in the middle.
    """
    every = -(-max(field.shape) // MOST_CELLS)
    thinned = field[::every, ::every]
    reach = float(np.nanmax(np.abs(thinned))) or 1.0
    low = -reach if signed else float(np.nanmin(thinned))
    high = reach if signed else float(np.nanmax(thinned))
    rows = [
        {"x": i, "y": j, "v": float(f"{value:.3g}")}
        for (i, j), value in np.ndenumerate(thinned)
        if np.isfinite(value)
    ]
    place = {"type": "ordinal", "axis": None, "scale": {"padding": 0}}
    body = {
        "data": {"values": rows},
        "mark": {"type": "rect"},
        "encoding": {
            "x": {"field": "x", **place},
            "y": {"field": "y", **place, "sort": "descending"},
            "color": {
                "field": "v",
                "type": "quantitative",
                "title": title,
                "scale": {
                    "scheme": "blueorange" if signed else "viridis",
                    "domain": [low, high if high > low else low + 1],
                },
                "legend": {"orient": "bottom", "gradientLength": 150, "format": ".2~g"},
            },
        },
    }
    step = SIDE / max(thinned.shape)
    return panel_spec("small", body) | {
        "width": {"step": step},
        "height": {"step": step},
        "autosize": "pad",
    }
