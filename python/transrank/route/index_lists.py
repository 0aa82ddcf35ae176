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
    """Collective. The route that gives each wanted index from whichever rank has it.

    Entry i of a rank's `destination` list gets the entry of equal index of some rank's `source`
    list. An index may be wanted any number of times, by several ranks, and from the rank itself;
    one that nobody wants stays where it is. Ranks find each other in a distributed directory, of
    which none holds more than its share.

    Raises AgreedError when an index is negative, stands in the sources twice, or is wanted and
    stands in none.
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
