# SPDX-License-Identifier: BSD-3-Clause
"""One estimate from several launches, whose differences belong to its uncertainty.

Results differ between invocations of mpiexec by more than the samples of one invocation let
expect (Hunold & Carpen-Amarie, TPDS 27(12), 2016): where pages lie, which cores and caches a rank
gets, which path a library picks at start-up. Samples pooled over launches would hide that: their
interval shrinks with the number of samples although the launches stay few. So the unit of
repetition is the launch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.median import CONFIDENCE, Rows, medians, places_of_pairs
from transrank.lab.stats.segments import Segments

Floats = NDArray[np.float64]

# Two groups of launches are named when the gap between them is at least this, relative, ...
LEAST_GAP = 0.05
# ... and this many times as wide as either group.
GAP_TO_GROUP = 2.0
# ... and each has at least this number and share of the launches: the cut of three
# launches that scatter leaves a wide gap beside a lone one more often than not.
LEAST_IN_GROUP = 2
LEAST_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Groups:
    """Launches that fall into two groups: (median, number of launches) of each."""

    fast: tuple[float, int]
    slow: tuple[float, int]

    @property
    def gap(self) -> float:
        """By how much the slow group is slower, relative to the fast one."""
        return self.slow[0] / self.fast[0] - 1


# Fewer launches than this give no interval: two leave one degree of freedom, with an interval of
# several factors, and one says nothing about the spread.
LEAST_LAUNCHES = 3


def mean_over(values: Sequence[float]) -> Estimate | None:
    """The mean of one value per launch and its t interval; None with fewer than LEAST_LAUNCHES.

    For differences and shares, which may be negative.
    """
    if len(values) < LEAST_LAUNCHES:
        return None
    mean = float(np.mean(values))
    error = float(np.std(values, ddof=1)) / len(values) ** 0.5 * t_quantile(len(values) - 1)
    return Estimate(mean, mean - error, mean + error)


def combine(launches: Sequence[Estimate]) -> Estimate:
    """The estimate of a case from its estimates in single launches.

    The value is the Hodges-Lehmann estimate of the logarithms of the launches' values: the median
    of the means of all pairs of launches, a launch with itself among them. Up to 29 % of the
    launches may go astray without moving it far, and where launches fall into two groups it moves
    with their shares instead of jumping from one to the other. The interval is that of Wilcoxon's
    signed-rank test, between order statistics of the same means: it knows of no distribution but
    that the launches scatter alike to both sides, and one that went astray does not widen it. That
    needs six launches; three to five have Student's t on the logarithms, around the same value.

    Either is never narrower than what the launches' own intervals imply: a few launches may agree
    by chance better than their samples allow, and a coarse clock may make them identical.

    Fewer than LEAST_LAUNCHES launches have no interval. Values that are not positive have no
    logarithm: then the extremes are the interval, and the median is the value.

    Source: Hodges & Lehmann, Ann. Math. Stat. 34 (1963); log-normal times, Hoefler & Belli, SC'15,
    rules 5 and 6; the launch as repetition, Hunold & Carpen-Amarie, TPDS 2016.
    tests/python/lab/stats/test_launches.py simulates what this covers, and that pooled samples do
    not.

    Considered: the median with Student's t, whose interval belongs to the mean, so that of 24
    launches of skewed or two-fold times it holds another survey's value in 50 to 78 % instead of
    83; variances shared between sizes, which cover 92 % because a launch is fast or slow at all
    sizes alike; launches weighted by their own precision, which gain nothing.
    """
    if not launches:
        raise ValueError("no launches to combine")
    found = combine_each([launches])[0]
    assert found is not None
    return found


def combine_each(cases: Sequence[Sequence[Estimate]]) -> list[Estimate | None]:
    """The estimates of many cases, as `combine` makes them; None of a case without launches."""
    flat = np.array(
        [(each.value, each.low, each.high) for launches in cases for each in launches],
        dtype=np.float64,
    ).reshape(-1, 3)
    found = Segments(map(len, cases)).each(_combined, *flat.T)
    return [
        None
        if each is None
        else Estimate(*each)
        if len(launches) >= LEAST_LAUNCHES
        else Estimate(each[0])
        for each, launches in zip(found, cases, strict=True)
    ]


def _combined(values: Rows, low: Rows, high: Rows) -> Rows:
    """Of each row of launches the value and the ends of its interval."""
    count = values.shape[1]
    positive = values.min(axis=1) > 0
    safe = np.where(positive[:, None], values, 1.0)
    logs = np.log(safe / safe[:, :1])  # a lone value comes back to the last bit
    first, second = places_of_pairs(count)
    pairs = np.sort(np.concatenate([logs, (logs[:, first] + logs[:, second]) / 2], axis=1), axis=1)
    center = medians(pairs)
    ends = center, center
    if count >= LEAST_LAUNCHES:
        ends = _ends(logs, pairs, center, _variance_within(low, high))
    found = values[:, :1] * np.exp(np.stack([center, *ends], axis=1))
    by_order = np.stack([medians(values), values.min(axis=1), values.max(axis=1)], axis=1)
    return np.where(positive[:, None], found, by_order)


def _ends(logs: Rows, pairs: Rows, center: Floats, within: Floats) -> tuple[Floats, Floats]:
    """Of each row the ends of the interval of the center."""
    count = logs.shape[1]
    place = _signed_rank_place(count)
    if place is None:
        half = t_quantile(count - 1) * logs.std(axis=1, ddof=1) / np.sqrt(count)
        low, high = center - half, center + half
    else:
        low, high = pairs[:, place], pairs[:, -1 - place]
    least = t_quantile(count - 1) * np.sqrt(within / count)
    return np.minimum(low, center - least), np.maximum(high, center + least)


@cache
def _signed_rank_place(count: int) -> int | None:
    """Which of the ordered means of pairs is the lower end of a 95 % interval; None: none is.

    The distribution of the signed-rank statistic is exact: each rank is in the sum or is not.
    """
    share = np.ones(1)
    for rank in range(1, count + 1):
        share = np.concatenate([share, np.zeros(rank)]) + np.concatenate([np.zeros(rank), share])
        share /= 2
    below = int(np.searchsorted(np.cumsum(share), (1 - CONFIDENCE) / 2, side="right"))
    return below - 1 if below > 0 else None


def mean_variance(estimate: Estimate, launches: int) -> float:
    """Variance of the logarithm of a combined estimate, from its interval and its launches."""
    assert estimate.low is not None
    assert estimate.high is not None
    return float((np.log(estimate.high / estimate.low) / (2 * t_quantile(launches - 1))) ** 2)


@cache
def t_quantile(degrees_of_freedom: float) -> float:
    """The half width of a 95 % interval in standard errors."""
    return float(special.stdtrit(degrees_of_freedom, (1 + CONFIDENCE) / 2))


def _variance_within(low: Rows, high: Rows) -> Floats:
    """Mean squared standard error of each row's logarithms, by the widths of the intervals."""
    known = low > 0  # not NaN
    widths = np.log(np.where(known, high, 1.0) / np.where(known, low, 1.0))
    normal = 2 * float(special.ndtri((1 + CONFIDENCE) / 2))
    mean: Floats = np.square(widths).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return mean / normal**2


