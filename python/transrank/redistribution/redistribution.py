# SPDX-License-Identifier: BSD-3-Clause
"""A redistribution: stored once for some fields, run again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from transrank import _core
from transrank.agreement import agree, agree_on, require_communicator
from transrank.exchange.fields import Field, check_field, pairs_of
from transrank.memory import empty
from transrank.redistribution.sides import Order, Side, side_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from mpi4py.MPI import Intracomm

    from numpy.typing import ArrayLike, NDArray

    from transrank.exchange.fields import Fields
    from transrank.redistribution.datasets import BoundData, Data


class Redistribution:
    """Moves bundles of fields from one layout of a grid to another one.

    Parameters
    ----------
    comm
        an intracommunicator of mpi4py. Creating a redistribution is collective over it.
    source, destination
        a BlockGrid, the same on every rank; or a list of cell numbers: the cells of this rank in
        its order, each cell in one list at most. Source and destination may lie on different ranks.
    fill_halo
        whether halo cells of the destination get what their owners have, too.
    numbering
        how listed cells are numbered from 0 through the grid: ``C``, the last dimension fastest, or
        ``F``, the first one (ESMF's sequence index less 1).

    Raises
    ------
    AgreedError
        on every rank when on any of them the layouts are of different grids, a dimension divided by
        a formula has more parts than indices, a layout names a rank that does not exist, or a
        listed cell is not in the grid, is listed twice, or is missing.

    Notes
    -----
    Between two grids each rank works its route out alone, in microseconds at any number of ranks.
    The routes, ``store`` and ``run`` are those of ESMF's ``FieldBundleRedistStore`` and
    ``FieldBundleRedist``.
    """

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

        def make() -> tuple[Side, Side, _core.Redistribution]:
            sides = (
                side_of("source", source, numbering),
                side_of("destination", destination, numbering),
            )
            made = _core.Redistribution(
                sides[0].for_core(), sides[1].for_core(), fill_halo=fill_halo
            )
            return *sides, made

        self._comm = comm
        self._source, self._destination, self._core = agree(comm, make)
        self._route = self._core.route(comm)
        self._fields: tuple[Field, ...] = ()

    @property
    def route(self) -> _core.Route:
        """What this rank sends to whom and receives from whom."""
        return self._route

    def source_shape(self, *values: int) -> tuple[int, ...]:
        """The shape of this rank's array before, with `values` per cell."""
        return (*self._source.shape(self._comm.rank), *values)

    def destination_shape(self, *values: int) -> tuple[int, ...]:
        """The shape of this rank's array afterwards, with `values` per cell."""
        return (*self._destination.shape(self._comm.rank), *values)

    def destination_for(self, source: NDArray[Any]) -> NDArray[Any]:
        """A new array for what `source` becomes, in memory that other ranks can reach."""
        values = source.shape[self._source.dimensions :]
        return empty(self.destination_shape(*values), source.dtype)

    def store(
        self,
        fields: Fields,
        *,
        mode: str = "auto",
        packing: str = "auto",
        bundle: str = "auto",
        transport: str = "auto",
    ) -> None:
        """Collective. Bind to arrays, which are kept and cannot be resized meanwhile.

        Parameters
        ----------
        fields
            a tuple of a source and a destination array, or a list of those: a bundle, of which each
            field has a type of its own, and dimensions of its own after those of the grid. Arrays
            are C-contiguous; their leading dimensions are `source_shape()` and
            `destination_shape()`.
        mode
            ``async`` posts all messages at once, ``sync`` sends to one peer after the other.
        packing
            ``per-peer`` makes one message for each peer, ``per-run`` one for each box of cells, or
            for each run where cells are listed, ``none`` one for each contiguous run of a field.
        bundle
            ``together``, or ``per-field``: one field after the other.
        transport
            ``auto``, or a name of `transports()`.

        Raises
        ------
        AgreedError
            on every rank when something is wrong on any, fields differ between ranks, or an option
            does not apply: `mode` and `packing` say how messages are made, which transports other
            than ``message`` do their own way. What was stored before stays stored.
        """

        def check() -> tuple[Field, ...]:
            both = self._source.dimensions, self._destination.dimensions
            pairs = pairs_of(fields)
            for number, pair in enumerate(pairs):
                self._check_shapes(number, pair)
            return tuple(
                check_field(
                    f"field {number} on rank {self._comm.rank}", pair, self._route, both, "assign"
                )
                for number, pair in enumerate(pairs)
            )

        checked = agree(self._comm, check)
        words = [f"field {n} with {field.describe()}" for n, field in enumerate(checked)]
        agree_on(self._comm, "redistributes", [f"{len(words)} fields", *words])
        tuples = [(it.source, it.destination, it.unit_bytes, it.scalar) for it in checked]
        choices = [mode, packing, bundle, transport]
        agree(self._comm, lambda: _check_names(choices))
        self._core.store(self._comm, tuples, *choices)
        self._fields = checked

    def run(self) -> None:
        """Move what was stored. Collective over the ranks that exchange anything.

        Returns when the destinations hold what was sent and nobody reads this rank's sources any
        more. Other threads run meanwhile. An interrupt (KeyboardInterrupt) leaves it under way: the
        next `run` goes on with it.

        Raises
        ------
        RuntimeError
            nothing was stored.
        Misuse
            an array has been made read-only since it was stored; peers raise too.
        BrokenExchange
            a peer has broken the exchange or ended.
        """
        self._core.run()

    def bind(self, source: Data, dimensions: Sequence[Hashable]) -> BoundData[Data]:
        """Collective. Bind a Dataset or DataArray of xarray, to be moved again and again.

        Parameters
        ----------
        source
            the same variables and dimensions on every rank, of the rank's part.
        dimensions
            the names of the grid's dimensions, in the order of the grid.

        Returns
        -------
        BoundData
            its `run` moves the values that `source` has then into its `destination`.

        Raises
        ------
        AgreedError
            on every rank, before anything has moved, when on any of them a name is no dimension of
            `source`, a variable has other sizes than the rank's part of the grid or objects for
            values, or variables differ between ranks.

        Notes
        -----
        Variables along all of the grid's dimensions are moved, those along some of them (its
        coordinates) as if they were constant along the others; those along none stay as they are.
        Needs xarray (``pip install transrank[xarray]``), and a grid on both sides. What `store` was
        given stays stored.
        """
        from transrank.redistribution.datasets import BoundData  # an optional dependency

        return BoundData(self, source, dimensions)

    def redistribute(self, source: Data, dimensions: Sequence[Hashable]) -> Data:
        """Collective. As `bind`, for once: a new Dataset or DataArray with what arrived."""
        from transrank.redistribution.datasets import redistribute  # an optional dependency

        return redistribute(self, source, dimensions)

    def explain(self) -> str:
        """How the data of this rank go: peers, bytes, transports or messages."""
        return self._core.explain()

    def __repr__(self) -> str:
        stored = ", ".join(field.describe() for field in self._fields) or "nothing"
        return f"<Redistribution of {stored}>"

    def _check_shapes(self, number: int, pair: tuple[NDArray[Any], NDArray[Any]]) -> None:
        for side, array in zip((self._source, self._destination), pair, strict=True):
            wanted, shape = side.shape(self._comm.rank), getattr(array, "shape", None)
            if shape is not None and 0 not in wanted and shape[: len(wanted)] != wanted:
                raise ValueError(
                    f"field {number} on rank {self._comm.rank}: the {side.name} has shape {shape}, "
                    f"but the {side.name} layout has {wanted} cells there; these are its first "
                    f"dimension{'s' if len(wanted) > 1 else ''}"
                )


def _check_names(choices: list[str]) -> None:
    for choice in choices:
        if not isinstance(choice, str):
            raise TypeError(f"options are names, not {choice!r}")
    mode, packing, bundle, transport = choices
    _core.check_redistribution_options(mode, packing, bundle, transport)
