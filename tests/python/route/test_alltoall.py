# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest

from python.route.serial import deliver
from transrank import _core


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("units", [0, 1, 3])
def test_alltoall_is_a_transposition_of_blocks(ranks: int, units: int) -> None:
    routes = [_core.alltoall(rank, ranks, units) for rank in range(ranks)]
    sources = [100 * rank + np.arange(ranks * units) for rank in range(ranks)]
    for rank, array in enumerate(deliver(routes, sources)):
        blocks = [source[rank * units : (rank + 1) * units] for source in sources]
        np.testing.assert_array_equal(array, np.concatenate(blocks))


def test_more_units_than_can_be_counted_are_refused() -> None:
    with pytest.raises(ValueError, match="blocks of 4611686018427387904 units for 2 ranks"):
        _core.alltoall(0, 2, 2**62)
