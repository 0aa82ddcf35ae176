# SPDX-License-Identifier: BSD-3-Clause
"""The two layouts of a redistribution, as the compiled module needs them and arrays have them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from transrank import _core
from transrank.route.indices import as_indices

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Order: TypeAlias = Literal["C", "F"]


@dataclass(frozen=True)
class Side:
    """A block grid, a list of this rank's cells, or only the number of its units."""

    name: str
    layout: _core.BlockGrid | NDArray[np.int64] | int
    numbering: Order = "C"

    def for_core(self) -> _core.BlockGrid | tuple[NDArray[np.int64], Order]:
        """Return a grid, or a list of cells and the order in which cells are numbered."""
        assert not isinstance(self.layout, int)
        if isinstance(self.layout, _core.BlockGrid):
            return self.layout
        return self.layout, self.numbering

    def words(self) -> list[str]:
        """Return the properties that must be the same on every rank."""
        if isinstance(self.layout, _core.BlockGrid):
            return [f"the {self.name} as {word}" for word in self.layout.words()]
        return [f"the {self.name} as a list or units"]

    @property
    def dimensions(self) -> int:
        """The number of leading dimensions of an array that count cells."""
        return self.layout.dimensions if isinstance(self.layout, _core.BlockGrid) else 1

    def shape(self, rank: int) -> tuple[int, ...]:
        """Return the leading dimensions of a rank's array: those of the grid, the slowest first."""
        if isinstance(self.layout, int):
            return (self.layout,)
        if not isinstance(self.layout, _core.BlockGrid):
            return (len(self.layout),)
        extents = self.layout.local_extents(rank)
        return tuple(extents[dimension] for dimension in reversed(self.layout.memory_order))


def side_of(name: str, layout: _core.BlockGrid | ArrayLike, numbering: Order) -> Side:
    """Return the side of a grid or a list of cells; raise TypeError or ValueError for others."""
    if numbering not in ("C", "F"):
        raise ValueError(f"unknown numbering {numbering!r}; known: C, F")
    if isinstance(layout, _core.BlockGrid):
        return Side(name, layout, numbering)
    return Side(name, as_indices(f"the list of cells of the {name}", layout).copy(), numbering)


def side_of_route(
    name: str, units: int, layout: _core.BlockGrid | ArrayLike | None, rank: int
) -> Side:
    """Return the side of `layout`; raise TypeError or ValueError unless it has `units` units."""
    if layout is None:
        return Side(name, units)
    side = side_of(name, layout, "C")
    if math.prod(side.shape(rank)) != units:
        raise ValueError(
            f"the {name} layout has {side.shape(rank)} cells on rank {rank}, but the route has "
            f"{units}; give the layouts that it was made for"
        )
    return side
