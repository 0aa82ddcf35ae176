# SPDX-License-Identifier: BSD-3-Clause
"""How fast the cores were while a run was measured: what a fixed piece of work took on the slowest.

All that a rank does becomes slower while its core runs at a lower frequency or somebody else uses
the other thread of the core: on a virtual machine a neighbor, of whom nothing else tells. Rounds
measured then are told by the work, and values are those of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transrank.stats.often import nearly_all_often
from transrank.store.lines import Samples

# The fastest rounds, this share of all, say what the work takes when nothing slows it ...
FAST_SHARE = 0.1
# ... and it is slowed where it takes this many times as long: frequencies change by some percent
# all the time, and somebody on the core's other thread takes a fifth or more.
SLOWED = 1.08

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CoreSpeed:
    """What the work took in the fastest rounds, in seconds, and the share of the slowed rounds.

    Attributes
    ----------
    counts
        whether slowed rounds are left out: where nearly all cases have others in several launches.
    """

    fast: float
    slowed_share: float
    counts: bool

    def slowed(self, samples: Samples) -> Mask:
        """Which samples slowed cores disqualify; none where the speed was not measured."""
        work = samples.core_work_seconds
        if work is None or not self.counts:
            return np.zeros(samples.seconds.size, dtype=bool)
        return np.repeat(_is_slowed(work, self.fast), samples.rounds)


def core_speed(cases: Sequence[Sequence[Floats]]) -> CoreSpeed | None:
    """Return how fast the cores were by what the work took in the rounds of each launch of `cases`.

    None where no round measured it.
    """
    rounds = [launch for launches in cases for launch in launches if launch.size]
    if not rounds:
        return None
    together = np.concatenate(rounds)
    fast = float(np.quantile(together, FAST_SHARE))
    undisturbed = [[~_is_slowed(launch, fast) for launch in launches] for launches in cases]
    return CoreSpeed(fast, float(_is_slowed(together, fast).mean()), nearly_all_often(undisturbed))


def _is_slowed(seconds: Floats, fast: float) -> Mask:
    return seconds > SLOWED * fast
