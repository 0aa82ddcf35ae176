# SPDX-License-Identifier: BSD-3-Clause
"""Static drawings say what the live ones say, and are as large."""

from __future__ import annotations

import re

import numpy as np
import vl_convert

from transrank.lab.report.figures import render
from transrank.lab.report.figures.category_panel import Value, category_panel, log_times
from transrank.lab.report.figures.field_panel import field_panel
from transrank.lab.report.figures.style import CONFIG
from transrank.lab.report.palette import Palette

ERROR = field_panel(np.linspace(-0.056, 0.056, 16).reshape(4, 4), "error", signed=True)
STYLE = Palette().style("phase", "run")
VALUES = [Value(way, "run", STYLE, t, t, t) for way, t in (("1.25x", 1e-6), ("b", 3e-6))]
TIMES = category_panel(VALUES, log_times(VALUES))


def texts(svg: str) -> list[str]:
    return re.findall(r">([^<>]+)</text>", svg)


def test_numbers_of_a_drawing_are_not_shortened():
    for spec in (ERROR, TIMES):
        whole = texts(vl_convert.vegalite_to_svg({**spec, "config": CONFIG}))
        assert texts(render.static_drawing(spec, "some/0")) == whole
    assert "0.05" in texts(render.static_drawing(ERROR, "some/0"))


def test_a_drawing_grows_with_the_page_where_the_live_one_does():
    assert "max-width:1" in render.static_drawing(ERROR, "some/0")
    assert "max-width" not in render.static_drawing(TIMES, "some/0")
