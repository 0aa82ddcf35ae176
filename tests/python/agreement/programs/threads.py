# SPDX-License-Identifier: BSD-3-Clause
# ranks: 2 3 4
"""Threads make and run exchanges at once, each over a communicator of its own."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import transrank
from python.spmd import WORLD, main
from transrank import route as routes
from transrank.mpi import MPI

ROWS = 100
TRANSPORTS = ["auto", "message", "shared-staged", "auto"]
NEXT = (WORLD.rank + 1) % WORLD.size


def wrong_rounds(comm: MPI.Intracomm, transport: str) -> list[int]:
    wrong = []
    for number in range(5):
        owners = transrank.Distribution.even(ROWS * WORLD.size, WORLD.size)
        route = routes.ghost_pull(comm, owners, ROWS * NEXT + np.arange(ROWS))
        source, destination = transrank.full(ROWS, WORLD.rank + number), np.zeros(ROWS, int)
        transrank.Exchange(route, comm, (source, destination), transport=transport).run()
        wrong += [] if (destination == NEXT + number).all() else [number]
    return wrong


def test_threads_may_make_exchanges_at_once():
    if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        return
    for _ in range(3):
        comms = [WORLD.Dup() for _ in TRANSPORTS]
        with ThreadPoolExecutor(len(comms)) as threads:
            assert list(threads.map(wrong_rounds, comms, TRANSPORTS)) == [[]] * len(comms)


main(globals())
