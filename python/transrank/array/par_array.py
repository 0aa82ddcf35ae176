# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a distributed array that one rank holds."""

from __future__ import annotations

import math
from operator import index
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from transrank import _core
from transrank.exchange.fields import check_is_array
from transrank.exchange.scalars import scalar_of
from transrank.layout import Rows
from transrank.memory import zeros
from transrank.route.indices import as_indices

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray


class ParArray:
    """The rows of a distributed array that one rank holds, in one block of memory.

    Rows all have the same shape (`fixed`), a bounded length (`bounded`) or any length (`variable`).
    These three methods allocate memory that the other ranks of the node can access; `of` wraps the
    user's own array, without a copy. Nothing here is collective. ``array[i]`` is a view of row i;
    it raises IndexError unless ``0 <= i < len(array)``.

    Attributes
    ----------
    rows
        offsets and lengths of the rows, in elements.
    memory
        the elements of all rows, padding included: a one-dimensional view.
    bindable
        the array to which an exchange is bound: the user's own array if there is one, which NumPy
        then refuses to resize.
    core
        the same rows, for the compiled module.
    """

    rows: Rows
    memory: NDArray[Any]
    bindable: NDArray[Any]
    core: _core.RowArray

    def __init__(
        self,
        rows: Rows,
        memory: NDArray[Any],
        row_shape: tuple[int, ...] | None,
        bound: int | None,
        alignment: int | None,
        bindable: NDArray[Any] | None = None,
    ) -> None:
        self._row_shape = row_shape
        self._bound = bound
        self._alignment = alignment  # None: the memory is the user's own
        self.core = _core.RowArray(memory.itemsize, scalar_of(memory.dtype, "assign"))
        self._adopt(rows, memory, memory if bindable is None else bindable)

    def _adopt(self, rows: Rows, memory: NDArray[Any], bindable: NDArray[Any]) -> None:
        self.rows = rows
        self.memory = memory
        self.bindable = bindable
        self.core.adopt(rows, bindable, self._description)

    @classmethod
    def fixed(
        cls,
        rows: int,
        row_shape: int | tuple[int, ...] = (),
        dtype: DTypeLike = float,
        *,
        alignment: int = 1,
    ) -> ParArray:
        """Make `rows` rows of one shape, all zero.

        Each row begins at a multiple of `alignment` elements. `row_shape` is a length or a tuple of
        lengths. Raises ValueError when a number is negative or `alignment` is less than 1.
        """
        shape = row_shape if isinstance(row_shape, tuple) else (row_shape,)
        if any(length < 0 for length in shape):
            raise ValueError(f"rows of shape {shape}: a length is negative")
        made = Rows.fixed(rows, math.prod(shape), alignment)
        return cls(made, zeros(made.units, dtype), shape, None, alignment)

    @classmethod
    def bounded(
        cls, lengths: ArrayLike, bound: int, dtype: DTypeLike = float, *, alignment: int = 1
    ) -> ParArray:
        """Make rows of these `lengths`, each with room for `bound` elements, all zero.

        Each row begins at a multiple of `alignment` elements. Raises TypeError or ValueError when
        `lengths` is not a one-dimensional list of integers from 0 to `bound`.
        """
        made = Rows.bounded(as_indices("the list of row lengths", lengths), bound, alignment)
        return cls(made, zeros(made.units, dtype), None, bound, alignment)

    @classmethod
    def variable(
        cls, lengths: ArrayLike, dtype: DTypeLike = float, *, alignment: int = 1
    ) -> ParArray:
        """Make rows of any `lengths`, one after the other (CSR), all zero.

        Each row begins at a multiple of `alignment` elements. Raises TypeError or ValueError when
        `lengths` is not a one-dimensional list of integers of at least 0.
        """
        made = Rows.variable(as_indices("the list of row lengths", lengths), alignment)
        return cls(made, zeros(made.units, dtype), None, None, alignment)

    @classmethod
    def of(cls, array: NDArray[Any], name: str = "array") -> ParArray:
        """Wrap the user's own `array`, whose rows are ``array[i]``; error messages call it `name`.

        Within a node, data in an array made by `transrank.zeros` are copied once; other data are
        copied twice. Raises TypeError or ValueError when `array` is not a C-contiguous NumPy array
        of at least one dimension.
        """
        check_is_array(f"the {name}", array)
        if array.ndim == 0 or not array.flags.c_contiguous:
            raise ValueError(
                f"the {name}, of shape {array.shape} and strides {array.strides} bytes, does not "
                "consist of C-contiguous rows; give the whole array or a copy"
            )
        rows = Rows.fixed(len(array), math.prod(array.shape[1:]))
        return cls(rows, array.reshape(-1), array.shape[1:], None, None, array)

    def resize(self, rows: int | ArrayLike) -> None:
        """Allocate new memory for other rows of the same kind, all zero; old contents are lost.

        Exchanges bound to the array must be bound again. Exchanges bound by an ArrayTransformer
        raise Misuse at their next start.

        Parameters
        ----------
        rows
            the number of rows if all have one shape; otherwise the length of each row, in elements.

        Raises
        ------
        ValueError
            when the memory is the user's own, a number is negative, or a row is longer than the
            bound.
        """
        alignment = self._alignment
        if alignment is None:
            raise ValueError(
                "the memory of this array is the user's own; make another one with ParArray.of"
            )
        if self._row_shape is not None:
            made = Rows.fixed(index(np.asarray(rows)), math.prod(self._row_shape), alignment)
        else:
            lengths = as_indices("the list of row lengths", rows)
            if self._bound is None:
                made = Rows.variable(lengths, alignment)
            else:
                made = Rows.bounded(lengths, self._bound, alignment)
        memory = zeros(made.units, self.dtype)
        self._adopt(made, memory, memory)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.memory.dtype

    @property
    def kind(self) -> str:
        """The kind of the rows: ``fixed``, ``bounded`` or ``variable``."""
        if self._row_shape is not None:
            return "fixed"
        return "variable" if self._bound is None else "bounded"

    @property
    def row_shape(self) -> tuple[int, ...] | None:
        """The shape of every row; None if they have no common shape."""
        return self._row_shape

    @property
    def bound(self) -> int | None:
        """The largest number of elements of a row of bounded length; None for other rows."""
        return self._bound

    @property
    def values(self) -> NDArray[Any]:
        """All rows as one array of shape ``(rows, *row_shape)``, a view.

        Raises ValueError when the rows do not have one common shape.
        """
        if self._row_shape is None:
            raise ValueError(
                f"rows of {self.kind} length do not form an array; access them one by one"
            )
        table = self.memory.reshape(len(self), self.rows.pitch)
        return table[:, : math.prod(self._row_shape)].reshape(len(self), *self._row_shape)

    def __len__(self) -> int:
        return self.rows.rows

    def __getitem__(self, row: int) -> NDArray[Any]:
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} is out of range [0, {len(self)})")
        begin = self.rows.begin(row)
        elements = self.memory[begin : begin + self.rows.length(row)]
        return elements if self._row_shape is None else elements.reshape(self._row_shape)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a ParArray cannot be copied; make another one, and copy its values")

    @property
    def _description(self) -> str:
        """Properties of the rows that must be the same on all ranks."""
        length = {
            "fixed": f"shape {self._row_shape}",
            "bounded": f"at most {self._bound} elements",
            "variable": "any length",
        }[self.kind]
        return f"{length} of {self.dtype}"

    def __repr__(self) -> str:
        return f"<ParArray of {len(self)} rows of {self._description}>"
