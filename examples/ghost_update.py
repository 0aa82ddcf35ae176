# SPDX-License-Identifier: BSD-3-Clause
"""The published ArrayTransformer benchmark, as a program of a user of transrank.

    OMP_NUM_THREADS=1 mpiexec -n 2 python -m mpi4py examples/ghost_update.py -s 32 -n 100 --vdim 6

First it measures as that program does, with its options, and prints its lines: the mean of one loop
of updates on each rank, which gives a bandwidth per rank, of which the mean, the largest and the
smallest are printed. Then it compares patterns and modes.

Each rank owns a block of 32x32x32 rows of `vdim` numbers and pulls the six faces that touch it. The
*literal* pattern is what the published program does: it takes the local rows of a face for global
ones, so everybody pulls from rank 0; rows asked for twice arrive once but are counted twice; and
with few ranks, where neighbors coincide, only the last face of each survives. The *corrected* one
pulls each face from the neighbor behind it, in a periodic grid of ranks.

Modes: A, the arrays never change, as published, so that lines once read stay in the reader's cache;
B, the owner rewrites its block before each update; C, the same, and the reader then reads its
ghosts, which is timed too. Time is that of the slowest rank, its median over the updates. transrank
measure ghost does the same with intervals, and beside raw MPI and the memory's own speed.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

from mpi4py import MPI

import numpy as np
from numpy.typing import NDArray

import transrank
from transrank.lab.units import format_rate, format_seconds

COMM = MPI.COMM_WORLD
Rows = NDArray[np.int64]
tell = print if COMM.rank == 0 else lambda *_: None


@dataclass(frozen=True)
class Pattern:
    """Which rows a rank pulls, and for how many the published bandwidth counts."""

    name: str
    rows: Rows
    counted: int


def faces(size: int) -> list[Rows]:
    """Rows of a block's faces: lower and upper of each dimension in turn."""
    block = np.arange(size**3).reshape(size, size, size)
    return [block.take(end, axis).ravel() for axis in range(3) for end in (0, size - 1)]


def neighbors(grid: list[int]) -> list[int]:
    """The rank behind each face of this rank, in a periodic grid."""
    at = np.unravel_index(COMM.rank, grid)
    found = []
    for axis in range(3):
        for step in (-1, 1):
            place = [(at[d] + step * (d == axis)) % grid[d] for d in range(3)]
            found.append(int(np.ravel_multi_index(place, grid)))
    return found


def corrected(size: int) -> Pattern:
    face = faces(size)
    ranks = neighbors(MPI.Compute_dims(COMM.size, 3))
    # Behind my lower face lies my neighbor's upper one.
    rows = np.concatenate([rank * size**3 + face[side ^ 1] for side, rank in enumerate(ranks)])
    return Pattern("corrected", rows, len(rows))


def literal(size: int) -> Pattern:
    side = int(np.ceil(round(COMM.size ** (1 / 3), 9)))
    k, j, i = COMM.rank // side**2, COMM.rank % side**2 // side, COMM.rank % side

    def rank_at(i: int, j: int, k: int) -> int:
        return (i % side + j % side * side + k % side * side**2) % COMM.size

    first, last, below, above, near, far = faces(size)
    by_neighbor = {  # later faces of one neighbor replace earlier ones
        rank_at(i + 1, j, k): first,
        rank_at(i - 1, j, k): last,
        rank_at(i, j + 1, k): below,
        rank_at(i, j - 1, k): above,
        rank_at(i, j, k + 1): near,
        rank_at(i, j, k - 1): far,
    }
    asked = np.concatenate(list(by_neighbor.values()))
    return Pattern("literal", np.unique(asked), len(asked))


