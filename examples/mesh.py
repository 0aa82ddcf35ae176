# SPDX-License-Identifier: BSD-3-Clause
"""A tetrahedral mesh over several ranks: ghosts of vertices, and sums over cells for their owners.

    mpiexec -n 4 python -m mpi4py examples/mesh.py

gmsh makes the mesh of a ball (pip install gmsh; on Debian it also needs libglu1-mesa, libxcursor1,
libxft2 and libxinerama1). Rank 0 cuts it by recursive bisection and deals it out: from then on each
rank knows its own cells, the vertices that it owns, and the global numbers of those that others do.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from mpi4py import MPI

import numpy as np
from numpy.typing import NDArray

import transrank
from transrank.command import require

COMM = MPI.COMM_WORLD
Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """What a rank gets of the mesh: vertices are numbered by owner."""

    cells: Integers  # global numbers of four vertices each
    points: Numbers  # coordinates of the vertices that the rank owns


def make_mesh(edge: float) -> tuple[Integers, Numbers]:
    """Cells and points of a ball of radius 1."""
    require(["gmsh"], "gmsh")
    import gmsh

    gmsh.initialize(interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.option.setNumber("Mesh.MeshSizeMax", edge)
        gmsh.model.occ.addSphere(0, 0, 0, 1)
        gmsh.model.occ.synchronize()
        gmsh.model.mesh.generate(3)
        tags, coordinates, _ = gmsh.model.mesh.getNodes()
        _, corners = gmsh.model.mesh.getElementsByType(
            gmsh.model.mesh.getElementType("tetrahedron", 1)
        )
    finally:
        gmsh.finalize()
    used, cells = np.unique(corners, return_inverse=True)
    place = {tag: number for number, tag in enumerate(tags.tolist())}
    points = coordinates.reshape(-1, 3)[[place[tag] for tag in used.tolist()]]
    return cells.reshape(-1, 4).astype(np.int64), points


def bisect(centers: Numbers, parts: int) -> Integers:
    """The part of each cell: the longest side is halved again and again."""
    if parts == 1:
        return np.zeros(len(centers), np.int64)
    axis = int(np.argmax(np.ptp(centers, axis=0)))
    order = np.argsort(centers[:, axis], kind="stable")
    left = parts // 2
    low, high = np.split(order, [len(order) * left // parts])
    part = np.empty(len(centers), np.int64)
    part[low] = bisect(centers[low], left)
    part[high] = left + bisect(centers[high], parts - left)
    return part


def divide(cells: Integers, points: Numbers, parts: int) -> list[Part]:
    """Each cell to one part, each vertex to the lowest part that has a cell there."""
    part_of_cell = bisect(points[cells].mean(axis=1), parts)
    owner = np.full(len(points), parts)
    np.minimum.at(owner, cells.ravel(), part_of_cell.repeat(4))
    order = np.argsort(owner, kind="stable")  # of vertices, by owner
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    return [
        Part(number[cells[part_of_cell == part]], points[order[owner[order] == part]])
        for part in range(parts)
    ]


def volumes(corners: Numbers) -> Numbers:
    """Of tetrahedra given by their corners: (cells, 4, 3)."""
    edges = corners[:, 1:] - corners[:, :1]
    return np.abs(np.linalg.det(edges)) / 6


def main() -> None:
    parser = argparse.ArgumentParser(description="vertex ghosts of a tetrahedral mesh")
    parser.add_argument("--edge", type=float, default=0.25, help="length of edges; radius is 1")
    mesh = make_mesh(parser.parse_args().edge) if COMM.rank == 0 else None
    part = COMM.scatter(divide(*mesh, COMM.size) if mesh else None, root=0)

    # Copies of the vertices of my cells that others own, behind mine.
    vertices = transrank.Ghosts(COMM, owned=len(part.points), wanted=part.cells)
    points, mass = vertices.zeros(3), vertices.zeros()
    points[vertices.owned] = part.points
    vertices.update(points)

    # A quarter of each cell's volume to each of its vertices, whoever owns it.
    local = vertices.local(part.cells)
    volume = volumes(points[local])
    np.add.at(mass, local, volume[:, None] / 4)
    vertices.add(mass)

    check(mesh, part, mass[vertices.owned], volume)


def check(
    mesh: tuple[Integers, Numbers] | None, part: Part, mass: Numbers, volume: Numbers
) -> None:
    """Beside the same sums on one rank; the vertices are told apart by where they lie."""
    gathered = COMM.gather((part.points, mass, volume.sum(), len(part.cells)), root=0)
    if mesh is None:
        return
    cells, points = mesh
    alone = np.bincount(cells.ravel(), (volumes(points[cells]) / 4).repeat(4), len(points))
    together = np.concatenate([mass for _, mass, _, _ in gathered])
    where = np.concatenate([points for points, _, _, _ in gathered])
    np.testing.assert_array_equal(where[np.lexsort(where.T)], points[np.lexsort(points.T)])
    np.testing.assert_allclose(
        together[np.lexsort(where.T)], alone[np.lexsort(points.T)], rtol=1e-12
    )
    per_rank = ", ".join(str(count) for _, _, _, count in gathered)
    print(f"{len(cells)} cells ({per_rank}), {len(points)} vertices")
    print(f"volume {together.sum():.4f}; of the ball {4 * np.pi / 3:.4f}")


if __name__ == "__main__":
    main()
