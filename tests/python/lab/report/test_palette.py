# SPDX-License-Identifier: BSD-3-Clause
"""Colours can be seen on their page, and told apart by people who see fewer of them."""

import itertools
import re
from importlib import resources

import numpy as np
import pytest

from transrank.lab.report.palette import DASHES, SHAPES, SLOTS, Palette

# Machado, Oliveira & Fernandes, IEEE TVCG 15, 2009: complete dichromacy, linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]
    ),
    "deuteranopia": np.array(
        [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]
    ),
    "tritanopia": np.array(
        [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]
    ),
}
# Linear RGB to OKLab (B. Ottosson, 2020), where equal distances look equally different.
TO_LMS = np.array([[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]])
TO_LAB = np.array([[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]])
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
LEAST_DISTANCE = 0.09
LEAST_CONTRAST = 3.0  # WCAG 2.2, 1.4.11: graphics


def colors(theme: str) -> dict[str, np.ndarray]:
    page = resources.files("transrank.lab.report").joinpath("templates", "page.css")
    css = page.read_text("utf-8")
    light, dark = re.findall(r":root \{(.*?)\}", css, re.DOTALL)[:2]
    block = light if theme == "light" else dark
    return {
        name: linear(value) for name, value in re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", block)
    }


def linear(value: str) -> np.ndarray:
    channels = np.array([int(value[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    low, high = sorted((float(one @ LUMINANCE), float(other @ LUMINANCE)))
    return (high + 0.05) / (low + 0.05)


def lab(color: np.ndarray) -> np.ndarray:
    return TO_LAB @ np.cbrt(np.clip(TO_LMS @ np.clip(color, 0, 1), 0, None))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lines_and_text_stand_out_from_the_page(theme):
    found = colors(theme)
    for name in ("published", *(f"series-{slot}" for slot in range(1, SLOTS + 1))):
        assert contrast(found[name], found["page"]) >= LEAST_CONTRAST, name
    for name in ("ink", "muted", "link", "warn"):
        assert contrast(found[name], found["page"]) >= 4.5, name


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("vision", VISION)
def test_any_two_colors_differ_for_every_vision(theme, vision):
    found = colors(theme)
    names = ["published", *(f"series-{slot}" for slot in range(1, SLOTS + 1))]
    for one, other in itertools.combinations(names, 2):
        distance = np.linalg.norm(
            lab(VISION[vision] @ found[one]) - lab(VISION[vision] @ found[other])
        )
        assert distance >= LEAST_DISTANCE, (one, other)


def test_a_thing_keeps_its_style_and_no_two_look_the_same():
    palette = Palette()
    first = palette.style("shape", "2 ranks")
    palette.style("shape", "4 ranks")
    assert palette.style("shape", "2 ranks") == first
    palette = Palette()
    styles = {palette.style("shape", str(number)) for number in range(3 * SLOTS)}
    assert len(styles) == 3 * SLOTS
    published = {palette.published(str(number)) for number in range(len(DASHES))}
    assert len(published) == len(DASHES)
    assert len(set(SHAPES)) == SLOTS
