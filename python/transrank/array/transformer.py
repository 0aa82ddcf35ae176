# SPDX-License-Identifier: BSD-3-Clause
"""Copies of other ranks' rows, kept up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from transrank import _core
from transrank.agreement import agree, agree_on, require_communicator
from transrank.array.par_array import ParArray
from transrank.exchange.bound import Bound
from transrank.exchange.exchange import CheckedOptions, Options, check_options
from transrank.exchange.scalars import scalar_of
from transrank.route.indices import as_indices, as_ranks

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack


class ArrayTransformer:
    """Keeps ghosts up to date: `father` holds the rows a rank owns, `son` copies of any rows.

    ::

        transformer = ArrayTransformer(comm, father)
        transformer.create_global_mapping()
        transformer.create_ghost_mapping(global_rows_wanted)
        pull = transformer.init_persistent_pull()
        for step in range(steps):
            pull.start()  # or transformer.start_persistent_pull()
            ...  # compute what needs no ghosts
            pull.wait()
            ...  # transformer.son[i] is the row with global index global_rows_wanted[i]

    Collective methods raise AgreedError with the same words on every rank, before anything has
    moved. From start to wait the array that is read must not change, and the one that is written is
    undefined.

    Parameters
    ----------
    comm
        an intracommunicator of mpi4py. Making a transformer is collective over it.
    father, son
        a ParArray, or a NumPy array whose first dimension counts rows. Without a son the
        transformer makes one, with rows like the father's; a NumPy array given as son must have as
        many rows as there are ghosts.
    """

    def __init__(
        self,
        comm: Intracomm,
        father: ParArray | NDArray[Any],
        son: ParArray | NDArray[Any] | None = None,
    ) -> None:
        require_communicator(comm)
        self.comm = comm
        self._update = _core.GhostUpdate(comm)
        self.set_father_son(father, son)

    def set_father_son(
        self, father: ParArray | NDArray[Any], son: ParArray | NDArray[Any] | None = None
    ) -> None:
        """Collective. Take two arrays, and forget all mappings."""
        self._father, self._given_son = agree(
            self.comm,
            lambda: (_rows_of("father", father), None if son is None else _rows_of("son", son)),
        )
        self._son = self._given_son
        self._pull: Bound | None = None
        self._push: Bound | None = None
        empty = ParArray.fixed(0) if self._son is None else self._son
        self._update.set_father_son(self._father.core, empty.core)

    @property
    def father(self) -> ParArray:
        return self._father

    @property
    def son(self) -> ParArray:
        """The ghosts; raises ValueError before there are any."""
        if self._son is None:
            raise ValueError("there are no ghosts yet; create_ghost_mapping makes them")
        return self._son

    @property
    def numbering(self) -> _core.Numbering | None:
        """The global indices of the father's rows; None before create_global_mapping."""
        return self._update.numbering

    @property
    def mapping(self) -> _core.GhostMapping | None:
        """Which rows are ghosts of which: its `numbering`, its `route` in rows, its `ghosts`.

        Whatever the rows hold: it serves arrays of any type and row length. None before
        create_ghost_mapping, use_route or borrow_mapping.
        """
        return self._update.mapping

    @property
    def ghosts(self) -> NDArray[np.int64]:
        """The global index of each row of the son; -1 where no row arrives. Read-only."""
        mapping = self.mapping
        return np.empty(0, np.int64) if mapping is None else mapping.ghosts

    def create_global_mapping(self) -> None:
        """Collective. Number the fathers' rows through all ranks, in the order of the ranks."""
        self._update.create_global_mapping()

    def create_ghost_mapping(self, pulled: ArrayLike, targets: ArrayLike | None = None) -> None:
        """Collective. Say which rows are ghosts, and make room for them in the son.

        Without `targets`, the son's row i becomes a copy of the row with global index
        ``pulled[i]``. With it, the father's row ``pulled[i]``, a local index, becomes a ghost on
        rank ``targets[i]``: the ghosts of a rank then stand in the order of the ranks that push
        them, and then in that of the lists; `ghosts` gives their global indices. Rows may be
        ghosts several times, also on their own rank.
        """

        def check() -> tuple[NDArray[np.int64]] | tuple[NDArray[np.int64], NDArray[np.int32]]:
            rows = as_indices(f"the list of rows on rank {self.comm.rank}", pulled)
            if targets is None:
                return (rows,)
            return rows, as_ranks(f"the list of targets on rank {self.comm.rank}", targets)

        lists = agree(self.comm, check)
        way = "to be pulled" if targets is None else "to be pushed"
        agree_on(self.comm, "creates ghosts", [way])
        self._update.create_ghost_mapping(*lists)
        self.fit_son()

    def use_route(self, route: _core.Route) -> None:
        """Collective. Take a route from owned rows to ghost rows that exists: one that was loaded.

        What other ranks' rows the ghosts are is found by moving their global indices along it.
        """

        def check() -> None:
            if not isinstance(route, _core.Route):
                raise TypeError(f"a Route is needed, not a {type(route).__name__}")

        agree(self.comm, check)
        self._update.use_route(route)
        self.fit_son()

    def borrow_mapping(self, other: ArrayTransformer) -> None:
        """Collective. Take the mapping of a transformer whose rows may hold anything else.

        The fathers have equally many rows on each rank.
        """
        self._update.borrow_mapping(agree(self.comm, lambda: other._update))
        self.fit_son()

    def fit_son(self) -> None:
        """Collective. Make the son's rows as long as those that they are copies of.

        To be called again when the father's rows have changed their lengths; their number must be
        that of the mapping.
        """
        self._pull = self._push = None
        lengths = self._update.begin_fit()
        self._son = agree(self.comm, lambda: self._fitting_son(lengths))
        self._update.end_fit(self._son.core)

    def init_persistent_pull(self, **options: Unpack[Options]) -> Bound:
        """Collective. Bind the update of the ghosts from their owners, and return it.

        Parameters
        ----------
        transport, push_below_bytes, longest_message_bytes
            as for an `Exchange`.
        """
        self._pull = self._bind("assign", False, options)
        return self._pull

    def start_persistent_pull(self) -> None:
        """Begin the update, as `start` of what init_persistent_pull returned."""
        self._bound("pull").start()

    def test_persistent_pull(self) -> bool:
        """Whether the pull is over; makes progress."""
        return self._bound("pull").test()

    def wait_persistent_pull(self) -> None:
        """Return when the ghosts have arrived and nobody reads this rank's rows any more."""
        self._bound("pull").wait()

    def clear_persistent_pull(self) -> None:
        """Forget the bound pull. Not collective."""
        self._pull = None

    def pull_once(self, **options: Unpack[Options]) -> None:
        """Collective. One pull, bound and forgotten."""
        self._bind("assign", False, options).run()

    def init_persistent_push(self, operation: str, **options: Unpack[Options]) -> Bound:
        """Collective. Bind the way back, and return it: ghosts into the rows that they copy.

        Ghosts are applied one after the other in the order of the ranks that hold them, so sums are
        the same bit by bit in every run. `operation` and options are those of an `Exchange`.
        """
        self._push = self._bind(operation, True, options)
        return self._push

    def start_persistent_push(self) -> None:
        """As for the pull."""
        self._bound("push").start()

    def test_persistent_push(self) -> bool:
        """As for the pull."""
        return self._bound("push").test()

    def wait_persistent_push(self) -> None:
        """Return when this rank's rows have what came, and nobody reads its ghosts any more."""
        self._bound("push").wait()

    def clear_persistent_push(self) -> None:
        """Forget the bound push. Not collective."""
        self._push = None

    def push_once(self, operation: str, **options: Unpack[Options]) -> None:
        """Collective. One push, bound and forgotten."""
        self._bind(operation, True, options).run()

    def explain_pull(self) -> str:
        """Peers, bytes, runs and transports of the bound pull, as a table."""
        return self._bound("pull").explain()

    def explain_push(self) -> str:
        """The same of the bound push."""
        return self._bound("push").explain()

    def _bound(self, name: str) -> Bound:
        bound = self._pull if name == "pull" else self._push
        if bound is None:
            raise _core.Misuse(f"there is no persistent {name}; init_persistent_{name} comes first")
        return bound

    def _bind(self, operation: str, back: bool, options: Options) -> Bound:
        father = self._father.bindable
        son = np.empty(0) if self._son is None else self._son.bindable
        source, destination = (son, father) if back else (father, son)

        def check() -> CheckedOptions:
            scalar_of(self._father.dtype, operation)
            if not destination.flags.writeable:
                name = "father" if back else "son"
                raise ValueError(f"the {name} on rank {self.comm.rank} is read-only")
            return check_options(operation, **options)

        checked = agree(self.comm, check)
        return Bound(self._update.bind(source, destination, back, *checked))

    def _fitting_son(self, lengths: NDArray[np.int64]) -> ParArray:
        father, given, ghosts = self._father, self._given_son, len(self.ghosts)
        if father.kind != "fixed":
            if given is not None:
                return given  # what does not fit is found when the route is made
            if father.bound is not None:
                return ParArray.bounded(lengths, father.bound, father.dtype)
            return ParArray.variable(lengths, father.dtype)
        if given is None:
            shape = father.row_shape or ()
            return ParArray.fixed(ghosts, shape, father.dtype, alignment=max(father.rows.pitch, 1))
        if (given.kind, given.row_shape, given.dtype, given.rows.pitch, len(given)) != (
            father.kind, father.row_shape, father.dtype, father.rows.pitch, ghosts,
        ):  # fmt: skip
            raise ValueError(
                f"the son on rank {self.comm.rank} is {given}, but {ghosts} ghosts of {father} are "
                "to come; leave the son out, and it is made"
            )
        return given


def _rows_of(name: str, array: ParArray | NDArray[Any]) -> ParArray:
    return array if isinstance(array, ParArray) else ParArray.of(array, name)
