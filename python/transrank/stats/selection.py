# SPDX-License-Identifier: BSD-3-Clause
"""Which samples of a case enter its headline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transrank.store.lines import DISTURBED, LATE, STOLEN, WARM_UP, Samples

# Fewer undisturbed samples of a case than this are no basis for a value ...
LEAST_CLEAN = 3
# ... nor is a smaller share than this: where ranks share cores all the time, the few samples that
# went undisturbed show a machine that nobody has.
LEAST_SHARE = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The samples of one launch that count, as a mask over all of them.

    Attributes
    ----------
    used
        none of them where every sample of the launch was disturbed.
    taken, clean
        samples after warm-up, and those of them that nothing disqualifies.
    unusual
        those of them that no flag disqualifies, but the state of the cores.
    """

    used: NDArray[np.bool_]
    taken: int
    clean: int
    unusual: int = 0

    @property
    def any_used(self) -> bool:
        return bool(self.used.any())


def select(
    launches: Sequence[Samples], disqualified: Sequence[Sequence[NDArray[np.bool_]]] = ()
) -> tuple[list[Selection], bool]:
    """Choose the samples of a case, launch by launch.

    Warm-up never counts, unless there is nothing else. Samples with a lost core, with time that a
    hypervisor took, or with a late start do not count either: a launch that has no other samples
    is left out, because a disturbed median is wrong by factors where few clean samples are wrong by
    percents.
    Neither do those that the state of the cores disqualifies: of the choices in `disqualified`,
    each a mask per launch, the first that leaves enough.
    Only when the clean samples of all launches together are fewer than LEAST_CLEAN, or than the
    share LEAST_SHARE, all samples count, and the second value is True.
    """
    after = [_after_warm_up(samples.flags) for samples in launches]
    undisturbed = [
        counts & ((samples.flags & (DISTURBED | STOLEN | LATE)) == 0)
        for counts, samples in zip(after, launches, strict=True)
    ]
    clean = undisturbed
    for choice in disqualified:
        usual = [mask & ~unusual for mask, unusual in zip(undisturbed, choice, strict=True)]
        if _enough(usual, undisturbed):
            clean = usual
            break
    enough = _enough(clean, after)
    selections = [
        Selection(
            best if enough else counts,
            int(counts.sum()),
            int(best.sum()),
            int(unflagged.sum() - best.sum()),
        )
        for counts, best, unflagged in zip(after, clean, undisturbed, strict=True)
    ]
    return selections, not enough


def _enough(chosen: Sequence[NDArray[np.bool_]], of: Sequence[NDArray[np.bool_]]) -> bool:
    """Whether the chosen samples of all launches are a basis for a value."""
    count, total = (sum(int(mask.sum()) for mask in masks) for masks in (chosen, of))
    return count == total or count >= max(LEAST_CLEAN, LEAST_SHARE * total)


def _after_warm_up(flags: NDArray[np.int64]) -> NDArray[np.bool_]:
    mask = (flags & WARM_UP) == 0
    return mask if mask.any() else np.ones_like(mask)
