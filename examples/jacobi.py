# SPDX-License-Identifier: BSD-3-Clause
"""Laplace's equation by weighted Jacobi steps with a fourth-order stencil: a halo of two cells.
mpiexec -n 4 python -m mpi4py examples/jacobi.py
"""

from mpi4py import MPI

import numpy as np

import transrank

CELLS, STEPS, WEIGHT = (230, 417), 200, 0.8


def relaxed(u: np.ndarray) -> np.ndarray:
    """One step, for all cells of an array except two at each side."""
    near = u[1:-3, 2:-2] + u[3:-1, 2:-2] + u[2:-2, 1:-3] + u[2:-2, 3:-1]
    far = u[:-4, 2:-2] + u[4:, 2:-2] + u[2:-2, :-4] + u[2:-2, 4:]
    return (1 - WEIGHT) * u[2:-2, 2:-2] + WEIGHT * (16 * near - far) / 60


def together(comm: MPI.Intracomm) -> np.ndarray | None:
    grid = transrank.Grid(comm, CELLS, halo=2)
    u = grid.zeros()
    if grid.at_boundary(axis=0, side=-1):
        u[:2] = 1  # the upper edge; an update leaves the halo outside the grid as it is
    halo = grid.halo(u)
    for _ in range(STEPS):
        halo.update()
        u[grid.owned] = relaxed(u)
    return grid.gather(u)


def alone() -> np.ndarray:
    u = np.zeros([length + 4 for length in CELLS])
    u[:2] = 1
    for _ in range(STEPS):
        u[2:-2, 2:-2] = relaxed(u)
    return u[2:-2, 2:-2]


def main() -> None:
    comm = MPI.COMM_WORLD
    u = together(comm)
    if comm.rank == 0:
        assert np.array_equal(u, alone())
        print(f"{comm.size} ranks, {STEPS} steps, as on one rank; mean {u.mean():.6f}")


if __name__ == "__main__":
    main()
