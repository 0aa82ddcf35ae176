# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3 4
"""Grids of any shape and division against NumPy's indexing of the whole array."""

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import transrank
from python.exchange.cases import FORMS
from python.spmd import MPI, WORLD, main, property_test
from support.trials import trials

UNTOUCHED = -1


@dataclass(frozen=True)
class Case:
    shape: tuple[int, ...]
    halo: tuple[tuple[int, int], ...]
    periodic: tuple[bool, ...]
    parts: tuple[int | list[int], ...] | None
    others: tuple[int | list[int], ...]
    components: tuple[int, ...]
    components_first: bool
    dtype: str
    root: int
    forms: tuple[str, ...]  # of the views of each rank

    def grid(self) -> transrank.Grid:
        return transrank.Grid(
            WORLD,
            self.shape,
            self.halo,
            self.periodic,
            self.parts,
            components_first=self.components_first,
        )

    def whole(self, grid: transrank.Grid) -> NDArray[Any]:
        """A value of its own in each component of each cell."""
        cells = np.arange(prod(grid.shape)).reshape(grid.shape)
        values = self.with_components(cells) * prod(self.components)
        parts = np.arange(prod(self.components)).reshape(self.components)
        beside = parts.reshape(self.components + (1,) * cells.ndim)
        return (values + (beside if self.components_first else parts)).astype(self.dtype)

    def view(self, array: NDArray[Any]) -> NDArray[Any]:
        """A copy in this rank's form."""
        made = FORMS[self.forms[WORLD.rank]](np.zeros, array.shape, array.dtype)
        made[...] = array
        return made

    def with_components(self, cells: NDArray[Any]) -> NDArray[Any]:
        """The same in each component."""
        if self.components_first:
            return np.broadcast_to(cells, (*self.components, *cells.shape))
        return np.broadcast_to(
            cells.reshape(cells.shape + (1,) * len(self.components)),
            (*cells.shape, *self.components),
        )


@st.composite
def divisions(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[int | list[int], ...]:
    """Parts of each axis, by number or by their cells, for at most as many ranks as there are."""
    left, parts = WORLD.size, []
    for length in shape:
        count = draw(st.integers(1, left))
        left //= count
        if draw(st.booleans()):
            parts.append(count)
        else:
            cuts = sorted(draw(st.integers(0, length)) for _ in range(count - 1))
            parts.append([int(n) for n in np.diff([0, *cuts, length])])
    return tuple(parts)


def thinnest(length: int, part: int | list[int]) -> int:
    return min(part) if isinstance(part, list) else length // part


@st.composite
def cases(draw: st.DrawFn) -> Case:
    axes = draw(st.integers(1, 4))
    shape = tuple(draw(st.integers(1, 14 if axes < 3 else 6)) for _ in range(axes))
    parts = draw(st.none() | divisions(shape))
    widest = [min(2, length) for length in shape]
    if draw(st.integers(0, 9)):  # else a part may be too thin for the halo of a neighbor
        chosen = parts or MPI.Compute_dims(WORLD.size, axes)
        widest = [min(2, thinnest(n, part)) for n, part in zip(shape, chosen, strict=True)]
    return Case(
        shape=shape,
        halo=tuple(draw(st.tuples(*[st.integers(0, most)] * 2)) for most in widest),
        periodic=tuple(draw(st.booleans()) for _ in shape),
        parts=parts,
        others=draw(divisions(shape)),
        components=draw(st.sampled_from([(), (1,), (3,), (2, 2)])),
        components_first=draw(st.booleans()),
        dtype=draw(st.sampled_from(["float64", "int32", "complex64"])),
        root=draw(st.integers(0, WORLD.size - 1)),
        forms=tuple(draw(st.sampled_from([*FORMS])) for _ in range(WORLD.size)),
    )


def expected(case: Case, grid: transrank.Grid, before: NDArray[Any]) -> NDArray[Any]:
    """This rank's array after an update: copies of the whole where there are cells."""
    around: list[NDArray[np.int64]] = []
    inside: list[NDArray[np.bool_]] = []
    for box, (low, high), length, wraps in zip(
        grid.box, case.halo, grid.shape, grid.periodic, strict=True
    ):
        empty = box.start == box.stop
        there = np.arange(0) if empty else np.arange(box.start - low, box.stop + high)
        around.append(there % length)
        inside.append(wraps | ((there >= 0) & (there < length)))
    places = (..., *np.ix_(*around)) if case.components_first else np.ix_(*around)
    valid = np.logical_and.reduce(np.meshgrid(*inside, indexing="ij"))
    return np.where(case.with_components(valid), case.whole(grid)[places], before)


def too_thin(case: Case, grid: transrank.Grid) -> bool:
    """Whether some part has fewer cells than a neighbor's halo is wide."""
    return any(
        each.owned(part) < max(width)
        for each, width in zip(grid._split, case.halo, strict=True)
        for part in range(each.parts)
    )


@property_test(cases(), examples=trials(320))
def test_grids_move_what_numpy_indexes(case):
    grid = case.grid()
    whole = case.whole(grid)
    box = (..., *grid.box) if case.components_first else grid.box
    one = grid.full(UNTOUCHED, case.components, case.dtype)
    one[grid.owned] = whole[box]
    two, three, before = case.view(one), case.view(one), one.copy()
    wanted = expected(case, grid, before)
    refused = None
    try:
        halo = grid.halo(one, two)
        halo.update()
        grid.update(three)
    except transrank.AgreedError as error:
        refused = str(error)
    pencils = grid.with_parts(case.others)
    moved = grid.to(pencils, case.view(one))
    back = pencils.to(grid, moved, out=grid.full(UNTOUCHED, case.components, case.dtype))
    gathered = grid.gather(one, case.root)
    scattered = pencils.scatter(gathered, case.root)
    there = (..., *pencils.box) if case.components_first else pencils.box
    if refused is None:
        assert np.array_equal(one, wanted), (one, wanted)
        assert np.array_equal(two, wanted)
        assert np.array_equal(three, wanted)
    else:
        assert too_thin(case, grid), refused
    assert np.array_equal(moved[pencils.owned], whole[there])
    assert np.array_equal(back, before)  # the halo too, which no move touches
    assert np.array_equal(scattered, moved)
    assert (gathered is None) == (WORLD.rank != case.root)
    assert gathered is None or np.array_equal(gathered, whole)


@property_test(cases(), examples=30)
def test_indices_interior_and_boundaries_are_those_of_the_box(case):
    grid = case.grid()
    cells = np.arange(prod(grid.shape)).reshape(grid.shape)
    indices = np.ravel_multi_index(grid.indices(), grid.shape) if cells[grid.box].size else None
    local = np.zeros(grid.local_shape, int)
    slices = grid.owned[1:] if case.components_first else grid.owned
    inner = grid.interior[1:] if case.components_first else grid.interior
    local[slices] += 1
    local[inner] += 1
    own = np.zeros(tuple(box.stop - box.start for box in grid.box), int)
    own[
        tuple(
            slice(low, max(low, n - high))
            for (low, high), n in zip(case.halo, own.shape, strict=True)
        )
    ] = 1
    assert indices is None or np.array_equal(indices, cells[grid.box])
    assert np.array_equal(local[slices] - 1, own)
    assert local.sum() == own.size + own.sum()
    for axis, box in enumerate(grid.box):
        owns = own.size > 0 and not grid.periodic[axis]
        assert grid.at_boundary(axis, -1) == (owns and box.start == 0)
        assert grid.at_boundary(axis, 1) == (owns and box.stop == grid.shape[axis])


main(globals())
