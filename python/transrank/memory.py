# SPDX-License-Identifier: BSD-3-Clause
"""NumPy arrays in memory that the other ranks of the node can access.

Data in such arrays are copied only once when they move between ranks of a node. If the system
provides no shared memory, the functions return ordinary arrays. None of these functions is
collective.

The memory is an anonymous segment that does not count against the size of /dev/shm. It is freed
when the last view of it is deleted. Freeing it needs no communication, and works at any time, even
after MPI_Finalize.

A child process made by fork (``os.fork``, or multiprocessing's start method "fork") inherits the
arrays. What the child writes stays private to the child, as with any array. The child reads the
values at the time of the fork, but pages that it has not written may also show later writes by the
parent or by an exchange, so copy data that must not change. A child is not a rank: in the child,
calls that need other ranks raise Misuse. The child must exit with ``os._exit``, as multiprocessing
does, because ``sys.exit`` makes mpi4py finalize MPI.
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
    """Return a new C-ordered array of zeros in node-shared memory, aligned to a page.

    `shape` is an integer or a sequence of integers. Not collective.

    Raises
    ------
    TypeError
        when the type holds Python objects, whose pointers are not valid in another process.
    ValueError
        when a length is negative.
    MemoryError
        when the array is larger than the machine's memory (or the limit of the process's control
        group) plus swap space, or larger than the system grants to a process. As with NumPy's
        arrays, pages are allocated when they are first written: memory that other processes already
        use is not considered.
    """
    wanted = np.dtype(dtype)
    if wanted.hasobject:
        raise TypeError(
            f"arrays of {wanted} hold references to Python objects, which are not valid on another "
            "rank; give a type of numbers, such as float"
        )
    try:
        lengths = tuple(map(index, shape)) if isinstance(shape, Iterable) else (index(shape),)
    except TypeError:
        raise TypeError(f"shape is {shape!r}; give an integer, or a sequence of these") from None
    if any(length < 0 for length in lengths):
        raise ValueError(f"an array of shape {lengths} cannot be made; lengths must be at least 0")
    wanted_bytes = math.prod(lengths) * wanted.itemsize
    if wanted_bytes > np.iinfo(np.int64).max:
        raise MemoryError(f"an array of shape {lengths} would have {wanted_bytes} bytes")
    return np.ndarray(lengths, wanted, buffer=shared_bytes(wanted_bytes))


def empty(shape: ShapeLike, dtype: DTypeLike = float) -> NDArray[Any]:
    """Return a new array as `zeros` does, but with unspecified contents (currently zeros).

    `shape`, `dtype` and the exceptions are those of `zeros`. Not collective.
    """
    return zeros(shape, dtype)


def full(shape: ShapeLike, fill_value: ArrayLike, dtype: DTypeLike | None = None) -> NDArray[Any]:
    """Return a new array as `zeros` does, but filled with `fill_value`. Not collective.

    The type is `dtype`, by default that of `fill_value`. `shape` and the exceptions are those of
    `zeros`.
    """
    array = zeros(shape, np.asarray(fill_value).dtype if dtype is None else dtype)
    array[...] = fill_value
    return array


def zeros_like(prototype: ArrayLike, dtype: DTypeLike | None = None) -> NDArray[Any]:
    """Return a new array of zeros in node-shared memory, with the shape of `prototype`.

    The type is `dtype`, by default that of `prototype`. Not collective. Raises the same exceptions
    as `zeros`.
    """
    other = np.asanyarray(prototype)
    return zeros(other.shape, other.dtype if dtype is None else dtype)


def empty_like(prototype: ArrayLike, dtype: DTypeLike | None = None) -> NDArray[Any]:
    """Return a new array as `zeros_like` does, but with unspecified contents (currently zeros).

    `prototype`, `dtype` and the exceptions are those of `zeros_like`. Not collective.
    """
    return zeros_like(prototype, dtype)


def full_like(
    prototype: ArrayLike, fill_value: ArrayLike, dtype: DTypeLike | None = None
) -> NDArray[Any]:
    """Return a new array as `zeros_like` does, but filled with `fill_value`.

    `prototype`, `dtype` and the exceptions are those of `zeros_like`. Not collective.
    """
    array = zeros_like(prototype, dtype)
    array[...] = fill_value
    return array
