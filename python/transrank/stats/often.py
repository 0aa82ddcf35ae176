# SPDX-License-Identifier: BSD-3-Clause
"""Whether some of a run's rounds may stand for it: nearly all cases have such in several launches.

A value of one launch has no interval worth the name: what leaves that to many cases is no choice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

NEARLY_ALL = 0.9
LAUNCHES = 3


def nearly_all_often(cases: Sequence[Sequence[NDArray[np.bool_]]]) -> bool:
    """Whether NEARLY_ALL of the cases have a chosen round in LAUNCHES of theirs, or in all.

    Each of `cases` has a mask over its rounds for each of its launches.
    """
    enough = sum(
        sum(bool(launch.any()) for launch in launches) >= min(LAUNCHES, len(launches))
        for launches in cases
    )
    return enough >= NEARLY_ALL * len(cases)
