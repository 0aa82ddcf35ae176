# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py-fft, and what is built on it (shenfun), with transfers by transrank.

``import transrank.mpi4py_fft`` is all that a program does. Plans made after it move their arrays
between pencils by exchanges in place of ``MPI_Alltoallw``. Spectra are the same to the last bit.
Plans that exist stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mpi4py import MPI

import mpi4py_fft
from mpi4py_fft import pencil

from transrank.exchange import Exchange
from transrank.layout import BlockGrid, Distribution
from transrank.memory import zeros
from transrank.redistribution import Redistribution

if TYPE_CHECKING:
    from collections.abc import Callable

    from mpi4py.MPI import Intracomm

    from numpy.typing import DTypeLike, NDArray

    from transrank import Route

__all__ = ["Transfer", "leave", "use"]

_MPIS = pencil.Transfer, mpi4py_fft.fftw.aligned


class Transfer(pencil.Transfer):  # type: ignore[misc]  # mpi4py-fft has no types
    """A transfer between two pencils, of any arrays of their shapes.

    The first call each way is ``MPI_Alltoallw``, since many transfers serve once. The second one
    binds an exchange. Both are collective, as every transfer is.
    """

    def __init__(self, comm: Intracomm, shape: list[int], *further: Any) -> None:
        super().__init__(comm, shape, *further)
        self._shares_arrays = mpi4py_fft.fftw.aligned is _shared
        self._first: dict[str, list[int]] = {}
        self._bound: dict[str, Exchange] = {}

    def forward(self, array_a: NDArray[Any], array_b: NDArray[Any]) -> None:
        """Move the first pencil's array into the second's."""
        self._move("forward", super().forward, array_a, array_b)

    def backward(self, array_b: NDArray[Any], array_a: NDArray[Any]) -> None:
        """Move the second pencil's array into the first's."""
        self._move("backward", super().backward, array_b, array_a)

    def destroy(self) -> None:
        """Let go of the exchanges and of MPI's datatypes. Not collective."""
        self._bound.clear()
        super().destroy()

    def _move(self, way: str, by_mpi: Callable[..., None], *arrays: NDArray[Any]) -> None:
        if way not in self._first:
            self._first[way] = _places(arrays)
            by_mpi(*arrays)
            return
        if way not in self._bound:
            self._bound[way] = self._bind(way, arrays)
        self._bound[way].run(arrays)  # type: ignore[arg-type]  # two

    def _bind(self, way: str, arrays: tuple[NDArray[Any], ...]) -> Exchange:
        """Bind to these arrays, if all ranks have them for the second time and can share them."""
        again = self._shares_arrays and _places(arrays) == self._first[way]
        return Exchange(
            self._route(way),
            self.comm,
            arrays,  # type: ignore[arg-type]  # two
            dimensions=arrays[0].ndim,
            any_memory=not self.comm.allreduce(again, MPI.LAND),
        )

    def _route(self, way: str) -> Route:
        def grid(divided: int) -> BlockGrid:
            parts = [self.comm.size if axis == divided else 1 for axis in range(len(self.shape))]
            return BlockGrid(list(map(Distribution.even, self.shape, parts)))

        sides = [grid(self.axisB), grid(self.axisA)]
        return Redistribution(self.comm, *sides[:: 1 if way == "forward" else -1]).route


def _places(arrays: tuple[NDArray[Any], ...]) -> list[int]:
    return [array.__array_interface__["data"][0] for array in arrays]


def _shared(
    shape: tuple[int, ...], n: int | None = None, dtype: DTypeLike = float, fill: object = None
) -> NDArray[Any]:
    """In place of mpi4py_fft.fftw.aligned: from the beginning of a page on."""
    del n
    array = zeros(shape, dtype)
    if fill is not None:
        array[...] = fill
    return array


def use(*, shared: bool = False) -> None:
    """Give plans made from here on these transfers; the import does so.

    With `shared` their work arrays are such that the other ranks of the node can access them. Data
    then move in one copy. Transfers that are called with the same arrays twice keep to these.
    """
    pencil.Transfer = Transfer
    mpi4py_fft.fftw.aligned = _shared if shared else _MPIS[1]


def leave() -> None:
    """Give plans made from here on the transfers and arrays of mpi4py-fft itself."""
    pencil.Transfer, mpi4py_fft.fftw.aligned = _MPIS


use()
