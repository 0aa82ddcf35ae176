# SPDX-License-Identifier: BSD-3-Clause
"""The elements of an array as an exchange sees them: numbers that it can combine, or raw bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

OPERATIONS = ("assign", "add", "min", "max")
OPAQUE = "opaque"

_NUMBERS = {
    np.dtype(name): name
    for name in (
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float32", "float64"),
    )
} | {
    np.dtype(bool): "uint8",
    np.dtype(np.complex64): "float32",
    np.dtype(np.complex128): "float64",
}

# NumPy takes long to name a type.
WORDS = {dtype: str(dtype) for dtype in _NUMBERS}


def scalar_of(dtype: np.dtype[Any], operation: str) -> str:
    """Return the name of the scalar by which elements of `dtype` are combined.

    Returns OPAQUE for types that can only be copied. Complex numbers are added as two floats.
    Booleans are compared as bytes: min is *and*, max is *or*. Raises TypeError when `operation` is
    not defined for the type.
    """
    if dtype.hasobject:
        raise TypeError(
            f"{dtype} holds references to Python objects, which are not valid on another rank; "
            "give numbers, such as array.astype(float)"
        )
    number = _NUMBERS.get(dtype)
    if operation == "assign":
        return number or OPAQUE
    if number is None:
        raise TypeError(f"rows of {dtype} can only be assigned; use the operation assign")
    if operation != "add" and dtype.kind == "c":
        raise TypeError(
            f"{dtype} has no order, so {operation} is undefined; use the operation add or assign"
        )
    if operation == "add" and dtype.kind == "b":
        raise TypeError(
            "booleans cannot be added; use the operation max (or), min (and) or assign, "
            "or an array of integers"
        )
    return number
