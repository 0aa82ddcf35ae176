# SPDX-License-Identifier: BSD-3-Clause
"""Two cases measured by the same launches, held against each other."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from bars import Figure, Part

from transrank.lab.stats.compare import paired_ratio
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.summary import CaseResult
from transrank.lab.units import format_seconds


def speedup(name: str, slow: CaseResult, fast: CaseResult, bar: float, note: str = "") -> Figure:
    """Hold slow / fast, launch by launch, against the least that it should be."""
    found = _ratio(fast, slow)
    return Figure(name, found.value, bar, "x", found.low, found.high, at_least=True, note=note)


def excess(name: str, ours: CaseResult, floor: CaseResult, bar: float, note: str = "") -> Figure:
    """Hold ours / floor, launch by launch, against the most that it may be."""
    found = _ratio(floor, ours)
    return Figure(name, found.value, bar, "x", found.low, found.high, note=note)


def _ratio(first: CaseResult, second: CaseResult) -> Estimate:
    """Second / first. Launches that do not tell how far they lie apart leave it unclear."""
    ones, others = _by_launch(first, second)
    if len(ones) < 2:
        value = others[0] / ones[0] if ones else math.nan
        return Estimate(value, 0.0, math.inf)
    return paired_ratio(ones, others)


def _by_launch(first: CaseResult, second: CaseResult) -> tuple[list[float], list[float]]:
    """The medians of the launches that measured both."""
    ones, others = (
        {
            launch: median.value
            for launch, median in zip(each.launches, each.launch_medians, strict=True)
        }
        for each in (first, second)
    )
    both = [launch for launch in ones if launch in others]
    return [ones[launch] for launch in both], [others[launch] for launch in both]


def ratio_figure(
    name: str,
    ones: Sequence[float],
    others: Sequence[float],
    bar: float,
    *,
    at_least: bool = False,
    parts: Sequence[Part] = (),
) -> Figure:
    """Hold the other times over the ones, launch by launch, against a bar; note the medians."""
    estimate = paired_ratio(ones, others)
    note = " / ".join(format_seconds(float(np.median(each))) for each in (others, ones))
    return Figure(
        name,
        estimate.value,
        bar,
        "x",
        estimate.low,
        estimate.high,
        at_least=at_least,
        note=note,
        parts=parts,
    )
