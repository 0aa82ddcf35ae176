# SPDX-License-Identifier: BSD-3-Clause
"""How far apart the cores were while a run was measured: what a cache line took between them.

A hypervisor moves virtual CPUs between the cores of its host: from two threads of one core to cores
of different caches, by which a cache line takes ten times as long, and back within seconds. Then a
run measures several machines in turn, and how often it met each is chance. So the rounds are told
by the distance at which they were taken, and values are those of one distance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transrank.stats.median import median
from transrank.stats.often import nearly_all_often
from transrank.store.lines import Samples
from transrank.store.records import Case

# Distances that differ by less do not explain a difference worth speaking of.
LEAST_CHANGE = 0.05
# Logarithms of distances are counted in bins of this width. A bin with a smaller share of the
# rounds than LEAST_IN_BIN is a passing one, and two that are GAP_BINS apart are of two distances.
BIN = 0.1
LEAST_IN_BIN = 0.01
GAP_BINS = 3
# The nearest distance with this share of the rounds, which nearly all cases met often, is the usual
# one: it is found again, while the commonest of several changes from run to run.
USUAL_SHARE = 0.1

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Distance:
    """Rounds with the cores about equally far apart: seconds one way, and their share of all."""

    median: float
    low: float
    high: float
    share: float

    def holds(self, seconds: Floats) -> Mask:
        """Whether each of the latencies is of this distance; an unknown one (NaN) is of none."""
        return (seconds >= self.low) & (seconds < self.high)

    def samples(self, samples: Samples) -> Mask:
        """Which samples were taken in rounds of this distance; none where it was not measured."""
        cores = samples.core_latency_seconds
        if cores is None:
            return np.zeros(samples.seconds.size, dtype=bool)
        return np.repeat(self.holds(cores), samples.rounds)


@dataclass(frozen=True, slots=True)
class CoreLatency:
    """Seconds one way between the cores of rank 0 and the next rank of its node.

    Attributes
    ----------
    median, nearest, farthest
        over the launches' medians.
    distances
        the nearest first; together they have all rounds but passing ones.
    usual
        which of them the values are of.
    """

    median: float
    nearest: float
    farthest: float
    distances: tuple[Distance, ...]
    usual: Distance

    @property
    def changed(self) -> bool:
        """Whether launches, or rounds, found the cores differently far apart."""
        return self.several or self.farthest > (1 + LEAST_CHANGE) * self.nearest

    @property
    def several(self) -> bool:
        """Whether the rounds fall into several distances."""
        return len(self.distances) > 1

    def elsewhere(self, samples: Samples) -> Mask:
        """Which samples were taken at another distance than the usual one, or an unknown one."""
        if samples.core_latency_seconds is None or not self.several:
            return np.zeros(samples.seconds.size, dtype=bool)
        return ~self.usual.samples(samples)


def core_latency(cases: Iterable[Case]) -> CoreLatency | None:
    """Return how far apart the cores were beside `cases`; None where no launch has measured it."""
    by_case: dict[object, list[Floats]] = defaultdict(list)
    by_launch: dict[int, list[Floats]] = defaultdict(list)
    for case in cases:
        if case.samples is not None and case.samples.core_latency_seconds is not None:
            known = case.samples.core_latency_seconds[case.samples.core_latency_seconds > 0]
            if known.size:
                by_case[case.case, case.shape].append(known)
                by_launch[case.launch].append(known)
    if not by_launch:
        return None
    return _core_latency([np.concatenate(found) for found in by_launch.values()], by_case.values())


def distances_of(launches: Sequence[Floats]) -> CoreLatency:
    """Return how far apart the cores were by the seconds that each of `launches` found.

    Raises
    ------
    ValueError
        no launch, one without a value, or a value that is not positive.
    """
    if not launches or any(not (found.size and (found > 0).all()) for found in launches):
        raise ValueError("a distance between cores needs positive times from every launch")
    return _core_latency(launches, [launches])


def _core_latency(launches: Sequence[Floats], cases: Collection[Sequence[Floats]]) -> CoreLatency:
    medians = [median(found) for found in launches]
    distances = _distances(np.concatenate(launches))
    return CoreLatency(
        median(np.array(medians)),
        min(medians),
        max(medians),
        tuple(distances),
        _usual(distances, cases),
    )


def _usual(distances: Sequence[Distance], cases: Collection[Sequence[Floats]]) -> Distance:
    """The nearest that is not rare and that nearly all cases met often; else the commonest.

    Each of `cases` has the seconds that were found beside it, launch by launch.
    """
    for distance in distances:
        met = [[distance.holds(launch) for launch in launches] for launches in cases]
        if distance.share >= USUAL_SHARE and nearly_all_often(met):
            return distance
    return max(distances, key=lambda distance: distance.share)


def _distances(seconds: Floats) -> list[Distance]:
    bins = np.floor(np.log(seconds) / BIN)
    found, counts = np.unique(bins, return_counts=True)
    common = found[counts >= min(LEAST_IN_BIN * seconds.size, counts.max())]
    cuts = np.flatnonzero(np.diff(common) >= GAP_BINS) + 1
    distances = []
    for members in np.split(common, cuts):
        low, high = np.exp(BIN * (members[0] - 1)), np.exp(BIN * (members[-1] + 2))
        here = seconds[(seconds >= low) & (seconds < high)]
        distances.append(Distance(median(here), float(low), float(high), here.size / seconds.size))
    return distances
