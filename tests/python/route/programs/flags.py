# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3
"""Flags in any form, halos of width 0, more parts than indices, and layouts sent between ranks."""

import copy
import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest

import transrank
from python.spmd import WORLD, main, refused
from transrank import BlockGrid, Distribution, Numbering
from transrank import route as routes

LAST = WORLD.size - 1
YES = (True, np.True_, 1, np.int8(1))
NO = (False, np.False_, 0, np.uint64(0))


def grid(extent: int = 3 * WORLD.size, width: int = 1) -> BlockGrid:
    dimensions = [Distribution.even(extent, WORLD.size), Distribution.even(4, 1)]
    return BlockGrid(dimensions, halo=[(width, width, True)] * 2)


def copied(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301


def test_flags_in_any_form_mean_the_same():
    for flags, plain in ((YES, True), (NO, False)):
        with_corners = routes.halo(WORLD, grid(), corners=plain)
        filled = routes.redistribution(WORLD, grid(), grid(), fill_halo=plain)
        known = Numbering(WORLD, WORLD.rank, plain)
        for flag in flags:
            given: Any = flag
            assert routes.halo(WORLD, grid(), corners=given) == with_corners
            assert routes.redistribution(WORLD, grid(), grid(), fill_halo=given) == filled
            made = transrank.Redistribution(WORLD, grid(), grid(), fill_halo=given)
            assert made.route == filled
            assert Numbering(WORLD, WORLD.rank, given) == known


def test_what_is_no_flag_is_one_error_on_every_rank():
    for flag in (2, None, "no", 1.0, [True]):
        one: Any = flag if WORLD.rank == LAST else True
        words = f"is {flag!r}; give True or False"
        refused(words, lambda one=one: routes.halo(WORLD, grid(), corners=one))
        refused(words, lambda one=one: routes.redistribution(WORLD, grid(), grid(), fill_halo=one))
        made = partial(transrank.Redistribution, WORLD, grid(), grid(), fill_halo=one)
        refused(words, made)
        refused(words, lambda one=one: Numbering(WORLD, 1, one))


def test_a_halo_of_width_0_is_an_exchange_that_moves_nothing():
    bare = grid(width=0)
    mine = np.arange(12.0).reshape(bare.local_extents(WORLD.rank))
    with transrank.Exchange(routes.halo(WORLD, bare), WORLD, mine, dimensions=2) as exchange:
        exchange.run()
        exchange.start()
        exchange.wait()
    assert (mine.ravel() == np.arange(12)).all()
    refused("no halo", lambda: routes.halo(WORLD, BlockGrid([Distribution.even(9, WORLD.size)])))


def test_a_grid_that_one_rank_makes_serves_all():
    made = WORLD.bcast((grid(), {"layout": grid()}) if WORLD.rank == 0 else None)
    assert made == (grid(), {"layout": grid()})
    sent = WORLD.allgather(Distribution.irregular([0, WORLD.rank, WORLD.rank + 1]))
    assert [it.owned(0) for it in sent] == list(range(WORLD.size))
    assert routes.halo(WORLD, made[0]) == routes.halo(WORLD, grid())


def test_a_copied_route_moves_what_the_route_does():
    route = routes.halo(WORLD, grid())
    for one in (copied(route), copy.copy(route), copy.deepcopy(route)):
        assert one == route
        array = np.zeros(grid().local_extents(WORLD.rank))
        array[1:-1, 1:-1] = 7
        transrank.Exchange(one, WORLD, array, dimensions=2).run()
        assert (array == 7).all()
    if WORLD.size > 1:
        others = WORLD.bcast(route)
        array = np.zeros(grid().local_extents(WORLD.rank))
        refused("rank", lambda: transrank.Exchange(others, WORLD, array, dimensions=2))


def test_a_copied_numbering_serves_its_rank_alone():
    for table in (False, True):
        numbering = Numbering(WORLD, WORLD.rank + 1, table)
        own = copied(numbering)
        assert own == numbering == copy.deepcopy(numbering)
        assert hash(own) == hash(numbering)
        assert own.place(own.owned[0]) == (WORLD.rank, 0)
        ghosts = [0, numbering.extent - 1]
        assert routes.ghost_pull(WORLD, own, ghosts) == routes.ghost_pull(WORLD, numbering, ghosts)
        if WORLD.size > 1:
            others = WORLD.bcast(numbering)
            assert (others == numbering) == (WORLD.rank == 0)
            refused("make it on this", lambda others=others: routes.ghost_pull(WORLD, others, []))


def test_what_is_bound_to_a_communicator_cannot_be_pickled():
    exchange = transrank.Exchange(routes.halo(WORLD, grid()), WORLD, np.zeros((5, 6)), dimensions=2)
    for bound in (exchange, transrank.Redistribution(WORLD, grid(), grid())):
        with pytest.raises(TypeError, match="cannot be copied; bind another one"):
            pickle.dumps(bound)


if __name__ == "__main__":
    main(globals())
