# SPDX-License-Identifier: BSD-3-Clause
"""Trends: whether a case becomes slower or faster from round to round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from transrank.lab.stats.median import median, places_of_pairs

Rounds = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Drift:
    """A trend over rounds: its two-sided p-value and its size from first to last round."""

    p_value: float
    change: float


def round_medians(
    seconds: NDArray[np.float64], used: NDArray[np.bool_], rounds: Sequence[int]
) -> Rounds:
    """The median of the used samples of each round, in order; rounds without any are left out."""
    medians = []
    begin = 0
    for count in rounds:
        part = slice(begin, begin + count)
        counted = seconds[part][used[part]]
        if counted.size:
            medians.append(median(counted))
        begin += count
    return np.array(medians)


def find_drift(launches: Sequence[Rounds]) -> Drift | None:
    """The trend that the launches of a case have in common.

    Mann-Kendall's statistic counts the pairs of rounds that rise less those that fall; those of
    the launches are added, and so are their variances, since launches are independent (the
    seasonal test of Hirsch, Slack & Smith, Water Resources Research 18, 1982; variance corrected
    for ties). The size is the median over launches of Theil-Sen's slope, times the rounds.

    Returns None where no launch has four rounds: the shortest series that can say anything.
    """
    series = [np.log(rounds) for rounds in launches if rounds.size >= 4 and rounds.min() > 0]
    if not series:
        return None
    score = sum(_score(values) for values in series)
    variance = sum(_score_variance(values) for values in series)
    change = median(np.array([_slope(values) * (values.size - 1) for values in series]))
    if variance == 0:
        return Drift(1.0, float(np.expm1(change)))
    # One less for continuity: the score moves in steps of two.
    deviation = max(abs(score) - 1, 0) / np.sqrt(variance)
    return Drift(float(2 * special.ndtr(-deviation)), float(np.expm1(change)))


def _score(values: Rounds) -> float:
    first, second = places_of_pairs(values.size)
    return float(np.sign(values[second] - values[first]).sum())


def _score_variance(values: Rounds) -> float:
    def term(n: int) -> int:
        return n * (n - 1) * (2 * n + 5)

    ties = Counter(values.tolist()).values()
    return (term(values.size) - sum(map(term, ties))) / 18


def _slope(values: Rounds) -> float:
    first, second = places_of_pairs(values.size)
    return median((values[second] - values[first]) / (second - first))
