# SPDX-License-Identifier: BSD-3-Clause
"""The median of independent samples and its distribution-free interval."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from transrank.lab.stats.estimate import Estimate

CONFIDENCE = 0.95

Rows = NDArray[np.float64]


def median_interval(values: NDArray[np.float64]) -> Estimate:
    """The median of `values` and its order-statistic interval.

    The k-th smallest and the k-th largest value enclose the median of the distribution, whatever
    its shape, with probability 1 - 2 P(B < k), where B is binomial(n, 1/2); k is the largest that
    leaves at least 95 %. Exact for continuous distributions, conservative where values repeat.
    Below six values no k does: then the extremes are the interval, at 1 - 2^(1-n), and a single
    value has none.

    Source: David & Nagaraja, Order Statistics, 3rd ed., section 7.1; Hoefler & Belli, SC'15.

    Raises ValueError: when `values` is empty.
    """
    if values.size == 0:
        raise ValueError("no values: their median does not exist")
    return as_estimate(median_intervals(values[None])[0].tolist(), values.size)


def median_intervals(rows: Rows) -> Rows:
    """Of each row the median and the ends of its interval, as `median_interval` has them."""
    ordered = np.sort(rows, axis=1)
    place = max(interval_place(rows.shape[1]), 1)
    return np.stack([_middle(ordered), ordered[:, place - 1], ordered[:, -place]], axis=1)


def as_estimate(ends: Sequence[float], samples: int) -> Estimate:
    """A row of `median_intervals`; a single sample has no interval."""
    return Estimate(*ends) if samples > 1 else Estimate(ends[0])


def median(values: NDArray[np.float64]) -> float:
    """The median; several times faster than NumPy's on the short arrays that rounds are."""
    return float(medians(values[None])[0])


def medians(rows: Rows) -> NDArray[np.float64]:
    """The median of each row."""
    return _middle(np.sort(rows, axis=1))


def quantiles(ordered: Rows, share: float) -> NDArray[np.float64]:
    """A quantile of each row, linear between neighbors, as NumPy's; the rows are sorted."""
    last = ordered.shape[1] - 1
    place = share * last
    low = int(place)
    below, above = ordered[:, low], ordered[:, min(low + 1, last)]
    found: NDArray[np.float64] = below + (place - low) * (above - below)
    return found


@cache
def places_of_pairs(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first and the second places of all pairs of `count` values, two different ones each."""
    first, second = np.triu_indices(count, k=1)
    return first, second


def _middle(ordered: Rows) -> NDArray[np.float64]:
    last = ordered.shape[1] - 1
    found: NDArray[np.float64] = (ordered[:, last // 2] + ordered[:, (last + 1) // 2]) / 2
    return found


@cache
def interval_place(count: int) -> int:
    """The k of the order-statistic interval of `count` values; 0 where none covers 95 %."""
    tail = (1 - CONFIDENCE) / 2
    # The largest k with P(B <= k - 1) <= tail. bdtrik inverts the distribution function; rounding
    # may put an exact hit one off, hence the two checks.
    place = int(special.bdtrik(tail, count, 0.5)) + 1 if count >= 6 else 0
    while place > 0 and special.bdtr(place - 1, count, 0.5) > tail:
        place -= 1
    while place > 0 and special.bdtr(place, count, 0.5) <= tail:
        place += 1
    return place
