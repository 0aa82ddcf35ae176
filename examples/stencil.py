# SPDX-License-Identifier: BSD-3-Clause
"""Heat in a periodic box: a 7-point stencil whose halo is updated in each step.
mpiexec -n 4 python -m mpi4py examples/stencil.py
"""

from mpi4py import MPI

import numpy as np

import transrank

CELLS, STEPS, COEFFICIENT = 48, 20, 0.1


def main() -> None:
    comm = MPI.COMM_WORLD
    parts = MPI.Compute_dims(comm.size, 3)
    grid = transrank.BlockGrid(
        [transrank.Distribution.even(CELLS, n) for n in parts], halo=[(1, 1, True)] * 3
    )
    now, then = (transrank.zeros(grid.local_extents(comm.rank)) for _ in range(2))
    wave = 2 * np.pi / CELLS
    z, y, x = (np.arange(CELLS)[owned] * wave for owned in grid.box(comm.rank))
    start = np.sin(z)[:, None, None] + np.cos(y)[:, None] * np.sin(x)
    now[1:-1, 1:-1, 1:-1] = start

    route = transrank.route.halo(comm, grid, corners=False)
    updates = [transrank.Exchange(route, comm, array, dimensions=3) for array in (now, then)]
    for _ in range(STEPS):
        updates[0].run()
        sides = now[:-2, 1:-1, 1:-1] + now[2:, 1:-1, 1:-1] + now[1:-1, :-2, 1:-1]
        sides += now[1:-1, 2:, 1:-1] + now[1:-1, 1:-1, :-2] + now[1:-1, 1:-1, 2:]
        middle = now[1:-1, 1:-1, 1:-1]
        then[1:-1, 1:-1, 1:-1] = middle + COEFFICIENT * (sides - 6 * middle)
        now, then, updates = then, now, updates[::-1]

    decay = 2 * COEFFICIENT * (np.cos(wave) - 1)  # of a wave along one dimension, per step
    along_z = np.sin(z)[:, None, None]
    exact = along_z * (1 + decay) ** STEPS + (start - along_z) * (1 + 2 * decay) ** STEPS
    error = comm.allreduce(np.abs(now[1:-1, 1:-1, 1:-1] - exact).max(), op=MPI.MAX)
    assert error < 1e-12, error
    if comm.rank == 0:
        print(f"{comm.size} ranks, {STEPS} steps, largest error {error:.1e}")


main()
