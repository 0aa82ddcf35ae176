# SPDX-License-Identifier: BSD-3-Clause
"""Lets mpi4py-fft, and packages built on it (shenfun), transfer data with transrank.

A program only needs ``import transrank.mpi4py_fft``. Plans made after the import move their arrays
between pencils by exchanges instead of ``MPI_Alltoallw``. Spectra are bitwise identical to those of
mpi4py-fft alone. Plans made before the import do not change.
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
    """A transfer between two pencils, of any arrays that have the shapes of the pencils.

    The first call in each direction uses ``MPI_Alltoallw``, since many transfers are called only
    once. The second call binds an exchange, which later calls use. Every rank must make each call.
    """

    def __init__(self, comm: Intracomm, shape: list[int], *further: Any) -> None:
        super().__init__(comm, shape, *further)
        self._shares_arrays = mpi4py_fft.fftw.aligned is _shared
        self._first: dict[str, list[int]] = {}
        self._bound: dict[str, Exchange] = {}

    def forward(self, array_a: NDArray[Any], array_b: NDArray[Any]) -> None:
        """Move `array_a`, an array of the first pencil, to `array_b`, an array of the second."""
        self._move("forward", super().forward, array_a, array_b)

    def backward(self, array_b: NDArray[Any], array_a: NDArray[Any]) -> None:
        """Move `array_b`, an array of the second pencil, to `array_a`, an array of the first."""
        self._move("backward", super().backward, array_b, array_a)

    def destroy(self) -> None:
        """Release the exchanges and MPI's datatypes. Not collective."""
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
        """Bind an exchange: to these arrays, if all ranks use them again and can share them."""
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
    """Return an array that begins at a page, in place of mpi4py_fft.fftw.aligned."""
    del n
    array = zeros(shape, dtype)
    if fill is not None:
        array[...] = fill
    return array


def use(*, shared: bool = False) -> None:
    """Make new plans use transrank's transfers; the import calls this function. Not collective.

    If `shared` is true, the other ranks of the node can access the work arrays, so data are copied
    only once. A transfer whose first two calls pass the same arrays must then always be called with
    these arrays.
    """
    pencil.Transfer = Transfer
    mpi4py_fft.fftw.aligned = _shared if shared else _MPIS[1]


def leave() -> None:
    """Make new plans use the transfers and arrays of mpi4py-fft itself. Not collective."""
    pencil.Transfer, mpi4py_fft.fftw.aligned = _MPIS


use()
