# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the arrays of an exchange, on this rank."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from transrank.exchange.scalars import WORDS, scalar_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transrank._core import Route

Array: TypeAlias = NDArray[Any]
OneField: TypeAlias = Array | tuple[Array, Array]
Fields: TypeAlias = OneField | list[OneField] | list[Array] | list[tuple[Array, Array]]

_MAIN_MEMORY = (1, 3, 11)  # DLPack's numbers: CPU, and memory of the CPU pinned for CUDA or ROCm


class Field(NamedTuple):
    """A source and a destination array whose leading dimensions count the units of a route."""

    source: Array
    destination: Array
    unit_shape: tuple[int, ...]
    unit_bytes: int
    scalar: str

    def describe(self) -> str:
        """Return the properties that must be the same on every rank."""
        dtype = self.source.dtype
        return f"units of shape {self.unit_shape} of {WORDS.get(dtype) or dtype}"

    def forms(self) -> Forms:
        """Return the forms that other arrays need in their place."""
        return Forms(form_of(self.source), form_of(self.destination))


# Shape, strides and type.
Form: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], np.dtype[Any]]


class Forms(NamedTuple):
    """The forms (shape, strides and type) of a source and of a destination array."""

    source: Form
    destination: Form

    def check(self, name: str, pair: tuple[Array, Array]) -> None:
        """Raise TypeError or ValueError, naming the field, unless the arrays have these forms."""
        for side, array, form in zip(
            ("source", "destination"), pair, (self.source, self.destination), strict=True
        ):
            if type(array) is not np.ndarray:
                check_is_array(f"{name}: the {side}", array)
            if not _same_form(form_of(array), form):
                shape, strides, dtype = form
                raise ValueError(
                    f"{name}: the {side} has shape {array.shape}, strides {array.strides} and type "
                    f"{array.dtype}; the exchange is bound to shape {shape}, strides {strides} and "
                    f"type {dtype}"
                )


def form_of(array: Array) -> Form:
    """Return the shape, strides and type: an exchange can move any array with the same."""
    return array.shape, array.strides, array.dtype


def _same_form(one: Form, other: Form) -> bool:
    """Strides of dimensions of length 1 or of empty arrays mean nothing."""
    if one == other or (one[0], one[2]) != (other[0], other[2]):
        return one == other
    return 0 in one[0] or all(
        length == 1 or a == b for length, a, b in zip(one[0], one[1], other[1], strict=True)
    )


def pairs_of(fields: Fields) -> list[tuple[Array, Array]]:
    """Return the source and the destination of each field; a single array is both."""
    pairs: list[tuple[Array, Array]] = []
    for number, field in enumerate(fields if isinstance(fields, list) else [fields]):
        if not isinstance(field, tuple):
            pairs.append((field, field))
        elif len(field) == 2:
            pairs.append(field)
        else:
            raise TypeError(
                f"field {number} is a tuple of {len(field)} elements; give an array, or a tuple of "
                "a source and a destination, or a list of those"
            )
    return pairs


def check_field(
    name: str,
    pair: tuple[Array, Array],
    route: Route,
    dimensions: tuple[int, int],
    operation: str,
) -> Field:
    """Return the field; raise TypeError or ValueError unless an exchange can move it."""
    source, destination = pair
    unit_shape = _check_side(name, "source", source, dimensions[0], route)
    to_shape = _check_side(name, "destination", destination, dimensions[1], route)
    if not destination.flags.writeable:
        raise ValueError(f"{name}: the destination is read-only")
    if (source.dtype, unit_shape) != (destination.dtype, to_shape):
        raise ValueError(
            f"{name}: the source has units of shape {unit_shape} of {source.dtype}, the "
            f"destination units of shape {to_shape} of {destination.dtype}; they must be the same"
        )
    try:
        scalar = scalar_of(source.dtype, operation)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None
    unit_bytes = math.prod(unit_shape) * source.dtype.itemsize
    if unit_bytes == 0:
        raise ValueError(
            f"{name}: units of shape {unit_shape} of {source.dtype} have a size of 0 bytes; each "
            "dimension must be at least 1"
        )
    return Field(source, destination, unit_shape, unit_bytes, scalar)


def _check_shape(
    what: str, given: tuple[int, ...], dimensions: int, rank: int, wanted: tuple[int, ...]
) -> None:
    """Raise ValueError unless an array has the shape of a grid's, or is flat with as many cells."""
    counted, grid, cells = given[:dimensions], len(wanted), math.prod(wanted)
    if len(counted) == dimensions and (
        counted in (wanted, (cells,)) or (not any(wanted) and 0 in counted)
    ):
        return
    hint, first = "", given[:-grid]
    if first and given[-grid:] == wanted != given[:grid]:
        each = f"range({first[0]})" if len(first) == 1 else f"np.ndindex{first}"
        hint = f"; give one field per component, [u[k] for k in {each}], or put components last"
    elif hint := swapped(given[:grid], wanted):
        pass
    elif given[:grid] == wanted or dimensions == 1 < grid:
        hint = f"; pass dimensions={grid}, or a flat array of {cells} cells"
    raise ValueError(
        f"{what} has shape {given}; rank {rank}'s array of this grid has shape {wanted}, halo "
        f"included (grid.local_extents({rank}), the slowest dimension in memory first){hint}"
    )


def swapped(given: Sequence[int], wanted: Sequence[int]) -> str:
    """Return a hint if the lengths of axes are in each other's places; "" for another fault."""
    wrong = [n for n, pair in enumerate(zip(given, wanted, strict=False)) if len(set(pair)) > 1]
    if sorted(given) != sorted(wanted) or not wrong:
        return ""
    return f"; its axes {' and '.join(map(str, wrong))} are in each other's places"


def _check_side(
    field: str, side: str, array: Array, dimensions: int, route: Route
) -> tuple[int, ...]:
    """The shape of a unit."""
    what = f"{field}: the {side}"
    extent, shape = getattr(route, f"{side}_extent"), getattr(route, f"{side}_shape")
    check_is_array(what, array)
    if shape is not None:
        _check_shape(what, array.shape, dimensions, route.rank, shape)
    if array.ndim < dimensions:
        raise ValueError(
            f"{what}, of shape {array.shape}, has {array.ndim} dimensions, fewer than "
            f"dimensions={dimensions}"
        )
    units = math.prod(array.shape[:dimensions])
    if units < extent:
        raise ValueError(
            f"{what}, of shape {array.shape}, holds {units} units along its first {dimensions} "
            f"dimension{'s' if dimensions > 1 else ''}, but the route needs {extent} or more"
        )
    return array.shape[dimensions:]


def check_is_array(what: str, array: object) -> None:
    """Raise TypeError unless an exchange can reach the elements of an array."""
    if type(array) is np.ndarray:
        return
    if is_on_device(array):
        raise TypeError(
            f"{what} is a {_name(array)} in the memory of a device (GPU); copy it to main memory "
            "first"
        )
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{what} is a {_name(array)}, not a NumPy array (numpy.asarray makes one)")
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{what} is a masked array, whose mask is not moved; give its data")


def is_on_device(array: object) -> bool:
    """Return whether DLPack or CUDA's array interface says that `array` is not in main memory."""
    if isinstance(array, np.ndarray):
        return False
    if hasattr(array, "__dlpack_device__"):
        return int(array.__dlpack_device__()[0]) not in _MAIN_MEMORY
    return hasattr(array, "__cuda_array_interface__")


def _name(value: object) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
