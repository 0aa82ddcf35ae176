# SPDX-License-Identifier: BSD-3-Clause
# ranks: 2 3
"""Each collective call on one rank while the others make another one: an error that names both."""

import tempfile
from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest

import transrank
from python.spmd import WORLD, main
from transrank import route as routes

ROWS = 3
SIZE = WORLD.size


def calls(folder: str) -> dict[str, Callable[[], object]]:
    """Return every collective call of the library, by its public name."""
    even = transrank.Distribution.even(ROWS * SIZE, SIZE)
    grid = transrank.BlockGrid([even], halo=[(1, 1, True)])
    route = routes.ghost_pull(WORLD, even, [0])
    moved = transrank.Redistribution(WORLD, grid, grid)
    field = (np.zeros(moved.source_shape()), np.zeros(moved.destination_shape()))
    ghosts = transrank.ArrayTransformer(WORLD, transrank.zeros((ROWS, 2)))
    ghosts.create_global_mapping()
    ghosts.create_ghost_mapping([0])
    blocks = np.zeros(SIZE)
    once = [1] * SIZE
    return {
        "Exchange": lambda: transrank.Exchange(route, WORLD, (np.zeros(ROWS), np.zeros(1))),
        "Alltoall": lambda: transrank.Alltoall(WORLD, blocks),
        "alltoall": lambda: transrank.alltoall(WORLD, blocks),
        "Numbering": lambda: transrank.Numbering(WORLD, ROWS),
        "Redistribution": lambda: transrank.Redistribution(WORLD, grid, grid),
        "Redistribution.along": lambda: transrank.Redistribution.along(WORLD, route),
        "Redistribution.store": lambda: moved.store(field),
        "ArrayTransformer.create_global_mapping": ghosts.create_global_mapping,
        "ArrayTransformer.create_ghost_mapping": lambda: ghosts.create_ghost_mapping([0]),
        "ArrayTransformer.use_route": lambda: ghosts.use_route(route),
        "ArrayTransformer.fit_son": ghosts.fit_son,
        "ArrayTransformer.init_persistent_pull": ghosts.init_persistent_pull,
        "ArrayTransformer.init_persistent_push": lambda: ghosts.init_persistent_push("add"),
        "route.ghost_pull": lambda: routes.ghost_pull(WORLD, even, [0]),
        "route.ghost_push": lambda: routes.ghost_push(WORLD, even, [0], [0]),
        "route.lists": lambda: routes.lists(WORLD, [WORLD.rank], [0]),
        "route.halo": lambda: routes.halo(WORLD, grid),
        "route.redistribution": lambda: routes.redistribution(WORLD, grid, grid),
        "route.alltoall": lambda: routes.alltoall(WORLD, 1),
        "route.alltoallv": lambda: routes.alltoallv(WORLD, once, once),
        "route.save": lambda: routes.save(WORLD, route, folder),
        "route.load": lambda: routes.load(WORLD, folder),
    }


def test_ranks_in_different_calls_hear_which():
    folder = WORLD.bcast(tempfile.mkdtemp() if WORLD.rank == 0 else None)
    known = calls(folder)
    known["route.save"]()
    for first, other in permutations(known, 2):
        own = known[other if WORLD.rank == SIZE - 1 else first]
        with pytest.raises(transrank.AgreedError) as error:
            own()
        assert str(error.value) == (
            f"rank {SIZE - 1} calls {other}, rank 0 {first}: all ranks of the communicator must "
            "make the same calls in the same order"
        )
    for call in known.values():
        call()


main(globals())
