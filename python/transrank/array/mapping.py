# SPDX-License-Identifier: BSD-3-Clause
"""Which rows are ghosts of which, and how such rows are bound to an exchange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from transrank.exchange import Exchange
from transrank.route import Route

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    import numpy as np
    from numpy.typing import NDArray

    from transrank.array.par_array import ParArray
    from transrank.layout import Numbering


@dataclass(frozen=True)
class Mapping:
    """Whatever the rows hold: it serves arrays of any type and row length.

    Attributes
    ----------
    numbering
        the global indices of the rows that each rank owns.
    route
        from owned rows to ghost rows, counted in rows.
    ghosts
        the global index of each ghost row.
    """

    numbering: Numbering
    route: Route
    ghosts: NDArray[np.int64]


def bind(
    route: Route,
    comm: Intracomm,
    source: ParArray,
    destination: ParArray,
    operation: str,
    options: dict[str, Any],
) -> Exchange:
    """Collective. `route` counts in rows where all have one length, in elements otherwise."""
    if source.kind == "fixed" and source.rows.pitch == 0:  # nothing to move
        route = Route(route.rank, route.ranks, 0, 0, [], [])
    return Exchange(route, comm, (source.bindable, destination.bindable), operation, **options)
