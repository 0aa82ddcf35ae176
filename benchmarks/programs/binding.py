# SPDX-License-Identifier: BSD-3-Clause
"""The set-up of a ghost update from Python, by transrank and by hand with mpi4py, in turns.

    mpiexec -n 2 python binding.py GHOSTS ROUNDS

prints, as JSON, the median seconds of the slowest rank: of ``mapping and bind``, of ``bind`` where
the mapping is there, and ``by hand``. Pattern and work are those of binding.cpp.
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


def main() -> None:
    count, rounds = map(int, sys.argv[1:])
    rows = 4 * count
    ghosts = ghosts_of(count, rows)
    owned = transrank.zeros((rows, WIDTH))
    owned += np.arange(comm.rank * rows, (comm.rank + 1) * rows)[:, None]
    arriving = np.empty((count, WIDTH))
    transformer = transrank.ArrayTransformer(comm, owned)
    transformer.create_global_mapping()
    made: list[ByHand] = []

    def map_and_bind() -> None:
        transformer.create_ghost_mapping(ghosts)
        transformer.init_persistent_pull()

    ways: dict[str, Callable[[], object]] = {
        "mapping and bind": map_and_bind,
        "bind": transformer.init_persistent_pull,
        "by hand": lambda: made.append(ByHand(ghosts, rows, arriving)),
    }
    seconds: dict[str, list[float]] = defaultdict(list)
    for round_ in range(rounds + 1):
        for name, work in ways.items():
            transformer.clear_persistent_pull()
            taken = seconds_of(work)
            if round_ > 0:  # the first one finds nothing prepared
                seconds[name].append(taken)
            if made:
                made[0].update(owned)
                found = arriving
                made.pop().free()
            else:
                transformer.start_persistent_pull()
                transformer.wait_persistent_pull()
                found = transformer.son.values
            if not np.array_equal(found[:, 0], ghosts):
                print(f"wrong ghosts on rank {comm.rank}, {name}", file=sys.stderr)
                comm.Abort(1)
    if comm.rank == 0:
        print(json.dumps({name: float(np.median(each)) for name, each in seconds.items()}))


if __name__ == "__main__":
    main()
