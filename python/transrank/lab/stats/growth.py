# SPDX-License-Identifier: BSD-3-Clause
"""How fast times grow along an axis: the exponent of a power law."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.median import CONFIDENCE


def exponent_of(points: Sequence[tuple[float, float]]) -> Estimate:
    """The slope of the logarithm of the times over that of the numbers, and its 95 % interval.

    Points are (number, time), both positive. A least-squares line; the interval is Student's t of
    its residuals, so it also shows how far the times are from a power law.

    Raises ValueError: for fewer than three points.
    """
    if len(points) < 3:
        raise ValueError(
            f"{len(points)} points give no exponent with an interval; give at least three"
        )
    from scipy import stats  # a second to load

    numbers, times = np.log(np.array(points)).T
    line = stats.linregress(numbers, times)
    quantile = stats.t.ppf((1 + CONFIDENCE) / 2, len(points) - 2)
    error = float(quantile * line.stderr)
    slope = float(line.slope)
    return Estimate(slope, slope - error, slope + error)


def is_telling(found: Estimate) -> bool:
    """Whether the interval tells a constant time from one in proportion."""
    return found.low is not None and found.high is not None and found.high - found.low < 1


def exponent_text(found: Estimate) -> str:
    """`0.37 (95 % interval 0.02 to 0.71)`: what is nearly nothing has no sign."""
    assert found.low is not None
    assert found.high is not None
    value, low, high = (
        f"{round(each, 2) + 0.0:.2f}" for each in (found.value, found.low, found.high)
    )
    return f"{value} (95 % interval {low} to {high})"
