# SPDX-License-Identifier: BSD-3-Clause
"""The state of the cores in a run: how far apart they are, and how fast they run.

A hypervisor moves virtual CPUs between the cores of its host, and communication between ranks
then takes up to ten times as long; another process on the other thread of a core slows its rank.
After each round of a case the runner measures both effects alone: a cache line between the cores
of the first two ranks of a node, and a fixed amount of work on every core. The driver writes the
most common state into the record, and a round counts if it was measured in that state. On a machine
whose cores neither move nor slow down every round is.
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

# Cores are equally far apart if the times of a cache line differ by at most this factor.
MOVED = 1.25
# Cores are slowed if the work takes this factor longer. Undisturbed, it varies by a hundredth;
# another process on the other thread takes a fifth or more, a busier host some percent.
SLOWED = 1.04
# This share of the rounds, the fastest ones, gives the time of undisturbed work.
FAST_SHARE = 0.1
# A known distance is kept until another has this factor more rounds: its measurements would be
# lost, and between two equally common distances the choice would alternate.
OVERTAKEN = 2.0

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CoreState:
    """Seconds of a cache line, one way, and of the fixed work; None if not measured."""

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
        """Which rounds found the cores this far apart; a round without an answer did not."""
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
        """Whether measurements in the two states are comparable; unknown values match any."""
        return self.as_fast_as(other) and _within(
            MOVED, self.latency_seconds, other.latency_seconds
        )

    def as_fast_as(self, other: CoreState) -> bool:
        """Whether the cores of the two states do the same work in the same time."""
        return _within(SLOWED, self.work_seconds, other.work_seconds)


def _within(factor: float, one: float | None, other: float | None) -> bool:
    return one is None or other is None or max(one, other) <= factor * min(one, other)


def states_of(run: Run) -> dict[Shape, CoreState]:
    """Return the state that the record names for each shape: the last event counts."""
    return {
        event.shape: CoreState(event.latency_seconds, event.work_seconds)
        for event in run.events
        if event.event == "cores" and event.shape is not None
    }


def commonest_state(cases: Iterable[Case], known: CoreState | None = None) -> CoreState:
    """Return the state in which most rounds of `cases` were measured, by the probes alone.

    A `known` state stays until another has OVERTAKEN times as many rounds.
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
    """Return the median of the densest group of values within a factor MOVED of each other."""
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
    """Return the shares of rounds in which the cores were not in the state of the run."""
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
