# SPDX-License-Identifier: BSD-3-Clause
"""Rows divided among ranks, each of which also holds copies of some rows of the others."""

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
    """Rows that this rank owns, and behind them its ghosts: copies of rows of other ranks.

    Rows are numbered globally in the order of the ranks: rank 0 owns the first ones. A row is what
    belongs to a cell, a vertex or a particle.

    Parameters
    ----------
    comm
        an intracommunicator of mpi4py. Making it is collective over it.
    owned
        the number of rows that this rank owns.
    wanted
        global indices of the rows that this rank needs, of any shape and in any order; they may
        repeat, and include own rows. Those of other ranks become its ghosts.
    together
        a promise for `halo`, `update` and `add`, as for an `Exchange`: no rank puts off their start
        until another rank has finished one.

    Raises
    ------
    AgreedError
        on every rank, when on any of them an argument is wrong or a wanted row does not exist.
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
        """The owned rows, as a slice of this rank's arrays; the ghosts lie behind them."""
        return slice(0, self._owned)

    @property
    def indices(self) -> NDArray[np.int64]:
        """The global index of each local row: first of the owned ones, then of the ghosts."""
        begin, end = self._numbers.owned
        return np.concatenate([np.arange(begin, end), self._ghosts])

    @property
    def route(self) -> Route:
        """The route from owned rows to ghosts, for `Exchange`; ``transposed()`` leads back."""
        return self._route

    def local(self, indices: ArrayLike) -> NDArray[np.int64]:
        """The places of rows in this rank's arrays, by global indices of any shape.

        Raises ValueError, on this rank, when one is neither owned nor a ghost here.
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
        """Add the ghosts of all ranks to the rows of their owners. Collective as `update` is.

        The ghosts themselves are left as they are. The sums are bitwise reproducible: contributions
        are added in the order of their ranks.
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
        if array.ndim == 0 or len(array) < self._rows:
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