class Update:
    """The arrays of one pattern and row length, and the update of their ghosts."""

    def __init__(self, pattern: Pattern, size: int, vdim: int, transport: str) -> None:
        self.block = transrank.zeros((size**3, vdim))
        self.transformer = transrank.ArrayTransformer(COMM, self.block)
        self.transformer.create_global_mapping()
        self.transformer.create_ghost_mapping(pattern.rows)
        self.transformer.init_persistent_pull(transport=transport)
        self.ghosts = self.transformer.son.values
        self.rows = pattern.rows
        self.age = 0
        self.rewrite()

    def contents(self, rows: Rows) -> NDArray[np.float64]:
        """Numbers that tell row, component and age."""
        vdim = self.block.shape[1]
        return (rows[:, None] * vdim + np.arange(vdim) + self.age).astype(float)

    def rewrite(self) -> None:
        self.age += 1
        owned = len(self.block)
        self.block[...] = self.contents(COMM.rank * owned + np.arange(owned))

    def pull(self) -> None:
        self.transformer.start_persistent_pull()
        self.transformer.wait_persistent_pull()

    def seconds(self, mode: str) -> float:
        """Of one update, on the slowest rank."""
        if mode != "A":
            self.rewrite()
        COMM.Barrier()
        begin = time.perf_counter()
        self.pull()
        if mode == "C":
            self.ghosts.sum()
        return float(COMM.allreduce(time.perf_counter() - begin, op=MPI.MAX))

    def check(self) -> None:
        if not np.array_equal(self.ghosts, self.contents(self.rows)):
            raise SystemExit(f"wrong ghosts on rank {COMM.rank}")


def measure_as_published(size: int, vdim: int, updates: int, transport: str) -> None:
    """What the published program measures (the literal pattern in mode A), in its own lines."""
    pattern = literal(size)
    update = Update(pattern, size, vdim, transport)
    tell(f"main data: {8 * vdim * size**3} bytes")
    for _ in range(10):
        update.pull()
    begin = time.perf_counter()
    for done in range(1, updates + 1):
        update.pull()
        if done % 10 == 0:
            tell(f"Iter {done} / {updates} done")
    seconds = (time.perf_counter() - begin) / updates
    update.check()
    received = COMM.allgather(8 * vdim * pattern.counted / seconds)
    tell(f"rank 0 time per iter: {seconds:.4e}")
    tell(f"BW: {np.mean(received):.4e}, max {max(received):.4e}, min {min(received):.4e}")


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="ghost update of a distributed array")
    parser.add_argument("-s", "--size", type=positive, default=32, help="rows along a block's edge")
    parser.add_argument("-n", "--niter", type=positive, default=100, help="number of updates")
    parser.add_argument(
        "--vdim", type=positive, nargs="+", default=[6, 20, 120], help="numbers of a row"
    )
    parser.add_argument("--transport", default="auto", help="see transrank.transports()")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    volume, face = options.size**3, 6 * options.size**2
    tell(f"{COMM.size} ranks, {options.size}^3 rows each, {options.niter} updates")
    tell(f"volume {volume} rows, six faces {face} rows, {face / volume:.2%}")
    for vdim in options.vdim:
        measure_as_published(options.size, vdim, options.niter, options.transport)
    tell("pattern    vdim mode   counted     moved       update     per rank        total")
    best = 0.0
    for pattern in (corrected(options.size), literal(options.size)):
        for vdim in options.vdim:
            update = Update(pattern, options.size, vdim, options.transport)
            for mode in "ABC":
                update.seconds(mode)  # warm
                seconds = np.median([update.seconds(mode) for _ in range(options.niter)])
                update.check()
                counted = COMM.allreduce(pattern.counted)
                total = 8 * vdim * counted / seconds
                best = max(best, total)
                tell(
                    f"{pattern.name:<10} {vdim:>4} {mode:>4} {counted // COMM.size:>9} "
                    f"{len(pattern.rows):>9} {format_seconds(seconds):>12} "
                    f"{format_rate(total / COMM.size):>12} {format_rate(total):>12}"
                )
    tell(f"best total {format_rate(best)}")


if __name__ == "__main__":
    main()
