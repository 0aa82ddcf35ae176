# SPDX-License-Identifier: BSD-3-Clause
# ranks: 2 3
"""Alltoalls that are dropped, or whose arrays change, while some ranks are under way."""

import gc

import numpy as np
import pytest

import transrank
from python.spmd import WORLD, main

NAMES = [name for name, _ in transrank.alltoall_algorithms()]
USABLE = [name for name in NAMES if name != "two-process" or WORLD.size == 2]
BROKEN = (transrank.BrokenExchange, transrank.Misuse)


def make(shared: bool, block: int) -> tuple[np.ndarray, np.ndarray]:
    shape = (WORLD.size, block)
    both = transrank.full(shape, 7.0) if shared else np.full(shape, 7.0)
    return both, transrank.zeros(shape) if shared else np.zeros(shape)


def meet() -> None:
    """Collective. Like a barrier, but lets MPI finish what it still has to do."""
    for _ in range(3):
        request = WORLD.Ibarrier()
        while not request.Test():
            pass


def wait_or_break(bound: transrank.Alltoall) -> str:
    try:
        bound.wait()
    except transrank.BrokenExchange as error:
        return str(error)
    return ""


def test_nobody_writes_where_the_arrays_of_a_dropped_alltoall_were():
    # Whose memory, how long a block is, and whether each start is given arrays.
    kinds = [
        (False, 50, False),
        (False, 20_000, False),
        (False, 20_000, True),
        (True, 20_000, False),
    ]
    for name in USABLE:
        for shared, block, given in kinds:
            send, receive = make(shared, block)
            bound = transrank.Alltoall(WORLD, send, receive, name, any_memory=given)
            arrays = make(shared, block) if given else ()
            bound.run(*arrays)
            words, later = "", []
            if WORLD.rank == 0:
                bound.start(*arrays)
                del bound, send, receive, arrays
                gc.collect()
                later = [np.full((WORLD.size, block), -1.0) for _ in range(6)]
                WORLD.Barrier()
            else:
                WORLD.Barrier()
                bound.start(*arrays)
                words = wait_or_break(bound)
            meet()
            assert all((array == -1).all() for array in later), name
            assert words == "" or words.startswith("rank 0 has abandoned"), words


def test_who_drops_an_alltoall_between_two_rounds_is_named_to_those_who_go_on():
    for name in USABLE:
        bound = transrank.Alltoall(WORLD, *make(False, 3), name)
        bound.run()
        WORLD.Barrier()
        if WORLD.rank == 0:
            del bound
        else:
            bound.start()
            assert wait_or_break(bound).startswith("rank 0 has freed"), name
        meet()


def test_calls_in_the_wrong_order_break_it_for_every_rank():
    for name in USABLE:
        bound = transrank.Alltoall(WORLD, *make(False, 3), name)
        if WORLD.rank == 0:
            with pytest.raises(transrank.Misuse, match="on rank 0"):
                bound.wait()
        else:
            bound.start()
            assert "rank 0" in wait_or_break(bound)
        for call in (bound.start, bound.run):
            with pytest.raises(BROKEN):
                call()
        meet()


def test_an_array_made_read_only_is_noticed_at_the_next_start():
    for name in ("mpi", "bruck", "on-node-direct"):
        send, receive = make(False, 3)
        bound = transrank.Alltoall(WORLD, send, receive, name)
        bound.run()
        WORLD.Barrier()
        if WORLD.rank == 0:
            receive.flags.writeable = False
            with pytest.raises(transrank.Misuse, match="read-only after it was bound, on rank 0"):
                bound.start()
            with pytest.raises(transrank.Misuse):
                bound.run()
        else:
            bound.start()
            assert "rank 0" in wait_or_break(bound)
        meet()


main(globals())
