# SPDX-License-Identifier: BSD-3-Clause
"""Which samples of a case enter its headline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transrank.store.lines import DISTURBED, GAP, LATE, WARM_UP, Samples

# As many as an order-statistic interval needs.
LEAST_CLEAN = 6


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The samples of one launch that count, as a mask over all of them.

    Attributes
    ----------
    used
        none of them where every sample of the launch was disturbed.
    taken, clean
        samples after warm-up, and those of them that no flag disqualifies.
    """

    used: NDArray[np.bool_]
    taken: int
    clean: int

    @property
    def any_used(self) -> bool:
        return bool(self.used.any())


def select(launches: Sequence[Samples]) -> tuple[list[Selection], bool]:
    """Choose the samples of a case, launch by launch.

    Warm-up never counts, unless there is nothing else. Samples with a lost core, a gap in the
    clock or a late start do not count either: a launch that has no other samples is left out,
    because a disturbed median is wrong by factors where few clean samples are wrong by percents.
    Only when all launches together have fewer than LEAST_CLEAN clean samples all of them count,
    and the second value is True.
    """
    after = [_after_warm_up(samples.flags) for samples in launches]
    clean = [
        counts & ((samples.flags & (DISTURBED | GAP | LATE)) == 0)
        for counts, samples in zip(after, launches, strict=True)
    ]
    enough = sum(int(mask.sum()) for mask in clean) >= LEAST_CLEAN
    disturbed = sum(int(mask.sum()) for mask in after) > sum(int(mask.sum()) for mask in clean)
    selections = [
        Selection(undisturbed if enough else counts, int(counts.sum()), int(undisturbed.sum()))
        for counts, undisturbed in zip(after, clean, strict=True)
    ]
    return selections, disturbed and not enough


def _after_warm_up(flags: NDArray[np.int64]) -> NDArray[np.bool_]:
    mask = (flags & WARM_UP) == 0
    return mask if mask.any() else np.ones_like(mask)
