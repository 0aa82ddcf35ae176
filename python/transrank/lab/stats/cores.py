# SPDX-License-Identifier: BSD-3-Clause
"""The state of the cores that a run is of: how far apart they are, and how fast they run.

A hypervisor moves virtual CPUs between the cores of its host, and all that crosses between ranks
then takes up to ten times as long; somebody else on the other thread of a core slows all that its
rank does. After each round of a case the runner measures both by themselves: a cache line between
the cores of the first two ranks of a node, and a fixed piece of work on every core. The driver
writes into the record which state was the commonest, and a round counts when it was measured in
that state. On a machine whose cores neither move nor slow down every round is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transrank.lab.stats.median import median
from transrank.lab.store.lines import Samples, Shape
from transrank.lab.store.records import Case, Run
from transrank.lab.units import format_seconds

# Cores are as far apart as the run's when a cache line takes so many times as long at most, or at
# least the inverse of it.
MOVED = 1.25
# Cores are slowed when the work takes so many times as long: frequencies change by some percent all
# the time, and somebody on the other thread takes a fifth or more.
SLOWED = 1.08
# The fastest rounds, this share of all, say what the work takes when nothing slows it.
FAST_SHARE = 0.1
# A distance that is known is kept until another has so many times as many rounds: what was measured
# at it would be lost, and between two that are about as common the choice would come and go.
OVERTAKEN = 2.0

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CoreState:
    """Seconds of a cache line, one way, and of the fixed work; None where it was not measured."""

    latency_seconds: float | None = None
    work_seconds: float | None = None

    def __str__(self) -> str:
        parts = []
        if self.latency_seconds is not None:
            parts.append(f"{format_seconds(self.latency_seconds)} apart")
        if self.work_seconds is not None:
            parts.append(f"fixed work in {format_seconds(self.work_seconds)}")
        return ", ".join(parts) or "unknown"

    def at_distance(self, latencies: Floats) -> Mask:
        """Which of the rounds found the cores this far apart; none that was not answered."""
        if self.latency_seconds is None:
            return np.ones(latencies.size, dtype=bool)
        least, most, _ = self.bounds()
        return (least <= latencies) & (latencies <= most)

    def at_speed(self, works: Floats) -> Mask:
        """Which of the rounds found the cores this fast, or faster."""
        return works <= self.bounds()[2]

    def bounds(self) -> tuple[float, float, float]:
        """Least and most latency, most work of a round of this state, in seconds."""
        least, most, work = 0.0, np.inf, np.inf
        if self.latency_seconds is not None:
            least, most = self.latency_seconds / MOVED, self.latency_seconds * MOVED
        if self.work_seconds is not None:
            work = SLOWED * self.work_seconds
        return least, most, work

    def met_in(self, samples: Samples) -> Mask:
        """Which samples were taken in rounds of this state."""
        met = np.ones(samples.rounds.size, dtype=bool)
        if samples.core_latency_seconds is not None:
            met &= self.at_distance(samples.core_latency_seconds)
        if samples.core_work_seconds is not None:
            met &= self.at_speed(samples.core_work_seconds)
        return np.repeat(met, samples.rounds)

    def like(self, other: CoreState) -> bool:
        """Whether measurements in the two states compare; what one does not know is no obstacle."""
        return self.as_fast_as(other) and _within(
            MOVED, self.latency_seconds, other.latency_seconds
        )

    def as_fast_as(self, other: CoreState) -> bool:
        """Whether the cores of the two states do the same work in the same time."""
        return _within(SLOWED, self.work_seconds, other.work_seconds)


def _within(factor: float, one: float | None, other: float | None) -> bool:
    return one is None or other is None or max(one, other) <= factor * min(one, other)


def states_of(run: Run) -> dict[Shape, CoreState]:
    """Return the state that the record names for each shape: the last word counts."""
    return {
        event.shape: CoreState(event.latency_seconds, event.work_seconds)
        for event in run.events
        if event.event == "cores" and event.shape is not None
    }


def commonest_state(cases: Iterable[Case], known: CoreState | None = None) -> CoreState:
    """Return the state in which most rounds of `cases` were measured, by the probes alone.

    One that is `known` stays until another has OVERTAKEN times as many rounds.
    """
    sampled = [case.samples for case in cases if case.samples is not None]
    latencies = _joined([samples.core_latency_seconds for samples in sampled])
    answered = latencies[latencies > 0]
    distance = CoreState(commonest_distance(answered))
    if known is not None and known.latency_seconds is not None:
        kept = answered[known.at_distance(answered)]
        if kept.size and OVERTAKEN * kept.size >= distance.at_distance(answered).sum():
            distance = CoreState(median(kept))
    works = _joined(
        [
            samples.core_work_seconds
            if samples.core_latency_seconds is None or samples.core_work_seconds is None
            else samples.core_work_seconds[distance.at_distance(samples.core_latency_seconds)]
            for samples in sampled
        ]
    )
    fast = float(np.quantile(works, FAST_SHARE)) if works.size else None
    return CoreState(distance.latency_seconds, fast)


def _joined(rounds: Iterable[Floats | None]) -> Floats:
    known = [each for each in rounds if each is not None]
    return np.concatenate(known) if known else np.empty(0)


def commonest_distance(seconds: Floats) -> float | None:
    """Return the median of the values within a factor MOVED of each other, where most are."""
    if not seconds.size:
        return None
    ordered = np.sort(seconds)
    ends = np.searchsorted(ordered, MOVED * ordered, side="right")
    begin = int(np.argmax(ends - np.arange(ordered.size)))
    return median(ordered[begin : ends[begin]])


@dataclass(frozen=True, slots=True)
class OtherRounds:
    """Shares of a shape's rounds in other states, and how far apart the cores were in those."""

    moved: float
    slowed: float
    nearest_seconds: float | None = None
    farthest_seconds: float | None = None


def other_rounds(cases: Iterable[Case], state: CoreState) -> OtherRounds:
    """Return how often the cores were not in the state of the run."""
    sampled = [case.samples for case in cases if case.samples is not None]
    latencies = _joined([samples.core_latency_seconds for samples in sampled])
    works = _joined([samples.core_work_seconds for samples in sampled])
    answered = latencies[latencies > 0]
    away = answered[~state.at_distance(answered)]
    return OtherRounds(
        moved=away.size / answered.size if answered.size else 0.0,
        slowed=float((~state.at_speed(works)).mean()) if works.size else 0.0,
        nearest_seconds=float(away.min()) if away.size else None,
        farthest_seconds=float(away.max()) if away.size else None,
    )
