# SPDX-License-Identifier: BSD-3-Clause
"""Rows divided among ranks, each of which also holds copies of some rows of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from transrank import memory, route
from transrank.agreement import agree, require_communicator
from transrank.exchange.exchange import Exchange
from transrank.exchange.fields import check_is_array
from transrank.exchange.halo import Halo, one_by_one
from transrank.layout import Numbering
from transrank.route.indices import as_indices, as_integers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from mpi4py.MPI import Intracomm

    from numpy.typing import ArrayLike, DTypeLike, NDArray


class Ghosts:
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

    Raises
    ------
    AgreedError
        on every rank, when on any of them an argument is wrong or a wanted row does not exist.
    """

    def __init__(self, comm: Intracomm, owned: SupportsIndex, wanted: ArrayLike) -> None:
        require_communicator(comm)
        self._comm = comm
        self._numbers = Numbering(comm, owned)
        begin, end = self._numbers.owned

        def of_others() -> NDArray[np.int64]:
            what = f"the list of wanted rows on rank {comm.rank}"
            given = as_indices(what, np.asarray(wanted).reshape(-1))
            return np.unique(given[(given < begin) | (given >= end)])

        self._ghosts = agree(comm, of_others)
        self._owned = end - begin
        self._route = route.ghost_pull(comm, self._numbers, self._ghosts, begin=self._owned)

    @property
    def comm(self) -> Intracomm:
        """The communicator."""
        return self._comm

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
    def route(self) -> route.Route:
        """The route from owned rows to ghosts, for `Exchange`; ``transposed()`` leads back."""
        return self._route

    def local(self, indices: ArrayLike) -> NDArray[np.int64]:
        """Where rows lie in this rank's arrays, by global indices of any shape.

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

    def zeros(
        self, components: SupportsIndex | Sequence[SupportsIndex] = (), dtype: DTypeLike = float
    ) -> NDArray[Any]:
        """A new array of zeros in node-shared memory: all local rows, owned ones and ghosts.

        `components` is the length of a row, or the shape of one. Raises as `transrank.zeros`. Not
        collective.
        """
        return memory.zeros((self._rows, *as_integers("components", components)), dtype)

    def halo(self, *arrays: NDArray[Any]) -> Halo:
        """Collective. Bind arrays to the update of their ghosts; ``update()`` in each step.

        The arrays are C-contiguous; their first axis counts the local rows. Type and shape of a row
        are the same on every rank. Arrays are kept alive and must not be resized.
        """
        return Halo(self._route, self._comm, lambda: self._checked(arrays))

    def update(self, *arrays: NDArray[Any]) -> None:
        """Collective. Copy rows of their owners into the ghosts once; `halo` binds arrays."""
        with self.halo(*arrays) as bound:
            bound.update()

    def add(self, *arrays: NDArray[Any]) -> None:
        """Collective. Add the ghosts of all ranks to the rows of their owners.

        The ghosts themselves are left as they are. The sums are bitwise reproducible: contributions
        are added in the order of their ranks.
        """
        back = self._route.transposed()
        with Exchange(back, self._comm, lambda: self._checked(arrays), "add") as bound:
            bound.run()

    @property
    def _rows(self) -> int:
        return self._owned + len(self._ghosts)

    def _checked(self, arrays: tuple[NDArray[Any], ...]) -> list[NDArray[Any]]:
        for number, array in enumerate(one_by_one(arrays)):
            what = f"array {number} on rank {self._comm.rank}"
            check_is_array(what, array)
            if array.ndim == 0 or len(array) < self._rows:
                raise ValueError(
                    f"{what} has shape {array.shape}; it needs {self._rows} rows: {self._owned} "
                    f"owned ones and {len(self._ghosts)} ghosts, as mesh.zeros makes them"
                )
        return list(arrays)

    def __reduce__(self) -> Any:
        raise TypeError("Ghosts hold a communicator and cannot be copied; their route can")

    def __repr__(self) -> str:
        begin, end = self._numbers.owned
        return (
            f"<Ghosts of {self._numbers.extent} rows; rank {self._comm.rank} owns {begin}:{end} "
            f"and has {len(self._ghosts)} ghosts>"
        )
