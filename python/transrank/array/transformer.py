# SPDX-License-Identifier: BSD-3-Clause
"""Copies of other ranks' rows, kept up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from transrank import _core
from transrank.agreement import agree, agree_on, require_communicator
from transrank.array.mapping import Mapping
from transrank.array.par_array import ParArray
from transrank.array.persistent import PersistentExchange
from transrank.exchange import Exchange
from transrank.layout import Numbering, Rows
from transrank.route import Route, ghost_pull, ghost_push
from transrank.route.indices import as_indices

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    from numpy.typing import ArrayLike, NDArray


class ArrayTransformer:
    """Keeps ghosts up to date: `father` holds the rows a rank owns, `son` copies of any rows.

    ::

        transformer = ArrayTransformer(comm, father)
        transformer.create_global_mapping()
        transformer.create_ghost_mapping(global_rows_wanted)
        transformer.init_persistent_pull()
        for step in range(steps):
            transformer.start_persistent_pull()
            ...  # compute what needs no ghosts
            transformer.wait_persistent_pull()
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

    _father: ParArray
    _son: ParArray | None
    _given_son: ParArray | None
    _numbering: Numbering | None
    _mapping: Mapping | None
    _movement: Route | None
    _fitted_to: Rows | None
    _pull: PersistentExchange | None
    _push: PersistentExchange | None

    def __init__(
        self,
        comm: Intracomm,
        father: ParArray | NDArray[Any],
        son: ParArray | NDArray[Any] | None = None,
    ) -> None:
        require_communicator(comm)
        self.comm = comm
        self.set_father_son(father, son)

    def set_father_son(
        self, father: ParArray | NDArray[Any], son: ParArray | NDArray[Any] | None = None
    ) -> None:
        """Collective. Take two arrays, and forget all mappings."""
        self._father, self._son = agree(
            self.comm,
            lambda: (_rows_of("father", father), None if son is None else _rows_of("son", son)),
        )
        self._given_son = self._son
        self.clear_persistent_pull()
        self.clear_persistent_push()
        self._numbering = None
        self._mapping = None
        self._movement = None
        self._fitted_to = None

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
    def numbering(self) -> Numbering | None:
        """The global indices of the father's rows; None before create_global_mapping."""
        return self._numbering

    @property
    def mapping(self) -> Mapping | None:
        """None before create_ghost_mapping or borrow_mapping."""
        return self._mapping

    @property
    def ghosts(self) -> NDArray[np.int64]:
        """The global index of each row of the son."""
        return np.empty(0, np.int64) if self._mapping is None else self._mapping.ghosts

    def create_global_mapping(self) -> None:
        """Collective. Number the fathers' rows through all ranks, in the order of the ranks."""
        self._numbering = Numbering(self.comm, len(self._father))

    def create_ghost_mapping(self, pulled: ArrayLike, targets: ArrayLike | None = None) -> None:
        """Collective. Say which rows are ghosts, and make room for them in the son.

        Without `targets`, the son's row i becomes a copy of the row with global index
        ``pulled[i]``. With it, the father's row ``pulled[i]``, a local index, becomes a ghost on
        rank ``targets[i]``: the ghosts of a rank then stand in the order of the ranks that push
        them, and then in that of the lists; `ghosts` tells their global indices. Rows may be
        ghosts several times, also on their own rank.
        """

        def check() -> tuple[Numbering, NDArray[np.int64]]:
            rows = as_indices(f"the list of rows on rank {self.comm.rank}", pulled)
            return self._numbered(), rows.copy()

        numbering, rows = agree(self.comm, check)
        agree_on(
            self.comm, "creates ghosts", ["to be pulled" if targets is None else "to be pushed"]
        )
        if targets is None:
            route, ghosts = ghost_pull(self.comm, numbering, rows), rows
        else:
            route, ghosts = ghost_push(self.comm, numbering, rows, targets)
        self._mapping = Mapping(numbering, route, ghosts)
        self.fit_son()

    def use_route(self, route: Route) -> None:
        """Collective. Take a route from owned rows to ghost rows that exists: one that was loaded.

        What other ranks' rows the ghosts are is found by moving their global indices along it;
        `ghosts` tells them, and -1 where nothing arrives.
        """
        numbering = agree(self.comm, self._numbered)
        agree(self.comm, lambda: self._leading_from_rows(route))
        begin, end = numbering.owned
        ghosts = np.full(route.destination_extent, -1, np.int64)
        Exchange(route, self.comm, (np.arange(begin, end), ghosts)).run()
        self._mapping = Mapping(numbering, route, ghosts)
        self.fit_son()

    def borrow_mapping(self, other: ArrayTransformer) -> None:
        """Collective. Take the mapping of a transformer whose rows may hold anything else.

        The fathers have equally many rows on each rank.
        """

        def check() -> Mapping:
            if other.mapping is None:
                raise ValueError(
                    f"the other transformer has no ghost mapping on rank {self.comm.rank}; "
                    "create_ghost_mapping makes one"
                )
            return self._fitting(other.mapping)

        self._mapping = agree(self.comm, check)
        self._numbering = self._mapping.numbering
        self.fit_son()

    def fit_son(self) -> None:
        """Collective. Make the son's rows as long as those that they are copies of.

        To be called again when the father's rows have changed their lengths; their number must be
        that of the mapping.
        """
        self.clear_persistent_pull()
        self.clear_persistent_push()
        mapping = agree(self.comm, self._mapped)
        self._agree_on_rows()
        self._fitted_to = self._father.rows
        if self._father.kind == "fixed":
            self._son = agree(self.comm, lambda: self._fixed_son(len(mapping.ghosts)))
            self._movement = mapping.route
        else:
            arriving = _core.arriving_rows(self.comm, mapping.route, self._father.rows)
            self._son = agree(self.comm, lambda: self._uneven_son(arriving.lengths))
            self._movement = _core.route_in_units(
                self.comm, mapping.route, arriving, self._father.rows, self._son.rows
            )

    def init_persistent_pull(self, **options: Any) -> None:
        """Collective. Bind the update of the ghosts from their owners.

        Further options are those of Exchange.
        """
        route = agree(self.comm, self._ready)
        self._pull = PersistentExchange(route, self.comm, self._father, self.son, "assign", options)

    def start_persistent_pull(self) -> None:
        """Begin the update. Not collective, but every rank must start for any to finish."""
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

    def pull_once(self, **options: Any) -> None:
        """Collective. One pull, bound and forgotten."""
        self.init_persistent_pull(**options)
        self.start_persistent_pull()
        self.wait_persistent_pull()
        self.clear_persistent_pull()

    def init_persistent_push(self, operation: str, **options: Any) -> None:
        """Collective. Bind the way back: what happens to each owned row with its ghosts.

        Ghosts are applied one after the other in the order of the ranks that hold them, so sums are
        the same bit by bit in every run.
        """
        route = agree(self.comm, self._ready).transposed()
        self._push = PersistentExchange(
            route, self.comm, self.son, self._father, operation, options
        )

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

    def push_once(self, operation: str, **options: Any) -> None:
        """Collective. One push, bound and forgotten."""
        self.init_persistent_push(operation, **options)
        self.start_persistent_push()
        self.wait_persistent_push()
        self.clear_persistent_push()

    def explain_pull(self) -> str:
        """Peers, bytes, runs and transports of the bound pull, as a table."""
        return self._bound("pull").explain()

    def explain_push(self) -> str:
        """The same of the bound push."""
        return self._bound("push").explain()

    def _bound(self, name: str) -> PersistentExchange:
        exchange = self._pull if name == "pull" else self._push
        if exchange is None:
            raise _core.Misuse(f"there is no persistent {name}; init_persistent_{name} comes first")
        return exchange

    def _numbered(self) -> Numbering:
        if self._numbering is None:
            raise ValueError(
                f"the rows of the father have no global numbers on rank {self.comm.rank}; "
                "create_global_mapping gives them"
            )
        begin, end = self._numbering.owned
        if end - begin != len(self._father):
            raise ValueError(
                f"the father has {len(self._father)} rows on rank {self.comm.rank}, but had "
                f"{end - begin} when they were numbered; call create_global_mapping again"
            )
        return self._numbering

    def _fitting(self, mapping: Mapping) -> Mapping:
        owned = mapping.route.source_extent
        if owned != len(self._father):
            raise ValueError(
                f"the ghost mapping is for {owned} owned rows on rank {self.comm.rank}, but the "
                f"father has {len(self._father)}; make another mapping"
            )
        return mapping

    def _leading_from_rows(self, route: Route) -> None:
        if not isinstance(route, Route):
            raise TypeError(f"a Route is needed, not a {type(route).__name__}")
        if route.source_extent != len(self._father):
            raise ValueError(
                f"the route leads from {route.source_extent} rows on rank {self.comm.rank}, but "
                f"the father has {len(self._father)}; take another route"
            )

    def _mapped(self) -> Mapping:
        if self._mapping is None:
            raise ValueError(
                f"there is no ghost mapping on rank {self.comm.rank}; "
                "create_ghost_mapping makes one"
            )
        return self._fitting(self._mapping)

    def _ready(self) -> Route:
        self._mapped()
        if self._father.kind != "fixed" and self._father.rows is not self._fitted_to:
            raise ValueError(
                f"the father was resized on rank {self.comm.rank}, and its rows may have other "
                "lengths; fit_son makes room for them"
            )
        assert self._movement is not None
        return self._movement

    def _agree_on_rows(self) -> None:
        father = self._father
        length = {
            "fixed": f"shape {father.row_shape}",
            "bounded": f"at most {father.bound} elements",
            "variable": "any length",
        }[father.kind]
        agree_on(self.comm, "has rows of", [f"{length} of {father.dtype}"])

    def _fixed_son(self, ghosts: int) -> ParArray:
        father, given = self._father, self._given_son
        shape = father.row_shape or ()
        if given is None:
            return ParArray.fixed(ghosts, shape, father.dtype, alignment=max(father.rows.pitch, 1))
        if (given.kind, given.row_shape, given.dtype, given.rows.pitch, len(given)) != (
            father.kind, shape, father.dtype, father.rows.pitch, ghosts,
        ):  # fmt: skip
            raise ValueError(
                f"the son on rank {self.comm.rank} is {given}, but {ghosts} ghosts of {father} are "
                "to come; leave the son out, and it is made"
            )
        return given

    def _uneven_son(self, lengths: NDArray[np.int64]) -> ParArray:
        if self._given_son is not None:
            return self._given_son  # what does not fit is found when the route is made
        if self._father.bound is not None:
            return ParArray.bounded(lengths, self._father.bound, self._father.dtype)
        return ParArray.variable(lengths, self._father.dtype)


def _rows_of(name: str, array: ParArray | NDArray[Any]) -> ParArray:
    return array if isinstance(array, ParArray) else ParArray.of(array, name)
