# SPDX-License-Identifier: BSD-3-Clause
"""Routes between arbitrary lists of indices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transrank import _core
from transrank.agreement import agree, require_communicator
from transrank.route.indices import as_indices

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    from numpy.typing import ArrayLike


def lists(comm: Intracomm, source: ArrayLike, destination: ArrayLike) -> _core.Route:
    """Collective. The route between lists of global indices, in any order, on both sides.

    Entry i of a rank's `destination` list gets the entry with the same index from the rank that has
    it in its `source` list. An index may be requested several times, by several ranks, and from the
    rank itself; an index that no rank requests does not move. Ranks find each other in a
    distributed directory, of which each holds an even share.

    Raises AgreedError when an index is negative, is listed twice in the sources, or is requested
    but in no source list.
    """
    require_communicator(comm)
    both = agree(
        comm,
        lambda: (
            as_indices(f"the source list on rank {comm.rank}", source),
            as_indices(f"the destination list on rank {comm.rank}", destination),
        ),
    )
    return _core.lists_to_lists(comm, *both)
