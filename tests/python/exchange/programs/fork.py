# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2
"""A child of fork is no rank: it may use what it has inherited, and disturbs nobody."""

import gc
import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable

import numpy as np
import pytest

import transrank
from python.exchange.ring import UNITS, Ring, route
from python.spmd import WORLD, main


def in_child(work: Callable[[], None]) -> None:
    """Run `work` in a child of this rank; raises when it has raised there, or has hung."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(20)
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def misuse(call: Callable[[], object]) -> None:
    with pytest.raises(transrank.Misuse, match="is a child that an MPI process has forked"):
        call()


def test_what_a_child_writes_into_an_array_is_its_own():
    array = transrank.full(5000, 3.0)

    def write() -> None:
        assert (array == 3).all()
        array[...] = 7
        other = transrank.full(10, 1.0)
        in_child(lambda: other.fill(2.0))
        assert (array == 7).all()
        assert (other == 1).all()

    in_child(write)
    assert (array == 3).all()


def test_whatever_needs_other_ranks_is_a_misuse_in_a_child():
    sends, receives = np.zeros(WORLD.size), np.zeros(WORLD.size)
    exchange, idle = Ring().bind(), Ring().bind()
    alltoall = transrank.Alltoall(WORLD, sends, receives)
    even = transrank.Distribution.even(WORLD.size, WORLD.size)
    grid = transrank.BlockGrid([even])
    stored = transrank.Redistribution(WORLD, grid, grid)
    stored.store((transrank.zeros(1), transrank.zeros(1)))
    transformer = transrank.ArrayTransformer(WORLD, np.zeros(3))
    exchange.start()

    def call_everything() -> None:
        for call in (exchange.test, exchange.wait, exchange.start, idle.start, idle.run):
            misuse(call)
        misuse(lambda: idle.abandon("no reason"))
        misuse(alltoall.run)
        misuse(stored.run)
        misuse(lambda: transrank.Exchange(route(), WORLD, np.zeros(UNITS)))
        misuse(lambda: transrank.Alltoall(WORLD, sends, receives))
        misuse(lambda: transrank.alltoall(WORLD, sends, receives))
        misuse(lambda: transrank.Numbering(WORLD, 3))
        misuse(lambda: transrank.route.ghost_pull(WORLD, even, [0]))
        misuse(lambda: transrank.route.lists(WORLD, [0], [0]))
        misuse(lambda: transrank.route.halo(WORLD, grid))
        misuse(lambda: transrank.ArrayTransformer(WORLD, np.zeros(3)))
        misuse(lambda: transformer.set_father_son(np.zeros(3)))
        misuse(lambda: stored.store((np.zeros(1), np.zeros(1))))

    in_child(call_everything)
    exchange.wait()
    idle.run()
    alltoall.run()
    stored.run()


def test_a_child_may_drop_what_it_has_inherited_also_under_way():
    ring = Ring()
    kept = [ring.bind()]
    ring.write(1)
    kept[0].start()

    def drop() -> None:
        kept.clear()
        ring.source = ring.destination = np.zeros(0)
        gc.collect()

    in_child(drop)
    kept[0].wait()
    assert ring.has_arrived(1)
    ring.write(2)
    kept[0].run()
    assert ring.has_arrived(2)


def test_a_pool_of_forked_workers_reads_and_writes_arrays_of_its_own():
    ring = Ring()
    ring.write(1)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(np.sum, [ring.source] * 4) == [ring.source.sum()] * 4
        pool.map(ring.source.fill, range(4))
    ring.bind().run()
    assert ring.has_arrived(1)


main(globals())
