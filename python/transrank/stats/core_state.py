# SPDX-License-Identifier: BSD-3-Clause
"""The state of the cores while a run was measured, for each shape: how far apart, how fast."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transrank.stats.core_distance import CoreLatency, core_latency
from transrank.stats.core_speed import CoreSpeed, core_speed
from transrank.store.lines import Samples, Shape
from transrank.store.records import Case

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CoreState:
    """How far apart the cores were, and, where they were so, how fast; None: not measured."""

    latency: CoreLatency | None
    speed: CoreSpeed | None

    def facts(self) -> dict[str, float]:
        """Return what the values stand beside, by its name, in seconds."""
        found = {}
        if self.latency is not None:
            found["a cache line between the first two ranks' cores"] = self.latency.usual.median
        if self.speed is not None:
            found["a fixed piece of work on the slowest core"] = self.speed.fast
        return found

    def disqualified(self, launches: Sequence[Samples]) -> list[list[Mask]]:
        """Which samples the cores disqualify, launch by launch; first by all, then by distance."""
        nothing = [np.zeros(samples.seconds.size, dtype=bool) for samples in launches]
        elsewhere, slowed = nothing, nothing
        if self.latency is not None:
            elsewhere = [self.latency.elsewhere(samples) for samples in launches]
        if self.speed is not None:
            slowed = [self.speed.slowed(samples) for samples in launches]
        return [[away | slow for away, slow in zip(elsewhere, slowed, strict=True)], elsewhere]


def core_states(cases: Iterable[Case]) -> dict[Shape, CoreState]:
    """Return the state of the cores beside the `cases` of each shape."""
    by_shape: dict[Shape, list[Case]] = defaultdict(list)
    for case in cases:
        by_shape[case.shape].append(case)
    return {shape: _core_state(members) for shape, members in by_shape.items()}


def _core_state(cases: Sequence[Case]) -> CoreState:
    latency = core_latency(cases)
    by_case: dict[str, list[Floats]] = defaultdict(list)
    for case in cases:
        if case.samples is not None and case.samples.core_work_seconds is not None:
            by_case[case.case].append(_work_at_usual(case.samples, latency))
    return CoreState(latency, core_speed(list(by_case.values())))


def _work_at_usual(samples: Samples, latency: CoreLatency | None) -> Floats:
    """What the work took in the rounds with the cores at their usual distance."""
    assert samples.core_work_seconds is not None
    cores = samples.core_latency_seconds
    if latency is None or not latency.several or cores is None:
        return samples.core_work_seconds
    return samples.core_work_seconds[latency.usual.holds(cores)]
