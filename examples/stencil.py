# SPDX-License-Identifier: BSD-3-Clause
"""Five species that spread in a periodic box and suppress each other in a circle: one array.
mpiexec -n 4 python -m mpi4py examples/stencil.py
"""

from mpi4py import MPI

import numpy as np

import transrank

CELLS, STEPS, SPECIES = (40, 30, 20), 20, 5


def initial(*coordinates: np.ndarray) -> np.ndarray:
    z, y, x = (each[..., None] for each in coordinates)
    return 0.2 + 0.1 * np.sin(z + 2 * np.pi / SPECIES * np.arange(SPECIES)) * np.cos(y) * np.cos(x)


def growth(u: np.ndarray) -> np.ndarray:
    """Of the species, the last axis: each is suppressed by all, most by the one before it."""
    return 0.1 * u * (1 - u.sum(axis=-1, keepdims=True) - np.roll(u, 1, axis=-1))


def spread(u: np.ndarray) -> np.ndarray:
    """The 7-point stencil, for all cells of an array except one at each side."""
    sides = u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1] + u[1:-1, :-2, 1:-1]
    sides += u[1:-1, 2:, 1:-1] + u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:]
    return 0.1 * (sides - 6 * u[1:-1, 1:-1, 1:-1])


def together(comm: MPI.Intracomm) -> np.ndarray | None:
    grid = transrank.Grid(comm, CELLS, halo=1, periodic=True)
    u = grid.zeros(components=SPECIES)
    u[grid.owned] = initial(*grid.coordinates(spacing=[2 * np.pi / length for length in CELLS]))
    halo = grid.halo(u)
    for _ in range(STEPS):
        with halo.updating():  # growth needs no halo
            grown = growth(u[grid.owned])
        u[grid.owned] += grown + spread(u)
    return grid.gather(u)


def alone() -> np.ndarray:
    cells = np.ogrid[tuple(slice(length) for length in CELLS)]
    u = initial(*(2 * np.pi / length * at for length, at in zip(CELLS, cells, strict=True)))
    for _ in range(STEPS):
        u += growth(u) + spread(np.pad(u, [(1, 1)] * 3 + [(0, 0)], mode="wrap"))
    return u


def main() -> None:
    comm = MPI.COMM_WORLD
    u = together(comm)
    if comm.rank == 0:
        assert np.array_equal(u, alone())
        print(f"{comm.size} ranks, {STEPS} steps, as on one rank; mean {u.mean():.6f}")


if __name__ == "__main__":
    main()
