# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3
"""Calls in the wrong order raise on their rank, and on the peers as soon as those wait."""

import copy
from collections.abc import Callable

import numpy as np
import pytest

import transrank
from python.exchange.ring import Ring
from python.spmd import WORLD, main

TRANSPORTS = ["auto", "kernel-copy", "shared-staged", "message"]


def run_until_broken(exchange: transrank.Exchange) -> None:
    """How many rounds go well depends on when the word of rank 0 comes."""
    with pytest.raises(transrank.BrokenExchange, match="rank 0"):  # noqa: PT012
        while True:
            exchange.run()


def check_broken(transport: str, misuse: Callable[[Ring, transrank.Exchange], None]) -> None:
    """Rank 0 misuses an exchange: it raises Misuse, the others an error that names rank 0."""
    ring = Ring()
    exchange = ring.bind(transport)
    exchange.run()
    WORLD.Barrier()  # whoever were still at it would raise already there
    if WORLD.rank == 0:
        says = "on rank 0; the exchange is broken, bind a new one"
        with pytest.raises(transrank.Misuse, match=says):
            misuse(ring, exchange)
    else:
        run_until_broken(exchange)
    with pytest.raises((transrank.Misuse, transrank.BrokenExchange)):
        exchange.start()
    ring = Ring()
    ring.write()
    ring.bind(transport).run()
    assert ring.has_arrived(), "a new exchange does not work"


def test_start_twice():
    def start_twice(_: Ring, exchange: transrank.Exchange) -> None:
        exchange.start()
        exchange.start()

    for transport in TRANSPORTS:
        check_broken(transport, start_twice)


def test_a_field_is_not_resized_while_it_is_bound():
    ring = Ring(shared=False)
    ring.write()
    exchange = ring.bind()
    exchange.start()
    for array in (ring.source, ring.destination):
        with pytest.raises(ValueError, match="resize"):
            array.resize(100_000, refcheck=False)
    exchange.wait()
    assert ring.has_arrived()
    exchange.close()
    ring.source.resize(100_000, refcheck=False)


def test_a_field_that_got_other_memory_after_it_was_bound():
    ring = Ring(shared=False)
    exchange = ring.bind()
    if WORLD.rank == 0:
        get_other_memory(ring.source)
        with pytest.raises(transrank.Misuse, match="the source of field 0 was resized"):
            exchange.start()
    else:
        run_until_broken(exchange)


def get_other_memory(array: np.ndarray) -> None:
    """As unpickling into it does."""
    _, _, state = np.zeros(100_000).__reduce__()
    array.__setstate__(state)


def test_a_destination_made_read_only_after_it_was_bound():
    def freeze(ring: Ring, exchange: transrank.Exchange) -> None:
        ring.destination.flags.writeable = False
        exchange.start()

    check_broken("auto", freeze)


def test_an_exchange_is_not_copied_nor_broken_by_a_time_that_is_no_number():
    ring = Ring()
    exchange = ring.bind("auto")
    ring.write()
    exchange.start()
    with pytest.raises(ValueError, match="not a number"):
        exchange.wait_for(float("nan"))
    exchange.wait()
    assert ring.has_arrived()
    with Ring().bind("auto") as exchange, pytest.raises(TypeError, match="cannot be copied"):
        copy.copy(exchange)


def test_leaving_an_exchange_under_way_breaks_it_for_the_peers():
    if WORLD.size == 1:
        return
    ring = Ring()
    exchange = ring.bind()
    if WORLD.rank == 0:
        with pytest.raises(KeyError), exchange:  # noqa: PT012
            exchange.start()  # it cannot end, since no other rank starts
            raise KeyError("the body fails")
    WORLD.Barrier()
    if WORLD.rank > 0:
        run_until_broken(exchange)


main(globals())
