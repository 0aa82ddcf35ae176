# SPDX-License-Identifier: BSD-3-Clause
"""Copies of rows of other ranks, kept up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from transrank import _core
from transrank.agreement import (
    agree,
    agree_on,
    called,
    require_communicator,
    require_route,
    settled,
)
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
    """Keeps ghosts up to date: copies, in the array `son`, of rows owned in the array `father`.

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

    A *pull* copies rows to their ghosts; a *push* moves ghosts back to the rows that they copy. If
    something is wrong on any rank, collective methods raise AgreedError with the same message on
    every rank, before anything has moved. From start to wait, the array that is read must not
    change, and the contents of the array that is written are undefined.

    Parameters
    ----------
    comm
        an intracommunicator of mpi4py. Creating a transformer is collective over it.
    father, son
        a ParArray, or a NumPy array whose first dimension counts rows. Without a `son`, the
        transformer makes one, whose rows are like those of `father`. A NumPy array given as son
        must have as many rows as there are ghosts.
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
        """Collective. Set `father` and `son`, and discard all mappings and bound exchanges."""

        def check() -> tuple[ParArray, ParArray | None, ParArray]:
            rows = _rows_of("father", father)
            given = None if son is None else _rows_of("son", son)
            return rows, given, ParArray.fixed(0) if given is None else given

        self._father, self._given_son, bound = agree(self.comm, check)
        self._son = self._given_son
        self._pull: Bound | None = None
        self._push: Bound | None = None
        self._update.set_father_son(self._father.core, bound.core)

    @property
    def father(self) -> ParArray:
        """The rows that this rank owns."""
        return self._father

    @property
    def son(self) -> ParArray:
        """The array of this rank's ghosts; raises ValueError before there are any ghosts."""
        if self._son is None:
            raise ValueError("there are no ghosts yet; call create_ghost_mapping first")
        return self._son

    @property
    def numbering(self) -> _core.Numbering | None:
        """The global indices of the rows of `father`; None before `create_global_mapping`."""
        return self._update.numbering

    @property
    def mapping(self) -> _core.GhostMapping | None:
        """Which rows the ghosts copy: `numbering`, `route` (its units are rows) and `ghosts`.

        The mapping does not depend on the elements: it serves arrays of any type and row length.
        None before `create_ghost_mapping`, `use_route` or `borrow_mapping`.
        """
        return self._update.mapping

    @property
    def ghosts(self) -> NDArray[np.int64]:
        """The global index of each row of `son` (the ghosts); -1 if no row arrives. Read-only."""
        mapping = self.mapping
        return np.empty(0, np.int64) if mapping is None else mapping.ghosts

    def create_global_mapping(self) -> None:
        """Collective. Give global indices to the rows of `father` of all ranks, in rank order."""
        self._update.create_global_mapping()

    def create_ghost_mapping(self, pulled: ArrayLike, targets: ArrayLike | None = None) -> None:
        """Collective. Define the ghosts, and allocate `son`, the array that holds them.

        Parameters
        ----------
        pulled
            without `targets`: global row indices; row i of `son` becomes a copy of row
            ``pulled[i]``. With `targets`: local indices of rows of `father`, which are sent to
            other ranks.
        targets
            a rank for each entry of `pulled`: row ``pulled[i]`` of `father` becomes a ghost on rank
            ``targets[i]``. The ghosts of a rank are then ordered by sending rank, and then as in
            the sender's list; `ghosts` gives their global indices.

        A row may have several ghosts, even on its own rank.

        Raises
        ------
        AgreedError
            on every rank, when on any rank there is no global mapping yet, a row does not exist, a
            target is not a rank, the lists differ in length, or the given son does not fit.
        """

        def check() -> tuple[NDArray[np.int64]] | tuple[NDArray[np.int64], NDArray[np.int32]]:
            rows = as_indices(f"the list of rows on rank {self.comm.rank}", pulled)
            if targets is None:
                return (rows,)
            return rows, as_ranks(f"the list of targets on rank {self.comm.rank}", targets)

        way = "to be pulled" if targets is None else "to be pushed"
        lists = agree_on(self.comm, "creates ghosts", lambda: ([way], check()))
        self._update.create_ghost_mapping(*lists)
        self.fit_son()

    def use_route(self, route: _core.Route) -> None:
        """Collective. Use an existing `route` from owned rows to ghosts, such as a loaded route.

        The call finds the global indices of the ghosts by moving those of the rows of `father`
        along the route. Raises AgreedError on every rank when the route does not fit the rows of
        `father`.
        """
        agree(self.comm, lambda: require_route(route))
        self._update.use_route(route)
        self.fit_son()

    def borrow_mapping(self, other: ArrayTransformer) -> None:
        """Collective. Use the mapping of the transformer `other`, whose rows may be of any kind.

        Raises AgreedError on every rank unless the fathers of this transformer and of `other` have
        equally many rows on each rank.
        """
        self._update.borrow_mapping(agree(self.comm, lambda: other._update))
        self.fit_son()

    def fit_son(self) -> None:
        """Collective. Give each row of `son`, a ghost, the length of the row that it copies.

        Call it again after the lengths of rows of `father` have changed. It drops the bound pull
        and push. Raises AgreedError on every rank when, on any rank, the number of rows of `father`
        is no longer that of the mapping.
        """
        self._pull = self._push = None
        lengths = self._update.begin_fit()
        self._son = agree(self.comm, lambda: self._fitting_son(lengths))
        self._update.end_fit(self._son.core)

    def init_persistent_pull(self, **options: Unpack[Options]) -> Bound:
        """Collective. Bind a pull, the update of the ghosts from their owners, and return it.

        Parameters
        ----------
        transport, push_below_bytes, longest_message_bytes, together
            as for an `Exchange`.
        """
        self._pull = self._bind("assign", False, options)
        return self._pull

    def start_persistent_pull(self) -> None:
        """Start the pull that `init_persistent_pull` bound.

        Not collective, but all peers must also start it. Raises Misuse when no pull is bound, an
        array has been resized, or the pull is already started.
        """
        self._bound("pull").start()

    def test_persistent_pull(self) -> bool:
        """Advance the bound pull, and return whether it is complete.

        Not collective. Raises Misuse when no pull is bound, and the exceptions of `Exchange.test`.
        """
        return self._bound("pull").test()

    def wait_persistent_pull(self) -> None:
        """Return when the ghosts have arrived and no peer is still reading this rank's rows.

        Raises Misuse when no pull is bound, and the exceptions of `Exchange.wait`.
        """
        self._bound("pull").wait()

    def clear_persistent_pull(self) -> None:
        """Drop the bound pull, if there is one. Not collective."""
        self._pull = None

    def pull_once(self, **options: Unpack[Options]) -> None:
        """Collective. Bind a pull, run it once and drop it.

        `options` and errors are those of `init_persistent_pull`, and of `Exchange.run`.
        """
        self._bind("assign", False, options).run()

    def init_persistent_push(self, operation: str, **options: Unpack[Options]) -> Bound:
        """Collective. Bind a push, the update of rows from their ghosts, and return it.

        Each row is combined with its ghosts one after the other, in the order of the ranks that
        hold them, so sums are bitwise identical in every run. `operation` and `options` are as for
        an `Exchange`.
        """
        self._push = self._bind(operation, True, options)
        return self._push

    def start_persistent_push(self) -> None:
        """Start the push that `init_persistent_push` bound.

        Not collective, but all peers must also start it. Raises Misuse when no push is bound, an
        array has been resized, or the push is already started.
        """
        self._bound("push").start()

    def test_persistent_push(self) -> bool:
        """Advance the bound push, and return whether it is complete.

        Not collective. Raises Misuse when no push is bound, and the exceptions of `Exchange.test`.
        """
        return self._bound("push").test()

    def wait_persistent_push(self) -> None:
        """Return when this rank's rows have been combined with all their ghosts.

        No peer then reads this rank's ghosts any more. Raises Misuse when no push is bound, and the
        exceptions of `Exchange.wait`.
        """
        self._bound("push").wait()

    def clear_persistent_push(self) -> None:
        """Drop the bound push, if there is one. Not collective."""
        self._push = None

    def push_once(self, operation: str, **options: Unpack[Options]) -> None:
        """Collective. Bind a push, run it once and drop it.

        `operation`, `options` and errors are those of `init_persistent_push`, and of
        `Exchange.run`.
        """
        self._bind(operation, True, options).run()

    def explain_pull(self) -> str:
        """Return a text table of the bound pull: bytes, runs and transport of each peer.

        A run is a contiguous piece. Not collective. Raises Misuse when no pull is bound.
        """
        return self._bound("pull").explain()

    def explain_push(self) -> str:
        """Return a text table of the bound push: bytes, runs and transport of each peer.

        A run is a contiguous piece. Not collective. Raises Misuse when no push is bound.
        """
        return self._bound("push").explain()

    def __reduce__(self) -> NoReturn:
        raise TypeError("an ArrayTransformer cannot be copied; make another one")

    def _bound(self, name: str) -> Bound:
        bound = self._pull if name == "pull" else self._push
        if bound is None:
            raise _core.Misuse(f"there is no persistent {name}; call init_persistent_{name} first")
        return bound

    def _bind(self, operation: str, back: bool, options: Options) -> Bound:
        father = self._father.bindable
        son = np.empty(0) if self._son is None else self._son.bindable
        source, destination = (son, father) if back else (father, son)

        def check() -> tuple[tuple[()], CheckedOptions]:
            scalar_of(self._father.dtype, operation)
            if not destination.flags.writeable:
                name = "father" if back else "son"
                raise ValueError(f"the {name} on rank {self.comm.rank} is read-only")
            return (), check_options(operation, **options)

        return Bound(settled(self._update.bind(called(), source, destination, back, check)))

    def _fitting_son(self, lengths: NDArray[np.int64]) -> ParArray:
        father, given, ghosts = self._father, self._given_son, len(self.ghosts)
        if father.kind != "fixed":
            if given is not None:
                return given  # a son that does not fit is found when the route is made
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
                f"the son on rank {self.comm.rank} is {given}, which does not fit {ghosts} ghosts "
                f"of {father}; leave the son out, and the transformer makes one"
            )
        return given


def _rows_of(name: str, array: ParArray | NDArray[Any]) -> ParArray:
    return array if isinstance(array, ParArray) else ParArray.of(array, name)
