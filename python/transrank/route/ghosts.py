# SPDX-License-Identifier: BSD-3-Clause
"""Routes from owned rows to ghosts, requested by the receivers or by the owners of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transrank import _core
from transrank.agreement import agree, called, require_communicator, settled
from transrank.route.indices import as_index, as_indices, as_ranks

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Owners: TypeAlias = _core.Distribution | _core.Numbering


def ghost_pull(
    comm: Intracomm,
    owners: _core.Distribution | _core.Numbering,
    ghosts: ArrayLike,
    *,
    begin: int = 0,
    extent: int | None = None,
) -> _core.Route:
    """Collective. Make the route that fetches rows from their owners by their global indices.

    Parameters
    ----------
    owners
        which rank owns which row: a Distribution whose parts are the ranks, or a Numbering of the
        rows that each rank owns.
    ghosts
        the global indices of the rows to fetch, in any order; they may repeat, and may include rows
        that this rank owns. Ghost i arrives at row ``begin + i`` of the destination.
    begin, extent
        the row of the first ghost in the destination, and the number of rows of the destination. By
        default, the destination begins with the first ghost and ends with the last.

    Raises
    ------
    AgreedError
        when an index has no owner, the ghosts do not fit in `extent` rows, or ranks pass different
        owners.
    """
    require_communicator(comm)

    def check() -> tuple[tuple[()], tuple[Owners, NDArray[np.int64], int, int]]:
        rank = comm.rank
        wanted = as_indices(f"the list of ghosts on rank {rank}", ghosts)
        first = as_index(f"begin on rank {rank}", begin)
        least = first + len(wanted)
        end = as_index(f"extent on rank {rank}", least if extent is None else extent)
        return (), (_owners(owners, rank), wanted, first, end)

    return settled(_core.ghost_pull(comm, called(), check))


def ghost_push(
    comm: Intracomm,
    owners: _core.Distribution | _core.Numbering,
    rows: ArrayLike,
    targets: ArrayLike,
    *,
    begin: int = 0,
) -> tuple[_core.Route, NDArray[np.int64]]:
    """Collective. Make the route by which owners send rows to ranks that have not requested them.

    Local row ``rows[i]`` goes to rank ``targets[i]``; `owners` is a Distribution or Numbering as
    for `ghost_pull`. The ghosts of a rank are the rows sent to it, ordered by sending rank, and
    then as in the sender's `rows`. The ghosts begin at row `begin` of the destination.

    Returns the route, and the global indices of this rank's ghosts; `ghost_pull` with these indices
    makes the same route. Raises AgreedError when a rank does not own a listed row, a target is not
    a rank, or `rows` and `targets` differ in length.
    """
    require_communicator(comm)

    def check() -> tuple[NDArray[np.int64], NDArray[np.int32], int]:
        _owners(owners, comm.rank)
        return (
            as_indices(f"the list of rows to push on rank {comm.rank}", rows),
            as_ranks(f"the list of targets on rank {comm.rank}", targets),
            as_index(f"begin on rank {comm.rank}", begin),
        )

    return _core.ghost_push(comm, owners, *agree(comm, check))


def _owners(owners: object, rank: int) -> Owners:
    if not isinstance(owners, (_core.Distribution, _core.Numbering)):
        raise TypeError(
            f"owners on rank {rank} is a {type(owners).__name__}; give a Distribution whose parts "
            "are the ranks, or a Numbering"
        )
    return owners
