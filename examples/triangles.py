# SPDX-License-Identifier: BSD-3-Clause
"""Heat in a mesh of triangles: linear elements, whose sums go to the owners of the vertices.
mpiexec -n 4 python -m mpi4py examples/triangles.py
"""

from mpi4py import MPI

import numpy as np

import transrank

SIDE, STEPS, DT = 40, 20, 5e-5


def make_mesh() -> tuple[np.ndarray, np.ndarray]:
    """Points of a square, moved a little, and the corners of its triangles."""
    points = np.stack(np.mgrid[: SIDE + 1, : SIDE + 1], axis=-1).reshape(-1, 2) / SIDE
    points += 0.2 * np.sin(np.arange(points.size)).reshape(points.shape) / SIDE
    a = np.arange(len(points)).reshape(SIDE + 1, SIDE + 1)[:-1, :-1].ravel()
    b, c, d = a + 1, a + SIDE + 1, a + SIDE + 2
    return points, np.concatenate([np.stack([a, b, c], -1), np.stack([d, c, b], -1)])


def elements(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A third of each triangle's area, and its stiffness matrix."""
    opposite = np.roll(corners, -1, axis=1) - np.roll(corners, 1, axis=1)
    area = np.abs(np.linalg.det(opposite[:, :2])) / 2
    return area / 3, opposite @ opposite.swapaxes(1, 2) / (4 * area[:, None, None])


def initial(points: np.ndarray) -> np.ndarray:
    return np.sin(3 * points[:, 0]) * points[:, 1]


def together(comm: MPI.Intracomm) -> np.ndarray:
    """The temperatures of this rank's vertices."""
    points, triangles = (np.array_split(part, comm.size)[comm.rank] for part in make_mesh())
    mesh = transrank.Ghosts(comm, owned=len(points), wanted=triangles)
    where, mass, u, change = mesh.zeros(2), mesh.zeros(), mesh.zeros(), mesh.zeros()
    where[mesh.owned] = points
    u[mesh.owned] = initial(points)
    mesh.update(where, u)
    corners = mesh.local(triangles)
    areas, stiffness = elements(where[corners])
    np.add.at(mass, corners, areas[:, None])
    mesh.add(mass)
    halo = mesh.halo(u)
    for _ in range(STEPS):
        halo.update()
        change[:] = 0
        np.add.at(change, corners, (stiffness @ u[corners][..., None])[..., 0])
        mesh.add(change)
        u[mesh.owned] -= DT * change[mesh.owned] / mass[mesh.owned]
    return u[mesh.owned]


def alone() -> np.ndarray:
    points, triangles = make_mesh()
    areas, stiffness = elements(points[triangles])
    mass = np.bincount(triangles.ravel(), areas.repeat(3))
    u = initial(points)
    for _ in range(STEPS):
        change = (stiffness @ u[triangles][..., None]).ravel()
        u -= DT * np.bincount(triangles.ravel(), change) / mass
    return u


def main() -> None:
    comm = MPI.COMM_WORLD
    parts = comm.gather(together(comm))
    if comm.rank == 0:
        u = np.concatenate(parts)
        np.testing.assert_allclose(u, alone(), rtol=0, atol=1e-13)
        print(f"{comm.size} ranks, {STEPS} steps, as on one rank; mean {u.mean():.6f}")


if __name__ == "__main__":
    main()
