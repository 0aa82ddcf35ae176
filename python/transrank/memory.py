# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that the other ranks of the node can reach: ordinary NumPy arrays to their user.

Their memory lies in a segment without a name, counts against no /dev/shm, and is freed when the
last view of it dies: without communication, at any time, also after MPI_Finalize. None of these
functions is collective. Data in such arrays move between ranks of a node in a single copy; where
the system allows no shared memory they are as arrays of NumPy's own.

A child of fork (``os.fork``, multiprocessing's start method "fork") has the arrays, too. What it
writes is its own, as with any array. What it reads is what was there at the fork, except that pages
which it has not written may also show what the parent, or an exchange, has written since: take a
copy of what must stay. A child is no rank: whatever needs other ranks raises Misuse there, and it
must leave by ``os._exit``, as multiprocessing does, since ``sys.exit`` makes mpi4py finalize MPI.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

import transrank.mpi  # noqa: F401  # loads MPI, with which the compiled module is linked
from transrank._core import shared_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from numpy.typing import ArrayLike, DTypeLike, NDArray

    ShapeLike = SupportsIndex | Sequence[SupportsIndex]

__all__ = ["empty", "empty_like", "full", "full_like", "zeros", "zeros_like"]


def zeros(shape: ShapeLike, dtype: DTypeLike = float) -> NDArray[Any]:
    """A new C-ordered array of zeros, aligned to a page.

    Raises
    ------
    TypeError
        when the type holds Python objects: another process cannot follow a pointer of this one.
    MemoryError
        when it is more than the machine's memory (or what the process's control group grants) and
        swap space, or more than the system promises a process. As with NumPy's arrays, memory is
        taken when it is first written: of what others use nothing is known here.
    """
    wanted = np.dtype(dtype)
    if wanted.hasobject:
        raise TypeError(
            f"arrays of {wanted} hold references to Python objects; they cannot be shared"
        )
    lengths = tuple(map(index, shape)) if isinstance(shape, Iterable) else (index(shape),)
    if any(length < 0 for length in lengths):
        raise ValueError(f"an array of shape {lengths} cannot be made; lengths are at least 0")
    wanted_bytes = math.prod(lengths) * wanted.itemsize
    if wanted_bytes > np.iinfo(np.int64).max:
        raise MemoryError(f"an array of shape {lengths} would have {wanted_bytes} bytes")
    return np.ndarray(lengths, wanted, buffer=shared_bytes(wanted_bytes))


def empty(shape: ShapeLike, dtype: DTypeLike = float) -> NDArray[Any]:
    """A new array whose contents are to be written first; the system gives it as zeros."""
    return zeros(shape, dtype)


def full(shape: ShapeLike, fill_value: ArrayLike, dtype: DTypeLike | None = None) -> NDArray[Any]:
    """A new array filled with a value, of the value's type unless one is given."""
    array = zeros(shape, np.asarray(fill_value).dtype if dtype is None else dtype)
    array[...] = fill_value
    return array


def zeros_like(prototype: ArrayLike, dtype: DTypeLike | None = None) -> NDArray[Any]:
    """A new array of zeros with the shape, and unless given the type, of another one."""
    other = np.asanyarray(prototype)
    return zeros(other.shape, other.dtype if dtype is None else dtype)


def empty_like(prototype: ArrayLike, dtype: DTypeLike | None = None) -> NDArray[Any]:
    """As zeros_like, for contents that are to be written first."""
    return zeros_like(prototype, dtype)


def full_like(
    prototype: ArrayLike, fill_value: ArrayLike, dtype: DTypeLike | None = None
) -> NDArray[Any]:
    """A new array of a value with the shape, and unless given the type, of another one."""
    array = zeros_like(prototype, dtype)
    array[...] = fill_value
    return array
