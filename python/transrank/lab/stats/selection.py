# SPDX-License-Identifier: BSD-3-Clause
"""Which samples of a case count.

One rule applies to each case separately: a sample counts if no flag disqualifies it and its round
was measured with the cores in the state of the run. If that leaves too few launches, the rule is
relaxed for the whole case, step by step, and the case says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transrank.lab.stats.cores import CoreState
from transrank.lab.stats.launches import LEAST_LAUNCHES
from transrank.lab.store.lines import DISTURBED, LATE, STOLEN, WARM_UP, Samples

# A launch with fewer samples that count has no meaningful median ...
LEAST_SAMPLES = 3
# ... nor has one with a smaller share of them: if ranks share cores all the time, the few
# undisturbed samples are not representative.
LEAST_SHARE = 0.05

# If cores were slower for a larger share of the undisturbed samples, that is usual here: the rest
# is of few launches, and differs more from run to run.
MOST_SLOWED = 0.5

# The requirements on samples that count, the strictest first.
BASES = ("clean", "any speed", "any cores", "all")

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The samples of a case that count: a mask for each launch, empty if the launch does not.

    Attributes
    ----------
    counted
        for each launch a mask over all of its samples.
    taken
        samples after warm-up, all launches.
    basis
        of BASES: `clean`, undisturbed and in the state of the run's cores; `any speed`,
        undisturbed, with the cores at that distance; `any cores`, undisturbed, with the cores in
        any state; `all` except warm-up.
    """

    counted: tuple[Mask, ...]
    taken: int
    basis: str

    @property
    def kept(self) -> float:
        """The share of the samples after warm-up that count."""
        return _count(self.counted) / self.taken if self.taken else 0.0


def select(
    launches: Sequence[Samples], state: CoreState | None = None, strictest: str = BASES[0]
) -> Selection:
    """Choose the samples of a case, launch by launch; `strictest` is the first basis to try.

    Warm-up never counts, unless there is nothing else. Samples during which a rank lost its core, a
    hypervisor took time, or a rank started late do not count, nor do those of rounds in another
    state of the cores. A launch with too few samples that count is left out. If fewer than
    LEAST_LAUNCHES launches are left (or fewer than all, if there are fewer), or if cores were
    slower for most of the samples, their speed is ignored; then their distance; and if that does
    not help either, all samples count.
    """
    after = [after_warm_up(samples.flags) for samples in launches]
    undisturbed = [
        mask & ((samples.flags & (DISTURBED | STOLEN | LATE)) == 0)
        for mask, samples in zip(after, launches, strict=True)
    ]
    in_state, at_distance = (
        [mask & of.met_in(samples) for mask, samples in zip(undisturbed, launches, strict=True)]
        for of in (state or CoreState(), CoreState(state.latency_seconds if state else None))
    )
    is_usual = _count(in_state) >= (1 - MOST_SLOWED) * _count(at_distance)
    taken = _count(after)
    for basis, masks in zip(BASES, (in_state, at_distance, undisturbed), strict=False):
        if BASES.index(basis) < BASES.index(strictest) or (masks is in_state and not is_usual):
            continue
        enough = [_is_enough(mask, of) for mask, of in zip(masks, after, strict=True)]
        if sum(enough) >= min(LEAST_LAUNCHES, len(launches)):
            counted = (mask & few for mask, few in zip(masks, enough, strict=True))
            return Selection(tuple(counted), taken, basis)
    return Selection(tuple(after), taken, BASES[-1])


def _count(masks: Sequence[Mask]) -> int:
    return sum(int(np.count_nonzero(mask)) for mask in masks)


def _is_enough(mask: Mask, of: Mask) -> bool:
    count, total = int(np.count_nonzero(mask)), int(np.count_nonzero(of))
    return count >= max(min(LEAST_SAMPLES, total), LEAST_SHARE * total)


def after_warm_up(flags: NDArray[np.int64]) -> Mask:
    """Which samples are not warm-up; all if there are no others."""
    mask = (flags & WARM_UP) == 0
    return mask if mask.any() else np.ones_like(mask)
