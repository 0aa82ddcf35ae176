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

import numpy as np
from numpy.typing import NDArray
from scipy import special

from transrank.stats.estimate import Estimate
from transrank.stats.median import CONFIDENCE

# Two groups of launches are named when the gap between them is at least this, relative, ...
LEAST_GAP = 0.05
# ... and this many times as wide as either group.
GAP_TO_GROUP = 2.0
# ... and each has at least so many launches, and at least this share of them: the cut of three
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


# Fewer launches than this have no interval: two leave one degree of freedom, by which the interval
# reaches over factors, and one says nothing of the next.
LEAST_LAUNCHES = 3


def combine(launches: Sequence[Estimate]) -> Estimate:
    """The estimate of a case from its estimates in single launches.

    The value is the median of the launches' values: one launch that went astray changes nothing.
    The interval is Student's t on the logarithms of the launches' values, around their mean, with
    k - 1 degrees of freedom. The variance is never taken smaller than what the launches' own
    intervals imply: a few launches may agree by chance better than their samples allow, and a
    coarse clock may make them identical. Where the launches fall into two groups the interval
    reaches over both, and it always contains the value.

    Fewer than LEAST_LAUNCHES launches have no interval. Values that are not positive have no
    logarithm: then the extremes are the interval.

    Source: log-normal times and t for few repetitions, Hoefler & Belli, SC'15, rules 5 and 6; the
    launch as repetition, Hunold & Carpen-Amarie, TPDS 2016. tests/python/stats/test_launches.py
    simulates what this covers, and that pooled samples do not.

    Considered on 40 launches each of MPICH and Open MPI beside a compiling machine, where this
    covers 96 to 98 %: variances shared between sizes (moderated t) halve the interval of three
    launches but cover 92 %, because a launch is fast or slow at all sizes alike; launches weighted
    by their own precision (Hartung-Knapp) gain nothing; the geometric mean as value agrees better
    between surveys by a tenth, and is off by factors once a launch goes astray.
    """
    if not launches:
        raise ValueError("no launches to combine")
    values = np.array([launch.value for launch in launches])
    value = float(np.median(values))
    if len(launches) < LEAST_LAUNCHES:
        return Estimate(value)
    if values.min() <= 0:
        return Estimate(value, float(values.min()), float(values.max()))
    logs = np.log(values)
    half = t_quantile(len(values) - 1) * float(np.sqrt(mean_variance(launches)))
    low, high = float(np.exp(logs.mean() - half)), float(np.exp(logs.mean() + half))
    groups = find_groups(launches)
    within = [value] if groups is None else [value, groups.fast[0], groups.slow[0]]
    return Estimate(value, min(low, *within), max(high, *within))


def mean_variance(launches: Sequence[Estimate]) -> float:
    """Variance of the mean of the launches' logarithms, at least what their intervals imply."""
    logs = np.log([launch.value for launch in launches])
    between = float(logs.var(ddof=1))
    return max(between, _variance_within(launches)) / len(launches)


def t_quantile(degrees_of_freedom: float) -> float:
    """How many standard errors a 95 % interval reaches to each side."""
    return float(special.stdtrit(degrees_of_freedom, (1 + CONFIDENCE) / 2))


def _variance_within(launches: Sequence[Estimate]) -> float:
    """Mean squared standard error of the launches' logarithms, by the width of their intervals."""
    widths = [
        np.log(launch.high / launch.low)
        for launch in launches
        if launch.low is not None and launch.high is not None and launch.low > 0
    ]
    if not widths:
        return 0.0
    normal = 2 * float(special.ndtri((1 + CONFIDENCE) / 2))
    return float(np.mean(np.square(widths))) / normal**2


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
