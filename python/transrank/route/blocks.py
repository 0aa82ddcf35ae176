# SPDX-License-Identifier: BSD-3-Clause
"""The routes of MPI_Alltoall and MPI_Alltoallv."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from transrank import _core
from transrank.agreement import agree, require_communicator
from transrank.route.indices import as_indices

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    from numpy.typing import ArrayLike, NDArray


def alltoall(comm: Intracomm, units: int) -> _core.Route:
    """Collective. `units` units to every rank and from every rank, in the order of the ranks."""
    require_communicator(comm)
    return agree(comm, lambda: _core.alltoall(comm.rank, comm.size, units))


def alltoallv(
    comm: Intracomm,
    send_counts: ArrayLike,
    receive_counts: ArrayLike,
    *,
    send_displacements: ArrayLike | None = None,
    receive_displacements: ArrayLike | None = None,
) -> _core.Route:
    """Collective. Blocks of units between all ranks, one count per rank.

    Without displacements the blocks lie one after the other. The ranks tell each other where theirs
    lie, by MPI_Alltoall. Raises AgreedError when a block of the sender is not as long as the
    receiver's, or does not exist.
    """
    require_communicator(comm)

    def check() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return (
            _blocks(comm, "send", send_counts, send_displacements),
            _blocks(comm, "receive", receive_counts, receive_displacements),
        )

    sends, receives = agree(comm, check)
    at_target, at_origin = np.empty_like(sends), np.empty_like(receives)
    comm.Alltoall(receives, at_target)
    comm.Alltoall(sends, at_origin)

    def make() -> _core.Route:
        _check_counts(comm.rank, sends, at_target)
        return _core.alltoallv(
            comm.rank, _core_blocks(sends, at_target), _core_blocks(receives, at_origin)
        )

    return agree(comm, make)


def _blocks(
    comm: Intracomm, side: str, counts: ArrayLike, displacements: ArrayLike | None
) -> NDArray[np.int64]:
    """Count and displacement of each rank's block, one row per rank."""
    lengths = as_indices(f"the list of {side} counts on rank {comm.rank}", counts)
    begins = (
        np.cumsum(lengths) - lengths
        if displacements is None
        else as_indices(f"the list of {side} displacements on rank {comm.rank}", displacements)
    )
    if not len(lengths) == len(begins) == comm.size:
        raise ValueError(
            f"{len(lengths)} {side} counts and {len(begins)} displacements on rank {comm.rank} of "
            f"{comm.size}; give one of each per rank"
        )
    return np.stack([lengths, begins], axis=1)


def _check_counts(rank: int, sends: NDArray[np.int64], at_target: NDArray[np.int64]) -> None:
    for peer, (ours, theirs) in enumerate(zip(sends[:, 0], at_target[:, 0], strict=True)):
        if ours != theirs:
            raise ValueError(
                f"rank {rank} sends {ours} units to rank {peer}, which receives {theirs} from it"
            )


def _core_blocks(
    own: NDArray[np.int64], at_peer: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Counts, displacements, and displacements in the peers' arrays."""
    counts, begins, begins_at_peer = map(np.ascontiguousarray, (*own.T, at_peer[:, 1]))
    return counts, begins, begins_at_peer
