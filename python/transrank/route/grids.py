# SPDX-License-Identifier: BSD-3-Clause
"""Routes between the blocks of a grid; each rank computes its route without communication."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transrank import _core
from transrank.agreement import agree_on, require_communicator
from transrank.route.indices import as_flag

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def halo(comm: Intracomm, grid: _core.BlockGrid, *, corners: bool = True) -> _core.Route:
    """Collective. Make the route of a halo update: from owned cells to halo cells of one array.

    The source and the destination are the same array: the rank's whole local array of `grid`, halo
    included. The units of the route are cells, so pass ``dimensions=grid.dimensions`` to the
    Exchange. If `corners` is false, only halo cells beyond a single face of the block are filled,
    which is enough for a star-shaped stencil. Raises AgreedError when the grid was made without a
    halo (with a halo of width 0, the route moves nothing), or when a part is thinner than the halo
    that its neighbor needs from it.
    """
    require_communicator(comm)

    def make() -> tuple[list[str], _core.Route]:
        included = as_flag("corners", corners)
        route = _core.halo(comm.rank, comm.size, grid, included)
        return [*grid.words(), f"corners={included}"], route

    return agree_on(comm, "makes the halo route of", make)


def redistribution(
    comm: Intracomm,
    source: _core.BlockGrid,
    destination: _core.BlockGrid,
    *,
    fill_halo: bool = False,
) -> _core.Route:
    """Collective. Make the route that moves cells from one layout of a grid to another.

    `source` and `destination` are the layouts. The units of the route are cells of the local
    arrays, halo included. If `fill_halo` is true, the halo cells of the destination are filled too.
    Raises AgreedError when the two layouts differ in an extent of the grid (the length of a
    dimension), or when a layout names a rank that does not exist.
    """
    require_communicator(comm)

    def make() -> tuple[list[str], _core.Route]:
        fills = as_flag(f"fill_halo on rank {comm.rank}", fill_halo)
        route = _core.redistribution(comm.rank, comm.size, source, destination, fills)
        both = {"from": source, "to": destination}
        words = [f"{way} {word}" for way, grid in both.items() for word in grid.words()]
        return [f"cells with fill_halo={fills}", *words], route

    return agree_on(comm, "redistributes", make)
