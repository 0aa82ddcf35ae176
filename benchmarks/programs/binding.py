# SPDX-License-Identifier: BSD-3-Clause
"""The set-up of a ghost update from Python, by transrank and by hand with mpi4py, in turns.

    mpiexec -n 2 python binding.py GHOSTS ROUNDS
    mpiexec -n 2 python binding.py new ROWS ROUNDS

prints, as JSON, median seconds of the slowest rank. The first: of ``mapping and bind`` with arrays
of transrank's and with NumPy's, of ``bind`` where the mapping is there, and ``by hand``. Pattern
and work are those of binding.cpp. The second: of a list that serves once, as in every step of
particles or of a mesh that adapts, the data included: ``new list`` and ``by hand``.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable

from mpi4py import MPI

import numpy as np
from numpy.typing import NDArray

import transrank

WIDTH = 5
Indices = NDArray[np.int64]
Rows = NDArray[np.float64]

comm = MPI.COMM_WORLD


def ghosts_of(count: int, rows: int) -> Indices:
    gaps = np.random.default_rng(7).integers(2, 5, count)
    gaps[0] = 0
    return (comm.rank + 1) % comm.size * rows + np.cumsum(gaps)


class ByHand:
    """Owners are asked by an all-to-all of the counts and one of the indices; rows are packed."""

    def __init__(self, ghosts: Indices, rows: int, arriving: Rows) -> None:
        wanted = np.bincount(ghosts // rows, minlength=comm.size)
        given = np.empty_like(wanted)
        comm.Alltoall(wanted, given)
        self._rows = np.empty(given.sum(), np.int64)
        comm.Alltoallv([ghosts, wanted], [self._rows, given])
        self._rows -= comm.rank * rows
        self._packed = np.empty((self._rows.size, WIDTH))
        self._requests = [
            comm.Recv_init(arriving[end - count : end], peer, 1)
            for peer, (count, end) in enumerate(zip(wanted, np.cumsum(wanted), strict=True))
            if count
        ]
        self._requests += [
            comm.Send_init(self._packed[end - count : end], peer, 1)
            for peer, (count, end) in enumerate(zip(given, np.cumsum(given), strict=True))
            if count
        ]

    def update(self, owned: Rows) -> None:
        np.take(owned, self._rows, axis=0, out=self._packed)
        MPI.Prequest.Startall(self._requests)
        MPI.Request.Waitall(self._requests)

    def free(self) -> None:
        for request in self._requests:
            request.Free()


def seconds_of(work: Callable[[], object]) -> float:
    comm.Barrier()
    begin = MPI.Wtime()
    work()
    return comm.allreduce(MPI.Wtime() - begin, MPI.MAX)


def check(found: Rows, ghosts: Indices, way: str) -> None:
    if not np.array_equal(found[:, 0], ghosts):
        print(f"wrong ghosts on rank {comm.rank}, {way}", file=sys.stderr)
        comm.Abort(1)


def medians(
    ways: dict[str, Callable[[], object]], rounds: int, after: Callable[[str], None]
) -> None:
    """Print those of the ways, which take turns; `after` is given the name of each, untimed."""
    seconds: dict[str, list[float]] = defaultdict(list)
    for round_ in range(rounds + 1):
        for name, work in ways.items():
            taken = seconds_of(work)
            if round_ > 0:  # the first one finds nothing prepared
                seconds[name].append(taken)
            after(name)
    if comm.rank == 0:
        print(json.dumps({name: float(np.median(each)) for name, each in seconds.items()}))


def arrays(rows: int, ghosts: int, width: int, zeros: Callable[..., Rows]) -> tuple[Rows, Rows]:
    owned = zeros((rows, width))
    owned += np.arange(comm.rank * rows, (comm.rank + 1) * rows)[:, None]
    return owned, zeros((ghosts, width))


def set_up(count: int, rounds: int) -> None:
    rows = 4 * count
    ghosts = ghosts_of(count, rows)
    owners = transrank.Distribution.even(rows * comm.size, comm.size)
    shared = arrays(rows, count, WIDTH, transrank.zeros)
    own = arrays(rows, count, WIDTH, np.zeros)
    route = transrank.route.ghost_pull(comm, owners, ghosts)
    made: list[ByHand | transrank.Exchange] = []

    def map_and_bind(fields: tuple[Rows, Rows]) -> None:
        route = transrank.route.ghost_pull(comm, owners, ghosts)
        made.append(transrank.Exchange(route, comm, fields))

    ways: dict[str, Callable[[], object]] = {
        "mapping and bind": lambda: map_and_bind(shared),
        "mapping and bind, own arrays": lambda: map_and_bind(own),
        "bind": lambda: made.append(transrank.Exchange(route, comm, shared)),
        "by hand": lambda: made.append(ByHand(ghosts, rows, own[1])),
    }

    def move(way: str) -> None:
        shared[1][:] = own[1][:] = 0
        bound = made.pop()
        if isinstance(bound, ByHand):
            bound.update(own[0])
            bound.free()
        else:
            bound.run()
            bound.close()
        check((shared if way in ("bind", "mapping and bind") else own)[1], ghosts, way)

    medians(ways, rounds, move)


def new_lists(count: int, rounds: int) -> None:
    rows, width = 200_000, 6
    owners = transrank.Distribution.even(rows * comm.size, comm.size)
    random = np.random.default_rng(comm.rank)
    ghosts = np.sort(random.choice(rows, count, False)) + (comm.rank + 1) % comm.size * rows
    shared = arrays(rows, count, width, transrank.zeros)
    own = arrays(rows, count, width, np.zeros)

    def by_transrank() -> None:
        route = transrank.route.ghost_pull(comm, owners, ghosts)
        with transrank.Exchange(route, comm, shared) as bound:
            bound.run()

    def by_hand() -> None:
        wanted = np.bincount(ghosts // rows, minlength=comm.size)
        given = np.empty_like(wanted)
        comm.Alltoall(wanted, given)
        asked = np.empty(given.sum(), np.int64)
        comm.Alltoallv([ghosts, wanted], [asked, given])
        sent = own[0][asked - comm.rank * rows]
        comm.Alltoallv([sent, given * width], [own[1], wanted * width])

    def look(way: str) -> None:
        check((own if way == "by hand" else shared)[1], ghosts, way)
        shared[1][:] = own[1][:] = 0

    medians({"new list": by_transrank, "by hand": by_hand}, rounds, look)


if __name__ == "__main__":
    if sys.argv[1] == "new":
        new_lists(*map(int, sys.argv[2:]))
    else:
        set_up(*map(int, sys.argv[1:]))
