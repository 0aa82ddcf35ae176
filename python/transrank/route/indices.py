# SPDX-License-Identifier: BSD-3-Clause
"""Lists of integers in the form that the compiled module needs."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

if TYPE_CHECKING:
    from typing import SupportsIndex

    from numpy.typing import ArrayLike, NDArray


def as_indices(what: str, values: ArrayLike) -> NDArray[np.int64]:
    """Return a contiguous array of 64-bit integers, without a copy if `values` already is one.

    Raises TypeError or ValueError, with `what` in the message, when the values are not a
    one-dimensional list of integers that fit in 64 bits.
    """
    return _as_integers(what, values, np.dtype(np.int64))


def as_index(what: str, value: SupportsIndex) -> int:
    """Return an integer that fits in 64 bits; raises TypeError or ValueError that names `what`."""
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{what} is {shortened(value)}; give an integer") from None
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"{what} is {number}; it must fit in 64 bits")
    return number


def as_integers(what: str, value: SupportsIndex | Sequence[SupportsIndex]) -> tuple[int, ...]:
    """Return one integer, or a sequence of integers, as a tuple; raises as `as_index`."""
    several: Sequence[Any] = value if are_several(value) else [value]
    return tuple(as_index(what, each) for each in several)


def are_several(value: Any) -> TypeGuard[Sequence[Any]]:
    """Return whether `value` is a sequence or an array of values; a text counts as one value."""
    return isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, (str, bytes))


def as_flag(what: str, value: object) -> bool:
    """True or False, of Python or NumPy, or the integer 1 or 0.

    Raises TypeError, which names `what`, when it is anything else.
    """
    flag = np.asarray(value)
    if flag.ndim != 0 or flag.dtype.kind not in "biu" or flag not in (0, 1):
        raise TypeError(f"{what} is {value!r}; give True or False")
    return bool(flag)


def as_ranks(what: str, values: ArrayLike) -> NDArray[np.int32]:
    """Do the same as `as_indices` for ranks, which are 32-bit integers."""
    return _as_integers(what, values, np.dtype(np.int32))


def _as_integers(what: str, values: ArrayLike, wanted: np.dtype[Any]) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{what} has shape {array.shape}; give a one-dimensional list")
    if array.size == 0:
        return np.empty(0, wanted)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what} is a list of {array.dtype}; give integers")
    if array.dtype == wanted:
        return np.ascontiguousarray(array)
    limits = np.iinfo(wanted)
    if int(array.max()) > limits.max or int(array.min()) < limits.min:
        raise ValueError(
            f"{what} has an element out of range; it must be from {limits.min} to {limits.max}"
        )
    return np.ascontiguousarray(array, wanted)
