# SPDX-License-Identifier: BSD-3-Clause
# ranks: 2 3
"""A redistribution is a route, made or given, and an exchange along it, with that one's life."""

import os
import signal
import tempfile
import threading
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import transrank
from python.spmd import WORLD, main, refused
from transrank import BlockGrid, Distribution, Redistribution

EXTENT = 12
UNITS = EXTENT * EXTENT // WORLD.size  # of each rank, before and after


def divided(along: int) -> BlockGrid:
    return BlockGrid([Distribution.even(EXTENT, WORLD.size if d == along else 1) for d in range(2)])


def stored(redistribution: Redistribution) -> tuple[np.ndarray, np.ndarray]:
    start = np.full(redistribution.source_shape(), 1.0)
    end = redistribution.destination_for(start)
    redistribution.store((start, end))
    return start, end


def test_who_waits_in_vain_may_do_something_else():
    redistribution = Redistribution(WORLD, divided(0), divided(1))
    _, end = stored(redistribution)
    WORLD.Barrier()
    if WORLD.rank == 0:
        redistribution.start()
        assert not redistribution.wait_for(0.3)
        WORLD.Barrier()
        while not redistribution.wait_for(1):
            pass
    else:
        WORLD.Barrier()
        redistribution.run()
    assert (end == 1).all()


def test_what_is_given_up_or_closed_ends_for_the_peers_too():
    def close(redistribution: Redistribution) -> None:
        redistribution.close()
        redistribution.close()
        redistribution.start()

    for end, words in (lambda it: it.abandon("no reason"), "no reason"), (close, "call store"):
        redistribution = Redistribution(WORLD, divided(0), divided(1))
        stored(redistribution)
        redistribution.run()
        WORLD.Barrier()
        if WORLD.rank == 0:
            with pytest.raises(transrank.Misuse, match=words):
                end(redistribution)
        else:
            with pytest.raises(transrank.BrokenExchange, match="rank 0"):
                redistribution.run()
        WORLD.Barrier()
        _, arrived = stored(redistribution)
        redistribution.run()
        assert (arrived == 1).all()


def test_a_loaded_route_moves_what_the_one_that_was_saved_does():
    grids = divided(0), divided(1)
    folder = WORLD.bcast(tempfile.mkdtemp() if WORLD.rank == 0 else None)
    place = Path(folder) / "route"
    transrank.route.save(WORLD, Redistribution(WORLD, *grids).route, place)
    loaded = transrank.route.load(WORLD, place)
    numbers = np.arange(EXTENT * EXTENT, dtype=float).reshape(EXTENT, EXTENT)
    rows, columns = (np.ascontiguousarray(numbers[grid.box(WORLD.rank)]) for grid in grids)
    for layouts in ((), grids, (grids[0],), (None, grids[1])):
        along = Redistribution.along(WORLD, loaded, *layouts)
        start = rows.reshape(along.source_shape())
        end = along.destination_for(start)
        along.store((start, end))
        along.run()
        assert (end.ravel() == columns.ravel()).all()
        assert end.ndim == (2 if len(layouts) == 2 else 1)
        source, destination = (*layouts, None, None)[:2]
        back = Redistribution.along(WORLD, loaded.transposed(), destination, source)
        again = back.destination_for(end)
        back.store((end, again))
        back.run()
        assert (again.ravel() == rows.ravel()).all()


def test_a_dataset_goes_along_a_route_whose_grids_are_known():
    grids = divided(0), divided(1)
    route = transrank.route.redistribution(WORLD, *grids)
    along = Redistribution.along(WORLD, route, *grids)
    mine = xarray.Dataset({"T": (("x", "y"), np.full(along.source_shape(), 2.0))})
    assert (along.redistribute(mine, ["x", "y"])["T"] == 2).all()
    without = Redistribution.along(WORLD, route)
    refused("only between two grids", lambda: without.bind(mine, ["x", "y"]))


def test_routes_and_layouts_that_do_not_belong_together_are_refused():
    route: Any = transrank.route.redistribution(WORLD, divided(0), divided(1))
    last = WORLD.rank == WORLD.size - 1
    given = "route" if last else route
    refused("a Route is needed, not a str", lambda: Redistribution.along(WORLD, given))
    refused(
        f"the source layout has (3,) cells on rank {WORLD.size - 1}, but the route has",
        lambda: Redistribution.along(WORLD, route, [1, 2, 3] if last else None),
    )


TRANSPORTS = ["auto", "message", "shared-staged"]


def both_stored(cells: int, transport: str) -> tuple[Redistribution, list[np.ndarray]]:
    """From slabs to columns: every rank sends to all."""
    sides = [
        BlockGrid([Distribution.even(cells, parts) for parts in shape])
        for shape in ((WORLD.size, 1), (1, WORLD.size))
    ]
    bound = Redistribution(WORLD, *sides)
    starts = [np.full(bound.source_shape(), value) for value in (1.0, 2.0)]
    ends = [np.zeros(bound.destination_shape()) for _ in starts]
    bound.store(list(zip(starts, ends, strict=True)), transport=transport)
    return bound, ends


def interrupted_run(bound: Redistribution) -> None:
    """Start it, and be interrupted while nobody else has."""
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        bound.run()


def test_an_interrupt_leaves_it_under_way():
    for transport, go_on in product(TRANSPORTS, (Redistribution.run, Redistribution.wait)):
        bound, ends = both_stored(24, transport)
        if WORLD.rank == 0:
            interrupted_run(bound)
        WORLD.Barrier()
        go_on(bound) if WORLD.rank == 0 else bound.run()
        assert all((end == value).all() for end, value in zip(ends, (1, 2), strict=True)), transport


def test_nobody_writes_where_the_arrays_of_a_dropped_one_were():
    for transport in TRANSPORTS:
        bound, ends = both_stored(600, transport)
        bound.run()
        later: list[np.ndarray] = []
        WORLD.Barrier()
        if WORLD.rank == 0:
            interrupted_run(bound)
            shape = ends[0].shape
            del bound, ends
            later = [np.full(shape, -1.0) for _ in range(6)]
            WORLD.Barrier()
        else:
            WORLD.Barrier()
            with pytest.raises(transrank.BrokenExchange, match="rank 0"):  # noqa: PT012
                while True:  # one that only sends to rank 0 may be through with a round
                    bound.run()
        WORLD.Barrier()
        assert all((array == -1).all() for array in later), transport


main(globals())
