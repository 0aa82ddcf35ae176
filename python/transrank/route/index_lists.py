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
    """Collective. Make the route between two lists of global indices on each rank, in any order.

    Element i of a rank's destination array receives the element with global index
    ``destination[i]``. It comes from the rank whose `source` list contains this index: element j of
    that rank's source array has the index ``source[j]``. An index may be requested several times,
    by several ranks, and by the rank that has it in its `source`. An element that no rank requests
    does not move. The ranks find each other through a distributed directory, of which each rank
    holds an equal share.

    Raises AgreedError when an index is negative, is listed twice in the `source` lists, or is
    requested but is in no `source` list.
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
