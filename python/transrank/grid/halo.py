# SPDX-License-Identifier: BSD-3-Clause
"""What grids and the ghosts of a mesh have in common: arrays, and the update of their halos."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np

from transrank import memory
from transrank.exchange.exchange import Exchange
from transrank.exchange.fields import form_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import SupportsIndex

    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from transrank.mpi import MPI
    from transrank.route import Route

    Array: TypeAlias = NDArray[Any]
    Components: TypeAlias = SupportsIndex | Sequence[SupportsIndex]


class Halo(Exchange):
    """Arrays bound to the update of their halos or ghosts; made by `Grid.halo` and `Ghosts.halo`.

    It is an `Exchange` and has the same life cycle: start, test, wait, close.
    """

    def __init__(
        self,
        holder: WithHalo,
        route: Callable[[], tuple[list[str], Route]],
        sets: Callable[[], list[list[tuple[Array, Array]]]],
        operation: str = "assign",
        *,
        any_memory: bool = False,
    ) -> None:
        self._holder = holder
        self._bind(
            *(holder._comm, route, sets, holder._axes, operation, "auto"),
            any_memory=any_memory,
            together=holder._together,
        )

    def update(self, *arrays: Array) -> None:
        """Fill the halo or the ghosts with the owners' values; return when they are filled.

        `arrays` is one of the bound sets of arrays, by default the first set. Not collective, but
        every neighbor must also call it. Raises the same exceptions as `Exchange.run`.
        """
        self.run(self._fields_of(arrays))

    @contextmanager
    def updating(self, *arrays: Array) -> Iterator[None]:
        """Fill the halo or the ghosts during a ``with`` block; they are filled when it has ended.

        `arrays` is one of the bound sets of arrays, by default the first set. Not collective, but
        every neighbor must also update. Within the block, owned elements must not change, and the
        contents of the halo are undefined. After an exception in the block, the update is still
        pending: call `wait` or `close`. Raises the same exceptions as `Exchange.run`.
        """
        self.start(self._fields_of(arrays))
        yield
        self.wait()

    def _fields_of(self, arrays: tuple[Array, ...]) -> list[tuple[Array, Array]] | None:
        return self._holder._pairs(arrays) if arrays else None


class WithHalo(ABC):
    """Elements divided among ranks, in arrays that also have room for copies of other elements."""

    _comm: MPI.Intracomm
    _axes: int  # how many axes of an array count the elements
    _together: bool  # as for an Exchange
    _updates: dict[object, Halo]  # of any arrays of a form

    @property
    def comm(self) -> MPI.Intracomm:
        """The communicator of the ranks among which the elements are divided."""
        return self._comm

    def zeros(self, components: Components = (), dtype: DTypeLike = float) -> Array:
        """Return a new array of zeros in node-shared memory.

        The array of a `Grid` holds owned cells and halo; that of `Ghosts` holds owned rows and
        ghosts. `components` is the number or the shape of the values of each cell or row, and
        `dtype` their type. Raises the same exceptions as `transrank.zeros`. Not collective.
        """
        return memory.zeros(self._shape(components), dtype)

    def empty(self, components: Components = (), dtype: DTypeLike = float) -> Array:
        """Return a new array as `zeros` does, but with unspecified contents. Not collective."""
        return memory.empty(self._shape(components), dtype)

    def full(
        self, fill_value: ArrayLike, components: Components = (), dtype: DTypeLike | None = None
    ) -> Array:
        """Return a new array as `zeros` does, but filled with `fill_value`. Not collective.

        The type is `dtype`, by default that of `fill_value`.
        """
        return memory.full(self._shape(components), fill_value, dtype)

    def halo(self, *arrays: Array, others: Sequence[Sequence[Array]] = ()) -> Halo:
        """Collective. Bind `arrays` to the update of their halos (corners included) or ghosts.

        Call ``update()`` of the returned `Halo` in each step. The arrays have the shape of an array
        made by `zeros`; their types and components are the same on every rank. The arrays are kept
        alive and must not be resized. If arrays are swapped in each step, `others` is a list of
        further tuples of arrays. With ``halo = grid.halo(u, others=[(v,)])``, ``halo.update(v)``
        updates v, and ``halo.update()`` updates u. Raises AgreedError when an array does not fit.
        """
        return Halo(
            self, self._halo_route, lambda: [self._pairs(each) for each in (arrays, *others)]
        )

    def update(self, *arrays: Array) -> None:
        """Fill the halos or ghosts of any `arrays`, which need not be bound first.

        If the same arrays are updated many times, `halo` is faster. The first call for arrays of
        these shapes, strides and types is collective, and must be the first on every rank. Later
        calls are not collective, but every neighbor must make them. The arrays are not kept alive.
        Raises the same exceptions as `Exchange.run`; the first call also raises those of `halo`.
        """
        self._move_any(arrays, self._halo_route, "assign")

    def _move_any(
        self,
        arrays: tuple[Any, ...],
        route: Callable[[], tuple[list[str], Route]],
        operation: str,
    ) -> None:
        # What is no array has no form: the exchange tells all ranks.
        form = (
            operation,
            *(form_of(each) if isinstance(each, np.ndarray) else type(each) for each in arrays),
        )
        bound = self._updates.get(form)
        if bound is None:
            bound = Halo(self, route, lambda: [self._pairs(arrays)], operation, any_memory=True)
            self._updates[form] = bound
        bound.update(*arrays)

    @abstractmethod
    def _shape(self, components: Components) -> tuple[int, ...]:
        """The shape of this rank's arrays."""

    @abstractmethod
    def _halo_route(self) -> tuple[list[str], Route]:
        """Return words that must be equal on all ranks, and the route, without communication."""

    @abstractmethod
    def _fields_of(self, array: Array, name: str) -> list[Array]:
        """An array for the exchange; raises TypeError or ValueError unless it is one of these."""

    def _pairs(self, arrays: Sequence[Any]) -> list[tuple[Array, Array]]:
        """What an exchange binds: each field of the arrays is both source and destination."""
        if isinstance(arrays, (np.ndarray, np.generic)):
            raise TypeError(
                "others has an array where a set of arrays is wanted; give each set as a tuple: "
                "others=[(v,)]"
            )
        for each in arrays:
            if isinstance(each, (list, tuple)):
                raise TypeError(
                    f"a {type(each).__name__} is no array; give arrays one by one, (u, v)"
                )
        fields = [self._fields_of(each, f"array {n}") for n, each in enumerate(arrays)]
        return [(field, field) for of_array in fields for field in of_array]

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} holds a communicator and cannot be copied")
