# SPDX-License-Identifier: BSD-3-Clause
"""NumPy arrays in memory that the other ranks of the node can access.

The memory is an anonymous segment that does not count against the size of /dev/shm. It is freed
with its last view: without communication, at any time, also after MPI_Finalize. None of these
functions is collective. Data in such arrays move between ranks of a node in a single copy; if the
system allows no shared memory, the functions return ordinary arrays.

A child of fork (``os.fork``, multiprocessing's start method "fork") inherits the arrays. Its writes
are private, as with any array. It reads the values at the time of the fork, except that pages
which it has not written may show later writes of the parent or of an exchange: copy data that must
not change. A child is not a rank: calls that need other ranks raise Misuse there, and it must
exit with ``os._exit``, as multiprocessing does, since ``sys.exit`` makes mpi4py finalize MPI.
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
        when the type holds Python objects, whose pointers are not valid in another process.
    ValueError
        when a length is negative.
    MemoryError
        when the array is larger than the machine's memory (or the limit of the process's control
        group) plus swap space, or than the system grants to a process. As with NumPy's arrays,
        pages are allocated on first write: the memory in use by others is not checked.
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
    """A new array whose contents are unspecified (in fact zero). Raises as `zeros`."""
    return zeros(shape, dtype)


def full(shape: ShapeLike, fill_value: ArrayLike, dtype: DTypeLike | None = None) -> NDArray[Any]:
    """A new array filled with a value, of the value's type unless one is given.

    Raises as `zeros`.
    """
    array = zeros(shape, np.asarray(fill_value).dtype if dtype is None else dtype)
    array[...] = fill_value
    return array


def zeros_like(prototype: ArrayLike, dtype: DTypeLike | None = None) -> NDArray[Any]:
    """A new array of zeros with the shape of another one, and its type unless one is given."""
    other = np.asanyarray(prototype)
    return zeros(other.shape, other.dtype if dtype is None else dtype)


def empty_like(prototype: ArrayLike, dtype: DTypeLike | None = None) -> NDArray[Any]:
    """As zeros_like, but the contents are unspecified (in fact zero)."""
    return zeros_like(prototype, dtype)


def full_like(
    prototype: ArrayLike, fill_value: ArrayLike, dtype: DTypeLike | None = None
) -> NDArray[Any]:
    """A new array of a value with the shape of another one, and its type unless one is given."""
    array = zeros_like(prototype, dtype)
    array[...] = fill_value
    return array
