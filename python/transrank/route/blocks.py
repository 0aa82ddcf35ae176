# SPDX-License-Identifier: BSD-3-Clause
"""The routes of MPI_Alltoall and MPI_Alltoallv."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from transrank import _core
from transrank.agreement import agree, agree_on, require_communicator
from transrank.route.indices import as_indices

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    from numpy.typing import ArrayLike, NDArray

    _Blocks = tuple[NDArray[np.int64], NDArray[np.int64]]


def alltoall(comm: Intracomm, units: int) -> _core.Route:
    """Collective. Make the route of MPI_Alltoall: every rank sends `units` units to every rank.

    The blocks are in rank order. The source and the destination have ``comm.size * units`` units
    each; a unit is what one index of the route moves. Raises AgreedError when `units` is negative
    or too large, or differs between ranks.
    """
    require_communicator(comm)

    def make() -> tuple[list[str], _core.Route]:
        return [f"{units} units"], _core.alltoall(comm.rank, comm.size, units)

    return agree_on(comm, "makes the route of an alltoall of", make)


def alltoallv(
    comm: Intracomm,
    send_counts: ArrayLike,
    receive_counts: ArrayLike,
    *,
    send_displacements: ArrayLike | None = None,
    receive_displacements: ArrayLike | None = None,
) -> _core.Route:
    """Collective. Make the route of MPI_Alltoallv: blocks of units between all ranks.

    Parameters
    ----------
    send_counts, receive_counts
        the number of units sent to, or received from, each rank: one count per rank.
    send_displacements, receive_displacements
        the first unit of each block; by default, the blocks lie one after the other.

    Raises
    ------
    AgreedError
        when a list does not have one entry per rank, an entry is negative, or the sender and the
        receiver of a block give it different lengths.
    """
    require_communicator(comm)

    def check() -> tuple[_Blocks, _Blocks]:
        return (
            _blocks(f"send {{}} on rank {comm.rank}", send_counts, send_displacements),
            _blocks(f"receive {{}} on rank {comm.rank}", receive_counts, receive_displacements),
        )

    return _core.blocks_to_blocks(comm, *agree(comm, check))


def _blocks(what: str, counts: ArrayLike, displacements: ArrayLike | None) -> _Blocks:
    """Count and displacement of each rank's block."""
    lengths = as_indices(f"the list of {what.format('counts')}", counts)
    if displacements is None:
        return lengths, np.cumsum(lengths) - lengths
    return lengths, as_indices(f"the list of {what.format('displacements')}", displacements)
