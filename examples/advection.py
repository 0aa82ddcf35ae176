# SPDX-License-Identifier: BSD-3-Clause
"""A field carried round a torus by a constant velocity: upwind, its halo updated in each step.
mpiexec -n 4 python -m mpi4py examples/advection.py --velocity 0.5 -0.25 --order 2
"""

import argparse

from mpi4py import MPI

import numpy as np

import transrank

INITIAL = {
    "sin-x": lambda x, y: np.sin(x) + 0 * y,
    "sin-x-sin-y": lambda x, y: np.sin(x) * np.sin(y),
    "gaussian": lambda x, y: np.exp(-2 * ((x - np.pi) ** 2 + (y - np.pi) ** 2)),
    "top-hat": lambda x, y: 1.0 * (np.maximum(abs(x - np.pi), abs(y - np.pi)) < np.pi / 2),
}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--initial", choices=INITIAL, default="gaussian")
    parser.add_argument("--order", type=int, choices=(1, 2), default=2)
    parser.add_argument("--points", type=int, default=100, help="in each dimension")
    parser.add_argument("--velocity", type=float, nargs=2, default=(0.5, 0.5))
    parser.add_argument("--dt", type=float, default=0.05)
    parser.add_argument("--steps", type=int, default=50)
    return parser.parse_args()


def weights(order: int, courant: float) -> list[float]:
    """Of a point and of those upwind of it: donor cell, or Warming & Beam (1976)."""
    c = abs(courant)
    return [1 - c, c] if order == 1 else [1 - c * (3 - c) / 2, c * (2 - c), c * (c - 1) / 2]


def main() -> None:
    asked, comm = parse(), MPI.COMM_WORLD
    spacing = 2 * np.pi / asked.points
    courant = [velocity * asked.dt / spacing for velocity in asked.velocity]
    if max(map(abs, courant)) > asked.order:
        raise SystemExit(f"|velocity| dt/h = {max(map(abs, courant)):.3g} exceeds {asked.order}")

    halo = [(asked.order, 0) if c >= 0 else (0, asked.order) for c in courant]
    grid = transrank.Grid(comm, (asked.points, asked.points), halo, periodic=True)
    field = grid.zeros()
    owned = field[grid.owned]
    x, y = grid.coordinates(spacing, origin=spacing / 2)

    def exact(time: float) -> np.ndarray:
        u, v = asked.velocity
        return INITIAL[asked.initial]((x - u * time) % (2 * np.pi), (y - v * time) % (2 * np.pi))

    upwind_halo = grid.halo(field)
    owned[:] = exact(0)
    mass = comm.allreduce(owned.sum())
    for _ in range(asked.steps):
        upwind_halo.update()
        swept = field  # along one dimension after the other, the halo of the second included
        for axis, (c, n) in enumerate(zip(courant, owned.shape, strict=True)):
            first = asked.order if c >= 0 else 0
            upwind = [first - k if c >= 0 else k for k in range(asked.order + 1)]
            parts_of = (np.take(swept, range(i, i + n), axis) for i in upwind)
            swept = sum(w * p for w, p in zip(weights(asked.order, c), parts_of, strict=True))
        owned[:] = swept
    error = comm.allreduce(abs(owned - exact(asked.steps * asked.dt)).sum()) / asked.points**2
    drift = abs(comm.allreduce(owned.sum()) - mass)
    if comm.rank == 0:
        print(f"{comm.size} ranks, {asked.steps} steps, mean error {error:.2e}, mass {drift:.0e}")


main()
