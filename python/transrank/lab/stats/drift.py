# SPDX-License-Identifier: BSD-3-Clause
"""Trends: whether a case becomes slower or faster from round to round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy import special

from transrank.lab.stats.median import median, medians, places_of_pairs
from transrank.lab.stats.segments import Segments, joined

Rounds = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Drift:
    """A trend over rounds: its two-sided p-value and its size from first to last round."""

    p_value: float
    change: float


def round_medians(
    seconds: NDArray[np.float64], used: NDArray[np.bool_], rounds: Sequence[NDArray[np.int64]]
) -> list[Rounds]:
    """The medians of the used samples of each round, launch by launch, in order.

    `rounds` has the number of samples of each round of each launch; rounds of which no sample is
    used are left out.
    """
    used_of = Segments(Segments(joined(rounds, np.int64)).sums(used))
    known = used_of.lengths > 0
    found = np.array(used_of.each(medians, seconds[used]), dtype=np.float64)
    return Segments(Segments(map(len, rounds)).sums(known)).parts(found[known])


def find_drifts(cases: Sequence[Sequence[Rounds]]) -> list[Drift | None]:
    """The trend that the launches of each case have in common.

    Mann-Kendall's statistic counts the pairs of rounds that rise less those that fall; those of
    the launches are added, and so are their variances, since launches are independent (the
    seasonal test of Hirsch, Slack & Smith, Water Resources Research 18, 1982; variance corrected
    for ties). The size is the median over launches of Theil-Sen's slope, times the rounds.

    It is None where no launch has four rounds: the shortest series that can say anything.
    """
    series = [
        [np.log(rounds) for rounds in launches if rounds.size >= 4 and rounds.min() > 0]
        for launches in cases
    ]
    flat = [values for launches in series for values in launches]
    trends = iter(Segments(map(len, flat)).each(_trends, joined(flat)))
    return [_drift(list(islice(trends, len(launches)))) for launches in series]


def _drift(trends: Sequence[Sequence[float]]) -> Drift | None:
    if not trends:
        return None
    scores, variances, changes = zip(*trends, strict=True)
    change = float(np.expm1(median(np.array(changes))))
    if sum(variances) == 0:
        return Drift(1.0, change)
    # One less for continuity: the score moves in steps of two.
    deviation = max(abs(sum(scores)) - 1, 0) / np.sqrt(sum(variances))
    return Drift(float(2 * special.ndtr(-deviation)), change)


def _trends(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each row Mann-Kendall's score, its variance, and the change by Theil-Sen's slope."""
    first, second = places_of_pairs(rows.shape[1])
    rises = rows[:, second] - rows[:, first]
    variances = [_score_variance(row) for row in rows]
    changes = medians(rises / (second - first)) * (rows.shape[1] - 1)
    return np.stack([np.sign(rises).sum(axis=1), variances, changes], axis=1)


def _score_variance(values: Rounds) -> float:
    def term(n: int) -> int:
        return n * (n - 1) * (2 * n + 5)

    ties = Counter(values.tolist()).values()
    return (term(values.size) - sum(map(term, ties))) / 18
