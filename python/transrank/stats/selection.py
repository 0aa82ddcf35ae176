# SPDX-License-Identifier: BSD-3-Clause
"""Which samples of a launch enter a headline figure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transrank.store.lines import DISTURBED, GAP, LATE, WARM_UP, Samples

# As many as an order-statistic interval needs; the runner's stopping rule uses the same number.
LEAST_CLEAN = 6


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The samples that count, as a mask over all of them.

    Warm-up never counts, unless there is nothing else. Samples with a lost core, a gap in the
    clock or a late start count only when fewer than LEAST_CLEAN are without: `all_used` says so.
    """

    used: NDArray[np.bool_]
    taken: int
    clean: int
    all_used: bool

    @property
    def kept(self) -> float:
        """Share of the samples after warm-up that no flag disqualifies."""
        return self.clean / self.taken if self.taken else 0.0


def select(samples: Samples) -> Selection:
    """Apply the rule above to one case of one launch."""
    after_warm_up = (samples.flags & WARM_UP) == 0
    if not after_warm_up.any():
        after_warm_up = np.ones_like(after_warm_up)
    clean = after_warm_up & ((samples.flags & (DISTURBED | GAP | LATE)) == 0)
    few = int(clean.sum()) < LEAST_CLEAN
    some_flagged = int(clean.sum()) < int(after_warm_up.sum())
    return Selection(
        used=after_warm_up if few else clean,
        taken=int(after_warm_up.sum()),
        clean=int(clean.sum()),
        all_used=few and some_flagged,
    )
