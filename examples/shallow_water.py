# SPDX-License-Identifier: BSD-3-Clause
"""Waves of shallow water in a channel: depths in cells, velocities at the edges between them.
mpiexec -n 4 python -m mpi4py examples/shallow_water.py
"""

from mpi4py import MPI

import numpy as np

import transrank

CELLS, STEPS, DT_BY_DX, GRAVITY, DEPTH = (90, 61), 100, 0.1, 9.81, 1.0


def initial(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return 0.1 * np.exp(-((x - 30) ** 2 + (y - 20) ** 2) / 50)


def together(comm: MPI.Intracomm) -> np.ndarray | None:
    cells = transrank.Grid(comm, CELLS, halo=1, periodic=(True, False))
    along, across = cells.staggered(axis=0), cells.staggered(axis=1)
    h, u, v = cells.zeros(), along.zeros(), across.zeros()
    h[cells.owned] = initial(*cells.coordinates())
    halos = cells.halo(h), along.halo(u), across.halo(v)
    _, edges = (length - 2 for length in v.shape)  # one more than cells at the last wall
    for _ in range(STEPS):
        halos[0].update()
        u[along.owned] -= DT_BY_DX * GRAVITY * np.diff(h, axis=0)[:-1, 1:-1]
        v[across.owned] -= DT_BY_DX * GRAVITY * np.diff(h, axis=1)[1:-1, :edges]
        for side, wall in ((-1, 1), (1, -2)):
            if across.at_boundary(axis=1, side=side):
                v[:, wall] = 0
        halos[1].update()
        halos[2].update()
        inflow = np.diff(u, axis=0)[1:, 1:-1] + np.diff(v, axis=1)[1:-1, 1 : h.shape[1] - 1]
        h[cells.owned] -= DT_BY_DX * DEPTH * inflow
    return cells.gather(h)


def alone() -> np.ndarray:
    h = initial(*np.ogrid[: CELLS[0], : CELLS[1]])
    u, v = np.zeros(CELLS), np.zeros((CELLS[0], CELLS[1] + 1))
    for _ in range(STEPS):
        u -= DT_BY_DX * GRAVITY * (h - np.roll(h, 1, axis=0))
        v[:, 1:-1] -= DT_BY_DX * GRAVITY * np.diff(h, axis=1)
        h -= DT_BY_DX * DEPTH * (np.roll(u, -1, axis=0) - u + np.diff(v, axis=1))
    return h


def main() -> None:
    comm = MPI.COMM_WORLD
    h = together(comm)
    if comm.rank == 0:
        assert np.array_equal(h, alone())
        print(f"{comm.size} ranks, {STEPS} steps, as on one rank; volume {h.sum():.6f}")


if __name__ == "__main__":
    main()
