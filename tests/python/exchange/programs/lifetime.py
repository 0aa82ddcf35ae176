# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3
"""Arrays and exchanges may die in any order, at any time, on each rank by itself."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import transrank
from python.exchange.ring import Ring, numbers, route
from python.spmd import WORLD, main
from transrank.mpi import MPI

TRANSPORTS = ["auto", "kernel-copy", "shared-staged", "message"]
survivors: list[tuple[Ring, transrank.Exchange]] = []


def shared_bytes_of_this_process() -> int:
    """Bytes of our own segments in this address space, as the kernel sees them."""
    total = 0
    for line in Path("/proc/self/maps").read_text().splitlines():
        if "/memfd:transrank" in line:
            begin, end = line.split()[0].split("-")
            total += int(end, 16) - int(begin, 16)
    return total


def test_an_exchange_keeps_its_arrays_alive():
    for transport in TRANSPORTS:
        ring = Ring()
        exchange = ring.bind(transport)
        view, source = ring.destination, weakref.ref(ring.source)
        ring.write()
        del ring
        gc.collect()
        assert source() is not None
        exchange.run()
        assert (view == numbers((WORLD.rank - 1) % WORLD.size)).all()
        del exchange
        gc.collect()
        assert source() is None


def test_shared_memory_is_freed_with_the_last_view():
    before = shared_bytes_of_this_process()
    array = transrank.zeros((1 << 10, 1 << 10))
    row = array[3]
    assert shared_bytes_of_this_process() == before + (1 << 23)
    del array
    assert shared_bytes_of_this_process() == before + (1 << 23)
    del row
    assert shared_bytes_of_this_process() == before


def test_exchanges_may_die_in_another_order_on_each_rank():
    rings = [Ring() for _ in TRANSPORTS]
    exchanges = [ring.bind(transport) for ring, transport in zip(rings, TRANSPORTS, strict=True)]
    for exchange in exchanges:
        exchange.run()
    while exchanges:
        exchanges.pop((WORLD.rank * 7) % len(exchanges))
        gc.collect()
    ring = Ring()
    ring.write()
    ring.bind("message").run()
    assert ring.has_arrived()


def test_what_mpi_still_reads_outlives_a_broken_exchange():
    if WORLD.size == 1:
        return
    many = 1 << 18  # too long a message to be sent before it is received
    source, destination = np.ones(many), np.zeros(many)
    pair = (source, destination)
    exchange = transrank.Exchange(route(many), WORLD, pair, transport="message")
    read = weakref.ref(source)
    if WORLD.rank == 0:
        exchange.start()
    else:
        WORLD.Barrier()  # who gives up takes what was sent to it
    with pytest.raises(transrank.Misuse, match="test"):
        exchange.abandon("the test gives it up")
    del exchange, pair, source, destination
    gc.collect()
    assert (read() is not None) == (WORLD.rank == 0)
    if WORLD.rank == 0:
        WORLD.Barrier()
    WORLD.Barrier()


def test_other_threads_run_while_one_waits():
    ring = Ring()
    ring.write()
    exchange = ring.bind()
    ticks = 0
    running = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not running.is_set():
            ticks += 1

    if WORLD.rank == 0 and WORLD.size > 1:
        exchange.start()
        thread = threading.Thread(target=count)
        thread.start()
        WORLD.isend(None, dest=1).wait()
        before = ticks
        exchange.wait()
        counted = ticks - before
        running.set()
        thread.join()
        assert counted > 0
    else:
        if WORLD.rank == 1:
            WORLD.recv(source=0)
        threading.Event().wait(0.3)
        exchange.run()
    assert ring.has_arrived()


def test_threads_may_use_exchanges_of_their_own_at_once():
    if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        return
    rings = [Ring() for _ in TRANSPORTS]
    exchanges = [ring.bind(transport) for ring, transport in zip(rings, TRANSPORTS, strict=True)]

    def late_epochs(ring: Ring, exchange: transrank.Exchange) -> list[int]:
        wrong = []
        for epoch in range(30):
            ring.write(epoch)
            exchange.run()
            wrong += [] if ring.has_arrived(epoch) else [epoch]
        return wrong

    with ThreadPoolExecutor(len(rings)) as threads:
        assert list(threads.map(late_epochs, rings, exchanges)) == [[]] * len(rings)


def test_what_outlives_finalize_is_harmless():
    for transport in TRANSPORTS:
        ring = Ring()
        ring.write()
        exchange = ring.bind(transport)
        exchange.run()
        survivors.append((ring, exchange))
    ring = Ring()
    under_way = ring.bind()
    under_way.start()
    survivors.append((ring, under_way))


main(globals())
MPI.Finalize()
for ring, _ in survivors:
    ring.source += 1
late = transrank.zeros(10)
assert (late == np.zeros(10)).all()
del late, ring
survivors.clear()
gc.collect()
