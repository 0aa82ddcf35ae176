# SPDX-License-Identifier: BSD-3-Clause
"""What a grid and the ghosts of a mesh have in common: arrays, and the update of their halos."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from transrank import memory
from transrank.exchange.exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import SupportsIndex

    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from transrank.mpi import MPI
    from transrank.route import Route

    Array: TypeAlias = NDArray[Any]
    Components: TypeAlias = SupportsIndex | Sequence[SupportsIndex]


class Halo(Exchange):
    """Arrays bound to the halo update of a `Grid`, or to the ghosts of a mesh; made by `halo`.

    It is an `Exchange` and has its life cycle: start, test, wait, close.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        route: Callable[[], tuple[list[str], Route]],
        pairs: Callable[[], list[tuple[Array, Array]]],
        axes: int,
        operation: str = "assign",
    ) -> None:
        self._bind(comm, route, pairs, axes, operation, "auto")

    def update(self) -> None:
        """Fill the halo from the owners. Returns when it is filled; raises as `Exchange.run`.

        Not collective, but every neighbor must call it, too.
        """
        self.run()

    @contextmanager
    def updating(self) -> Iterator[None]:
        """Fill the halo during a ``with`` block, at whose end it is filled.

        Within the block owned elements must not change, and the halo is undefined. After an
        exception in the block the update is still pending: `wait` for it, or `close`.
        """
        self.start()
        yield
        self.wait()


class WithHalo(ABC):
    """Elements divided among ranks, in arrays that also have room for copies of others."""

    _comm: MPI.Intracomm
    _axes: int  # how many axes of an array count the elements

    @property
    def comm(self) -> MPI.Intracomm:
        """The communicator."""
        return self._comm

    def zeros(self, components: Components = (), dtype: DTypeLike = float) -> Array:
        """A new array of zeros in node-shared memory: owned cells and halo, or rows and ghosts.

        `components` is the number of components of a cell or row, or the shape of an array of
        these. Raises as `transrank.zeros`. Not collective.
        """
        return memory.zeros(self._shape(components), dtype)

    def empty(self, components: Components = (), dtype: DTypeLike = float) -> Array:
        """As `zeros`, but the contents are unspecified."""
        return memory.empty(self._shape(components), dtype)

    def full(
        self, fill_value: ArrayLike, components: Components = (), dtype: DTypeLike | None = None
    ) -> Array:
        """As `zeros`, filled with a value, of the value's type unless one is given."""
        return memory.full(self._shape(components), fill_value, dtype)

    def halo(self, *arrays: Array) -> Halo:
        """Collective. Bind arrays to the update of their halos, corners included, or ghosts.

        Call ``update()`` of the result in each step. The arrays are C-contiguous and of the shape
        that `zeros` gives; type and components are the same on every rank. They are kept alive and
        must not be resized.
        """
        return Halo(self._comm, self._halo_route, lambda: self._pairs(arrays), self._axes)

    def update(self, *arrays: Array) -> None:
        """Collective. Fill the halos or ghosts of arrays once; `halo` binds those that stay."""
        with self.halo(*arrays) as bound:
            bound.update()

    @abstractmethod
    def _shape(self, components: Components) -> tuple[int, ...]:
        """The shape of this rank's arrays."""

    @abstractmethod
    def _halo_route(self) -> tuple[list[str], Route]:
        """Made without communication, with words in which ranks have to agree."""

    @abstractmethod
    def _fields_of(self, array: Array, name: str) -> list[Array]:
        """An array for the exchange; raises TypeError or ValueError unless it is one of these."""

    def _pairs(self, arrays: tuple[Any, ...]) -> list[tuple[Array, Array]]:
        """What an exchange binds: each field of the arrays is both source and destination."""
        for each in arrays:
            if isinstance(each, (list, tuple)):
                raise TypeError(
                    f"a {type(each).__name__} is no array; give arrays one by one, (u, v)"
                )
        fields = [self._fields_of(each, f"array {n}") for n, each in enumerate(arrays)]
        return [(field, field) for of_array in fields for field in of_array]

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} holds a communicator and cannot be copied")
