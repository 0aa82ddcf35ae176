# SPDX-License-Identifier: BSD-3-Clause
"""Bundles on grids of hypothesis: what each rank has, and should get, cut from whole arrays."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import transrank
from python.route.grids import EXTENTS, Grid, grids, numbered
from python.route.serial import UNTOUCHED
from python.spmd import WORLD

DTYPES = ["float64", "float32", "int16", "uint8", "complex128", "S5"]


@dataclass(frozen=True)
class Field:
    """One field of a bundle: its type, and the values of a cell."""

    dtype: str
    values: tuple[int, ...]
    shared: bool

    def of_cells(self, cells: NDArray[np.int64]) -> NDArray[Any]:
        """What the field holds in cells of these numbers."""
        count = int(np.prod(self.values))
        numbers = cells[..., None] * count + np.arange(count)
        if self.dtype == "S5":
            made = np.char.mod("%d", numbers % 99991).astype("S5")
        else:
            made = (numbers % 251 if self.dtype in ("uint8", "int16") else numbers).astype(
                self.dtype
            )
        return made.reshape(*cells.shape, *self.values)

    def array(self, contents: NDArray[Any]) -> NDArray[Any]:
        """In memory that other ranks can reach, or not."""
        if not self.shared:
            return np.ascontiguousarray(contents)
        made = transrank.empty(contents.shape, contents.dtype)
        made[...] = contents
        return made


def transports() -> st.SearchStrategy[str]:
    return st.sampled_from(["auto", "message", "shared-staged"])


def bundles() -> st.SearchStrategy[list[Field]]:
    field = st.builds(
        Field, st.sampled_from(DTYPES), st.sampled_from([(), (3,), (2, 2)]), st.booleans()
    )
    return st.lists(field, min_size=1, max_size=3)


@st.composite
def movements(draw: st.DrawFn) -> tuple[list[int], Grid, Grid]:
    """Two layouts of a grid on some of the ranks each."""
    extents = draw(EXTENTS)

    def layout(halo: int) -> Grid:
        return draw(grids(extents, WORLD.size, halo=halo))

    return extents, layout(0), layout(draw(st.sampled_from([0, 2])))


def local(grid: Grid, extents: list[int], *, halo: bool) -> NDArray[np.int64]:
    """Numbers of this rank's cells, from 1 on, in the shape of its array; 0 where nothing is."""
    shape = grid.layout.local_extents(WORLD.rank)
    flat = grid.cut(numbered(extents), WORLD.rank, halo=halo)
    cells = np.where(flat == UNTOUCHED, 0, flat)
    return cells.reshape([shape[dimension] for dimension in grid.memory_order[::-1]])
