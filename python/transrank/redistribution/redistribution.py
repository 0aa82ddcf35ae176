# SPDX-License-Identifier: BSD-3-Clause
"""Redistributions: bound once to some fields, then run as often as needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from transrank import _core
from transrank.agreement import agree_on, require_communicator, require_route
from transrank.exchange.exchange import BoundFields
from transrank.exchange.fields import pairs_of
from transrank.memory import empty
from transrank.redistribution.sides import Order, Side, side_of, side_of_route
from transrank.route.indices import as_flag

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from mpi4py.MPI import Intracomm

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

    from transrank.exchange.fields import Fields
    from transrank.redistribution.datasets import BoundData, Data


class Redistribution(BoundFields):
    """Moves bundles (lists of fields) from one layout of a grid to another.

    It consists of a route, which is made once, and of the exchange along this route that `store`
    binds to arrays. The exchange is started, tested, waited for and closed like any `Exchange`.

    Parameters
    ----------
    comm
        an intracommunicator of mpi4py. Creating a redistribution is collective over it.
    source, destination
        a BlockGrid, the same on every rank; or a one-dimensional list of the numbers of this rank's
        cells, in the order of its array. A cell may occur only once in the source lists of all
        ranks; it may occur any number of times in destination lists. Source and destination may lie
        on different ranks.
    fill_halo
        whether halo cells of the destination are filled as well.
    numbering
        how lists number the cells of the grid, from 0: with ``C``, the last dimension varies
        fastest; with ``F``, the first dimension (ESMF's sequence index minus 1).

    Raises
    ------
    AgreedError
        on every rank, when, on any rank, the layouts are of different grids, a layout names a rank
        that does not exist, or a listed cell is not in the grid, occurs twice in source lists, or
        is missing from the source.

    Notes
    -----
    Between two grids, each rank computes its route alone, in microseconds for any number of ranks.
    ``store`` and ``run`` correspond to ESMF's ``FieldBundleRedistStore`` and ``FieldBundleRedist``.
    """

    _unbound = "no fields are stored; call store first"

    def __init__(
        self,
        comm: Intracomm,
        source: _core.BlockGrid | ArrayLike,
        destination: _core.BlockGrid | ArrayLike,
        *,
        fill_halo: bool = False,
        numbering: Order = "C",
    ) -> None:
        require_communicator(comm)

        def check() -> tuple[list[str], tuple[Side, Side, bool]]:
            return [f"cells numbered in {numbering} order"], (
                side_of("source", source, numbering),
                side_of("destination", destination, numbering),
                as_flag("fill_halo", fill_halo),
            )

        self._comm = comm
        self._source, self._destination, fills = agree_on(comm, "redistributes", check)
        self._route = _core.route_between(
            comm, self._source.for_core(), self._destination.for_core(), fills
        )

    @classmethod
    def along(
        cls,
        comm: Intracomm,
        route: _core.Route,
        source: _core.BlockGrid | ArrayLike | None = None,
        destination: _core.BlockGrid | ArrayLike | None = None,
    ) -> Self:
        """Collective. Make a redistribution from an existing route, such as a loaded route.

        Parameters
        ----------
        comm, route
            the communicator of the ranks that exchange, and the route that was made for them.
        source, destination
            the layouts from which and to which the route moves data, if arrays have the shapes of
            these layouts. Without a layout, the first dimension of an array counts the units of the
            route.

        Raises
        ------
        AgreedError
            on every rank, when on any rank `route` is not a Route, or a layout does not have as
            many cells as the route.
        """
        require_communicator(comm)

        def check() -> tuple[list[str], tuple[Side, Side]]:
            require_route(route)
            sides = (
                side_of_route("source", route.source_extent, source, comm.rank),
                side_of_route("destination", route.destination_extent, destination, comm.rank),
            )
            return [word for side in sides for word in side.words()], sides

        made = cls.__new__(cls)
        made._comm = comm
        made._source, made._destination = agree_on(comm, "redistributes", check)
        made._route = route
        return made

    @property
    def route(self) -> _core.Route:
        """The data that this rank sends to and receives from each peer."""
        return self._route

    def source_shape(self, *values: int) -> tuple[int, ...]:
        """Return the shape of this rank's source array: that of its cells, then `values`.

        `values` are further dimensions, such as the number of values per cell. Not collective.
        """
        return (*self._source.shape(self._comm.rank), *values)

    def destination_shape(self, *values: int) -> tuple[int, ...]:
        """Return the shape of this rank's destination array: that of its cells, then `values`.

        `values` are further dimensions, such as the number of values per cell. Not collective.
        """
        return (*self._destination.shape(self._comm.rank), *values)

    def destination_for(self, source: NDArray[Any]) -> NDArray[Any]:
        """Return a new destination array for `source`, in node-shared memory. Not collective.

        The array has the type of `source` and the shape ``destination_shape(*values)``, where
        `values` are the dimensions of `source` after the dimensions of the grid.
        """
        values = source.shape[self._source.dimensions :]
        return empty(self.destination_shape(*values), source.dtype)

    def store(
        self,
        fields: Fields,
        *,
        transport: str = "auto",
        others: Sequence[Fields] = (),
        any_memory: bool = False,
        together: bool = False,
    ) -> None:
        """Collective. Bind arrays to the redistribution.

        The arrays are kept alive, and must not be resized while they are bound.

        Parameters
        ----------
        fields
            a tuple of a source and a destination array, or a list of such tuples: a bundle, in
            which each field may have its own type, and its own dimensions after those of the grid.
            The leading dimensions of the arrays are `source_shape()` and `destination_shape()`.
            Arrays may be views.
        transport, others, any_memory, together
            as for an `Exchange`.

        Raises
        ------
        AgreedError
            on every rank, when an argument is invalid on any rank, or fields differ between ranks.
            After an error, the fields that were stored before stay stored; otherwise, the new
            fields replace them.
        """
        dimensions = self._source.dimensions, self._destination.dimensions

        def sets() -> list[list[tuple[NDArray[Any], NDArray[Any]]]]:
            return [self._checked(each) for each in (fields, *others)]

        self._bind(
            *(self._comm, lambda: ([], self._route), sets, dimensions, "assign", transport),
            any_memory=any_memory,
            together=together,
        )

    def bind(self, source: Data, dimensions: Sequence[Hashable]) -> BoundData[Data]:
        """Collective. Bind a Dataset or DataArray of xarray, to move it many times.

        Parameters
        ----------
        source
            this rank's part of the data; variables and dimensions are the same on every rank.
        dimensions
            the names of the grid's dimensions, in the order of the grid.

        Returns
        -------
        BoundData
            its `run` moves the current values of `source` into its `destination`.

        Raises
        ------
        AgreedError
            on every rank, before anything has moved, when, on any rank, a name is not a dimension
            of `source`, a variable has other sizes than the rank's part of the grid or holds Python
            objects, or variables differ between ranks.

        Notes
        -----
        Variables along all dimensions of the grid are moved. Variables along only some of these
        dimensions (such as coordinates) are moved as if they were constant along the others. All
        other variables stay as they are. Needs xarray (``pip install transrank[xarray]``), and a
        BlockGrid on both sides. Fields given to `store` stay stored.
        """
        from transrank.redistribution.datasets import BoundData  # an optional dependency

        return BoundData(self, source, dimensions)

    def redistribute(self, source: Data, dimensions: Sequence[Hashable]) -> Data:
        """Collective. Move a Dataset or DataArray once; return a new one with the result.

        The arguments `source` and `dimensions` have the same meaning as for `bind`; the errors are
        also the same.
        """
        from transrank.redistribution.datasets import redistribute  # an optional dependency

        return redistribute(self, source, dimensions)

    def __repr__(self) -> str:
        return f"<Redistribution of {self._shown or 'nothing'}>"

    def _checked(self, fields: Fields) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        sides = self._source, self._destination
        known = self._route.source_shape, self._route.destination_shape
        pairs = pairs_of(fields)
        for number, pair in enumerate(pairs):
            for side, of_route, array in zip(sides, known, pair, strict=True):
                wanted, shape = side.shape(self._comm.rank), getattr(array, "shape", None)
                if of_route is not None or shape is None or 0 in wanted:
                    continue  # the exchange looks at the shape that the route knows
                if shape[: len(wanted)] != wanted:
                    raise ValueError(
                        f"field {number} on rank {self._comm.rank}: the {side.name} has shape "
                        f"{shape}, but the {side.name} layout has {wanted} cells there; these are "
                        f"its first dimension{'s' if len(wanted) > 1 else ''}"
                    )
        return pairs
