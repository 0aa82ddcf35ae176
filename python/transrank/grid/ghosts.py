# SPDX-License-Identifier: BSD-3-Clause
"""Rows divided among ranks; each rank also holds copies of some rows of other ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from transrank.agreement import agree_on, require_communicator
from transrank.exchange.fields import check_is_array
from transrank.grid.halo import WithHalo
from transrank.layout import Numbering
from transrank.route import ghost_pull
from transrank.route.indices import as_flag, as_indices, as_integers

if TYPE_CHECKING:
    from typing import SupportsIndex

    from mpi4py.MPI import Intracomm

    from numpy.typing import ArrayLike, NDArray

    from transrank.grid.halo import Array, Components
    from transrank.route import Route


class Ghosts(WithHalo):
    """Rows that this rank owns, followed in the same array by its ghosts: copies of others' rows.

    Rows have global indices in the order of the ranks: rank 0 owns the first rows. A row holds the
    values of one cell, vertex or particle.

    Parameters
    ----------
    comm
        an intracommunicator of mpi4py. Creating ghosts is collective over it.
    owned
        the number of rows that this rank owns.
    wanted
        global indices of the rows that this rank needs, in an array of any shape and in any order;
        they may repeat and include owned rows. The wanted rows that other ranks own become this
        rank's ghosts.
    together
        a promise, as for an `Exchange`: before a rank starts an update or an `add`, it never waits
        for another rank to finish the same update or `add`.

    Raises
    ------
    AgreedError
        on every rank, when on any rank an argument is invalid or a wanted row does not exist.
    """

    _axes = 1

    def __init__(
        self,
        comm: Intracomm,
        owned: SupportsIndex,
        wanted: ArrayLike,
        *,
        together: bool = False,
    ) -> None:
        require_communicator(comm)
        self._comm = comm
        self._numbers = Numbering(comm, owned)
        begin, end = self._numbers.owned

        def of_others() -> tuple[list[str], NDArray[np.int64]]:
            self._together = as_flag("together", together)
            what = f"the list of wanted rows on rank {comm.rank}"
            given = as_indices(what, np.asarray(wanted).reshape(-1))
            others = np.unique(given[(given < begin) | (given >= end)])
            return [f"together={self._together}"], others

        self._ghosts = agree_on(comm, "makes ghosts with", of_others)
        self._owned = end - begin
        self._route = ghost_pull(comm, self._numbers, self._ghosts, begin=self._owned)
        self._updates = {}

    @property
    def owned(self) -> slice:
        """The owned rows, as a slice of this rank's arrays; the ghosts follow them."""
        return slice(0, self._owned)

    @property
    def indices(self) -> NDArray[np.int64]:
        """The global index of each local row: first the owned rows, then the ghosts."""
        begin, end = self._numbers.owned
        return np.concatenate([np.arange(begin, end), self._ghosts])

    @property
    def route(self) -> Route:
        """The route from owned rows to ghosts, for an `Exchange`.

        ``route.transposed()`` is the route from ghosts to owned rows.
        """
        return self._route

    def local(self, indices: ArrayLike) -> NDArray[np.int64]:
        """Return the positions in this rank's arrays of the rows with these global `indices`.

        `indices` is an array of integers; the result has its shape. Not collective. Raises
        ValueError, on this rank alone, when a row is neither owned by this rank nor one of its
        ghosts.
        """
        given = np.asarray(indices)
        wanted = as_indices("the list of rows", given.reshape(-1)).reshape(given.shape)
        begin, end = self._numbers.owned
        found = np.searchsorted(self._ghosts, wanted)
        there = np.append(self._ghosts, -1)[found] == wanted
        own = (wanted >= begin) & (wanted < end)
        if not np.all(own | there):
            missing = wanted[~(own | there)].flat[0]
            raise ValueError(
                f"row {missing} is neither owned by rank {self._comm.rank}, which owns "
                f"{begin}:{end}, nor among the {len(self._ghosts)} ghosts that it wanted"
            )
        return np.where(own, wanted - begin, self._owned + found)

    def add(self, *arrays: Array) -> None:
        """Add each ghost in `arrays` to the owned row that it copies, for the ghosts of all ranks.

        The first call for arrays of these shapes, strides and types is collective, and must be the
        first on every rank. Later calls are not collective, but every neighbor must make them. The
        ghosts themselves do not change. The sums are bitwise reproducible, because contributions
        are added in the order of their ranks. Raises the same exceptions as `update`.
        """
        self._move_any(arrays, lambda: ([], self._route.transposed()), "add")

    @property
    def _rows(self) -> int:
        return self._owned + len(self._ghosts)

    def _shape(self, components: Components) -> tuple[int, ...]:
        return self._rows, *as_integers("components", components)

    def _halo_route(self) -> tuple[list[str], Route]:
        return [], self._route

    def _fields_of(self, array: Array, name: str) -> list[Array]:
        what = f"{name} on rank {self._comm.rank}"
        check_is_array(what, array)
        if array.ndim == 0 or len(array) != self._rows:
            turned = "; the first axis is that of the rows" * (self._rows in array.shape[1:])
            raise ValueError(
                f"{what} has shape {array.shape}; it needs {self._rows} rows: {self._owned} "
                f"owned ones and {len(self._ghosts)} ghosts, as mesh.zeros makes them{turned}"
            )
        return [array]

    def __repr__(self) -> str:
        begin, end = self._numbers.owned
        return (
            f"<Ghosts of {self._numbers.extent} rows; rank {self._comm.rank} owns {begin}:{end} "
            f"and has {len(self._ghosts)} ghosts>"
        )