def find_groups(launches: Sequence[Estimate]) -> Groups | None:
    """Two groups of launches, where a gap separates them that neither group nor its samples bridge.

    The launches are cut at the largest gap between neighbors in the order of their values. The cut
    counts when the gap is at least LEAST_GAP, GAP_TO_GROUP times as wide as the wider group, and
    free of the launches' own intervals, and each group has at least LEAST_IN_GROUP launches and
    LEAST_SHARE of all: a lone one is astray.
    """
    if len(launches) < 2 * LEAST_IN_GROUP or min(launch.value for launch in launches) <= 0:
        return None
    ordered = sorted(launches, key=lambda launch: launch.value)
    logs = np.log([launch.value for launch in ordered])
    cut = int(np.argmax(np.diff(logs))) + 1
    gap = logs[cut] - logs[cut - 1]
    widest = max(logs[cut - 1] - logs[0], logs[-1] - logs[cut])
    if gap < np.log1p(LEAST_GAP) or gap < GAP_TO_GROUP * widest:
        return None
    if min(cut, len(ordered) - cut) < max(LEAST_IN_GROUP, LEAST_SHARE * len(ordered)):
        return None
    if _highest(ordered[:cut]) >= _lowest(ordered[cut:]):
        return None
    return Groups(_group(np.exp(logs[:cut])), _group(np.exp(logs[cut:])))


def _highest(group: Sequence[Estimate]) -> float:
    return max(launch.value if launch.high is None else launch.high for launch in group)


def _lowest(group: Sequence[Estimate]) -> float:
    return min(launch.value if launch.low is None else launch.low for launch in group)


def _group(values: NDArray[np.float64]) -> tuple[float, int]:
    return float(np.median(values)), values.size
