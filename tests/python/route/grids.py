# SPDX-License-Identifier: BSD-3-Clause
"""Block grids of hypothesis, described so that NumPy can cut a global array by itself."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from python.route.serial import UNTOUCHED
from transrank import _core


@dataclass(frozen=True)
class Dimension:
    """One dimension: the indices that each part owns, and the halo around them."""

    distribution: _core.Distribution
    owned: tuple[tuple[int, ...], ...]
    low: int = 0
    high: int = 0
    periodic: bool = False

    @property
    def extent(self) -> int:
        return sum(len(indices) for indices in self.owned)

    def local(self, part: int, *, halo: bool) -> NDArray[np.int64]:
        """Global index of each position of the local array; UNTOUCHED where nothing is."""
        mine = list(self.owned[part])
        if not mine:
            return np.empty(0, np.int64)
        below = [mine[0] - i for i in range(self.low, 0, -1)]
        above = [mine[-1] + 1 + i for i in range(self.high)]
        if self.periodic:
            below = [index % self.extent for index in below]
            above = [index % self.extent for index in above]
        beyond = [i if halo and 0 <= i < self.extent else UNTOUCHED for i in below + above]
        return np.array([*beyond[: self.low], *mine, *beyond[self.low :]])


@dataclass(frozen=True)
class Grid:
    """A block grid and the plain description that it was made from."""

    layout: _core.BlockGrid
    dimensions: tuple[Dimension, ...]
    part_order: str
    memory_order: tuple[int, ...]
    ranks: tuple[int, ...]

    def coordinates(self, rank: int) -> tuple[int, ...] | None:
        if rank not in self.ranks:
            return None
        parts = [len(dimension.owned) for dimension in self.dimensions]
        at = np.unravel_index(self.ranks.index(rank), parts, self.part_order)
        return tuple(int(coordinate) for coordinate in at)

    def positions(self, rank: int, *, halo: bool) -> list[NDArray[np.int64]]:
        at = self.coordinates(rank)
        assert at is not None
        return [
            dimension.local(part, halo=halo)
            for dimension, part in zip(self.dimensions, at, strict=True)
        ]

    def cut(self, whole: NDArray[np.int64], rank: int, *, halo: bool) -> NDArray[np.int64]:
        """A rank's local array, flat in its memory order; UNTOUCHED where nothing is."""
        if self.coordinates(rank) is None:
            return np.empty(0, np.int64)
        positions = self.positions(rank, halo=halo)
        box = whole[np.ix_(*positions)]
        for axis, indices in enumerate(positions):
            np.moveaxis(box, axis, 0)[indices == UNTOUCHED] = UNTOUCHED
        return np.ascontiguousarray(box.transpose(self.memory_order[::-1])).ravel()


def even(extent: int, parts: int) -> Dimension:
    pieces = np.array_split(np.arange(extent), parts)
    owned = tuple(tuple(piece.tolist()) for piece in pieces)
    return Dimension(_core.Distribution.even(extent, parts), owned)


def irregular(boundaries: list[int]) -> Dimension:
    owned = tuple(tuple(range(begin, end)) for begin, end in pairwise(boundaries))
    return Dimension(_core.Distribution.irregular(np.array(boundaries)), owned)


def block_cyclic(extent: int, parts: int, block: int, first: int) -> Dimension:
    owned: list[list[int]] = [[] for _ in range(parts)]
    for index in range(extent):
        owned[(index // block + first) % parts].append(index)
    return Dimension(
        _core.Distribution.block_cyclic(extent, parts, block, first),
        tuple(tuple(indices) for indices in owned),
    )


@st.composite
def dimensions(draw: st.DrawFn, extent: int, parts: int, *, halo: int = 0) -> Dimension:
    kinds = ["even", "irregular", *([] if halo else ["block cyclic"])]
    match draw(st.sampled_from(kinds)):
        case "even":
            bare = even(extent, parts)
        case "irregular":
            inner = draw(st.lists(st.integers(0, extent), min_size=parts - 1, max_size=parts - 1))
            bare = irregular([0, *sorted(inner), extent])
        case _:
            block = draw(st.integers(1, extent + 1))
            bare = block_cyclic(extent, parts, block, draw(st.integers(0, parts - 1)))
    periodic = draw(st.booleans())
    widest = min(halo, extent) if periodic else halo
    low, high = draw(st.integers(0, widest)), draw(st.integers(0, widest))
    return Dimension(bare.distribution, bare.owned, low, high, periodic)


@st.composite
def part_counts(draw: st.DrawFn, dimensions: int, most: int) -> list[int]:
    """Parts per dimension, `most` at most in all."""
    counts = []
    for _ in range(dimensions):
        counts.append(draw(st.integers(1, most)))
        most //= counts[-1]
    return draw(st.permutations(counts))


@st.composite
def grids(draw: st.DrawFn, extents: list[int], ranks: int, *, halo: int = 0) -> Grid:
    """A grid of these extents on some of `ranks` ranks; only contiguous parts have halos."""
    counts = draw(part_counts(len(extents), ranks))
    made = tuple(
        draw(dimensions(extent, parts, halo=halo))
        for extent, parts in zip(extents, counts, strict=True)
    )
    order = draw(st.permutations(range(len(extents))))
    part_order = draw(st.sampled_from("CF"))
    holders = draw(st.permutations(range(ranks)))[: int(np.prod(counts))]
    layout = _core.BlockGrid(
        [dimension.distribution for dimension in made],
        part_order=part_order,
        memory_order=order,
        halo=[(dimension.low, dimension.high, dimension.periodic) for dimension in made],
        ranks=holders,
    )
    return Grid(layout, made, part_order, tuple(order), tuple(holders))


def numbered(extents: list[int]) -> NDArray[np.int64]:
    """A global array in which every cell has a value of its own."""
    return np.arange(1, np.prod(extents, dtype=int) + 1).reshape(extents)


RANKS = st.integers(1, 6)
EXTENTS = st.one_of(
    st.lists(st.integers(0, 9), min_size=1, max_size=3),
    st.lists(st.integers(1, 3), min_size=4, max_size=6),
)


@st.composite
def any_grids(draw: st.DrawFn) -> tuple[int, list[int], Grid]:
    """Ranks, extents, and a grid of these on some of the ranks."""
    ranks, extents = draw(RANKS), draw(EXTENTS)
    return ranks, extents, draw(grids(extents, ranks, halo=2))
