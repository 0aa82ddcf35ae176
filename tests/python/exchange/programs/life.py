# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3
"""Everything that is bound has one life: start, test, wait, run, abandon, explain, close."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

import transrank
from python.spmd import WORLD, main
from transrank.exchange import Bound

NEXT = (WORLD.rank + 1) % WORLD.size
BEFORE = (WORLD.rank - 1) % WORLD.size

# What is bound, what it reads, what it writes, and whose numbers arrive there.
Made = tuple[Bound, NDArray[np.int64], NDArray[np.int64], list[int]]


def ghosts() -> transrank.ArrayTransformer:
    transformer = transrank.ArrayTransformer(WORLD, np.zeros(1, np.int64), np.zeros(1, np.int64))
    transformer.create_global_mapping()
    transformer.create_ghost_mapping([NEXT])
    return transformer


def exchange() -> Made:
    source, destination = np.zeros(1, np.int64), np.zeros(1, np.int64)
    route = transrank.route.lists(WORLD, [WORLD.rank], [NEXT])
    bound = transrank.Exchange(route, WORLD, (source, destination))
    return bound, source, destination, [NEXT]


def alltoall() -> Made:
    source, destination = np.zeros(WORLD.size, np.int64), np.zeros(WORLD.size, np.int64)
    bound = transrank.Alltoall(WORLD, source, destination, "pairwise")
    return bound, source, destination, list(range(WORLD.size))


def pull() -> Made:
    it = ghosts()
    return it.init_persistent_pull(), it.father.memory, it.son.memory, [NEXT]


def push() -> Made:
    it = ghosts()
    return it.init_persistent_push("assign"), it.son.memory, it.father.memory, [BEFORE]


MAKERS: list[Callable[[], Made]] = [exchange, alltoall, pull, push]


def waited(bound: Bound) -> None:
    bound.start()
    bound.wait()


def waited_in_time(bound: Bound) -> None:
    bound.start()
    while not bound.wait_for(0.01):
        pass


def tested(bound: Bound) -> None:
    bound.start()
    while not bound.test():
        pass


def test_data_move_whichever_way_one_waits_and_what_is_over_may_be_waited_for():
    calls: list[Callable[[Bound], object]] = [Bound.test, Bound.wait, lambda it: it.wait_for(0.01)]
    for make in MAKERS:
        bound, source, destination, come = make()
        with bound:
            assert bound.explain()
            for epoch, move in enumerate([waited, waited_in_time, tested, Bound.run]):
                source[...] = 10 * WORLD.rank + epoch
                move(bound)
                assert all(
                    call(bound) is not False for pair in product(calls, calls) for call in pair
                )
                assert destination.tolist() == [10 * rank + epoch for rank in come], make
                WORLD.Barrier()


def test_all_are_tested_until_all_are_over():
    for late in range(len(MAKERS)):
        made = [make() for make in MAKERS]
        for _, source, *_ in made:
            source[...] = WORLD.rank
        first = made.pop(late)
        for bound, *_ in made:
            bound.start()
        if WORLD.rank == 0:  # its peers test what is over again and again
            for bound, *_ in made:
                bound.wait()
        first[0].start()
        made.append(first)
        while not all([bound.test() for bound, *_ in made]):  # noqa: C419
            pass
        for _, _, destination, come in made:
            assert destination.tolist() == come


def test_a_test_or_a_wait_before_the_first_start_breaks_it():
    calls: list[Callable[[Bound], object]] = [Bound.test, Bound.wait, lambda it: it.wait_for(0.01)]
    for make in MAKERS:
        for call in calls:
            bound, _, _, come = make()
            if WORLD.rank == 0:
                with pytest.raises(transrank.Misuse, match="before the first start"):
                    call(bound)
            elif 0 in come:
                with pytest.raises(transrank.BrokenExchange, match="rank 0"):
                    bound.run()
            WORLD.Barrier()


def test_what_is_closed_says_so_and_may_be_closed_again():
    for make in MAKERS:
        bound = make()[0]
        bound.run()
        WORLD.Barrier()
        bound.close()
        bound.close()
        for call in (bound.start, bound.test, bound.wait, bound.run, bound.explain):
            with pytest.raises(transrank.Misuse, match="has been closed; bind a new one"):
                call()


def test_what_is_abandoned_is_broken_for_the_peers():
    for make in MAKERS:
        bound, _, _, come = make()
        if WORLD.rank == 0:
            with pytest.raises(transrank.Misuse, match="the input is at its end"):
                bound.abandon("the input is at its end")
        elif 0 in come:
            with pytest.raises(transrank.BrokenExchange, match="rank 0"):
                bound.run()
        WORLD.Barrier()  # who lets go of it before all are told may be the one that they name


def test_a_pull_that_was_not_waited_for_in_time_goes_on():
    if WORLD.size == 1:
        return
    bound, source, destination, come = pull()
    source[...] = WORLD.rank
    if WORLD.rank == 0:
        bound.start()
        assert not bound.wait_for(0.01)
        WORLD.Barrier()
        bound.wait()
    else:
        WORLD.Barrier()
        bound.run()
    assert destination.tolist() == come


main(globals())
