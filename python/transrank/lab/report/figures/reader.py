# SPDX-License-Identifier: BSD-3-Clause
"""The rule under the pointer that reads all curves of a panel at one place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from transrank.lab.report.figures.figure import Spec
from transrank.lab.report.figures.style import MUTED

Reading = tuple[float, str, Sequence[tuple[str, str]]]


def reader(readings: Iterable[Reading]) -> Spec:
    """Layer with one reading per place on x: (place, heading, [(series, text), ...]).

    The tooltip's value is [heading, [[series, text], ...]]; page.js makes it visible.
    """
    values = [
        {"x": place, "t": [heading, [list(pair) for pair in pairs]]}
        for place, heading, pairs in readings
    ]
    select = {
        "type": "point",
        "fields": ["x"],
        "nearest": True,
        "on": "pointermove",
        "clear": "pointerout",
    }
    # The pointer is over a cell around the rule, whose datum holds that of the rule.
    tooltip = {"expr": "datum.t || datum.datum.t"}
    visible = {"param": "pointed", "empty": False, "value": 0.7}
    return {
        "data": {"values": values},
        "transform": [],
        "params": [{"name": "pointed", "select": select}],
        "mark": {"type": "rule", "strokeWidth": 1, "tooltip": tooltip},
        "encoding": {
            "y": None,
            "color": {"value": MUTED},
            "opacity": {"condition": visible, "value": 0},
        },
    }
