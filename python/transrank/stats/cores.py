# SPDX-License-Identifier: BSD-3-Clause
"""How far apart the cores were while a run was measured: what a cache line took between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from transrank.stats.median import median
from transrank.store.records import Case

# Distances that differ by less do not explain a difference worth speaking of.
LEAST_CHANGE = 0.05


@dataclass(frozen=True, slots=True)
class CoreLatency:
    """Seconds one way between the cores of rank 0 and the next rank of its node, over launches."""

    median: float
    nearest: float
    farthest: float

    @property
    def changed(self) -> bool:
        """Whether launches found the cores differently far apart."""
        return self.farthest > (1 + LEAST_CHANGE) * self.nearest

    def differs(self, other: CoreLatency) -> bool:
        """Whether the cores were farther apart in one run than in the other."""
        ratio = self.median / other.median
        return max(ratio, 1 / ratio) > 1 + LEAST_CHANGE


def core_latency(cases: Iterable[Case]) -> CoreLatency | None:
    """Return how far apart the cores were beside `cases`; None where no launch has measured it."""
    by_launch: dict[int, list[float]] = defaultdict(list)
    for case in cases:
        if case.core_latency_seconds is not None:
            by_launch[case.launch].append(case.core_latency_seconds)
    if not by_launch:
        return None
    launches = [median(np.array(found)) for found in by_launch.values()]
    return CoreLatency(median(np.array(launches)), min(launches), max(launches))
