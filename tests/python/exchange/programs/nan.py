# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3
"""Min and max keep a NaN of the owner and of a ghost, as NumPy's minimum and maximum do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import transrank
from python.spmd import WORLD, main

OWNED = np.array([np.nan, 1, 5, np.nan, 0.0])
GHOSTS = np.array([5, np.nan, 1, np.nan, -0.0])


def combined(operation: str, dtype: str, transport: str) -> NDArray[np.float64]:
    """What the owned rows become, each of which is a ghost on the next rank."""
    rows = len(OWNED)
    numbering = transrank.Numbering(WORLD, rows)
    wanted = rows * ((WORLD.rank + 1) % WORLD.size) + np.arange(rows)
    to_ghosts = transrank.route.ghost_pull(WORLD, numbering, wanted, begin=rows)
    array = transrank.zeros(2 * rows, dtype)
    array[:] = np.concatenate([OWNED, GHOSTS])
    with transrank.Exchange(
        to_ghosts.transposed(), WORLD, array, operation, transport=transport
    ) as update:
        update.run()
    return array[:rows].copy()


def test_min_and_max_keep_nan_from_either_side() -> None:
    for operation, expected in (("min", np.minimum), ("max", np.maximum)):
        for dtype in ("f4", "f8"):
            for transport in ("auto", "message", "shared-staged"):
                found = combined(operation, dtype, transport)
                np.testing.assert_array_equal(found, expected(OWNED, GHOSTS))
                # Of two zeros the owner's stays.
                assert not np.signbit(found[-1])


main(globals())
