# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3
"""Blocks in every two orders of their dimensions arrive; they are larger than the tiles."""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from hypothesis import strategies as st

import transrank
from python.spmd import WORLD, main, property_test
from transrank import BlockGrid, Distribution

COMBINED = {"assign": None, "add": np.add, "min": np.minimum, "max": np.maximum}
MOST_CELLS = 20_000


@dataclass(frozen=True)
class Turn:
    """A grid, divided along one dimension and then along another, each in an order of its own."""

    extents: tuple[int, ...]
    divided: tuple[int, int]
    orders: tuple[tuple[int, ...], tuple[int, ...]]
    block: int  # of the source's cyclic distribution; 0: one block per rank

    def grid(self, side: int) -> BlockGrid:
        along = [
            self.distribution(extent, WORLD.size if axis == self.divided[side] else 1, side)
            for axis, extent in enumerate(self.extents)
        ]
        return BlockGrid(along, memory_order=list(self.orders[side]))

    def distribution(self, extent: int, parts: int, side: int) -> Distribution:
        if self.block and side == 0 and parts > 1:
            return Distribution.block_cyclic(extent, parts, self.block)
        return Distribution.even(extent, parts)

    def cells(self, side: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        """Numbers of this rank's cells, the slowest dimension of its array first."""
        whole = np.arange(np.prod(self.extents)).reshape(self.extents)
        axis = self.divided[side]
        extent = self.extents[axis]
        if self.block and side == 0 and WORLD.size > 1:
            mine = np.arange(extent)[np.arange(extent) // self.block % WORLD.size == WORLD.rank]
        else:
            mine = np.array_split(np.arange(extent), WORLD.size)[WORLD.rank]
        return whole.take(mine, axis).transpose(self.orders[side][::-1])


@st.composite
def turns(draw: st.DrawFn) -> Turn:
    dimensions = draw(st.integers(1, 4))
    room = MOST_CELLS
    extents = []
    for _ in range(dimensions):
        least = WORLD.size
        extents.append(draw(st.integers(least, max(least, min(90, room // least)))))
        room //= extents[-1]
    axes = st.integers(0, dimensions - 1)
    orders = st.sampled_from(list(permutations(range(dimensions))))
    block = draw(st.sampled_from([0, 0, 1, 8, 11]))
    shuffled = draw(st.permutations(extents))
    divided = (draw(axes), draw(axes))
    if shuffled[divided[0]] < block * WORLD.size:
        block = 0
    return Turn(tuple(shuffled), divided, (draw(orders), draw(orders)), block)


@property_test(
    st.tuples(
        turns(),
        st.sampled_from([("f8", 1), ("f4", 1), ("c16", 1), ("i2", 1), ("u1", 1), ("f8", 3)]),
        st.sampled_from(["auto", "shared-direct", "shared-staged", "message"]),
        st.sampled_from(list(COMBINED)),
        st.integers(0, 1),
    ),
    examples=150,
)
def test_every_cell_arrives_in_any_order(case):
    turn, (dtype, values), transport, operation, fields = case
    operation = "assign" if dtype == "c16" else operation
    start, end = (transrank.empty((*turn.cells(side).shape, values), dtype) for side in range(2))
    start[...] = of_cells(turn.cells(0), start)
    end[...] = 50 - of_cells(turn.cells(1), end)
    pairs = [(start, end)]
    if fields:  # of another type, and in memory that nobody shares
        pairs.append((turn.cells(0)[..., None].copy(), np.full((*turn.cells(1).shape, 1), 0)))
    before = end.copy()
    wanted = of_cells(turn.cells(1), end)
    combine = COMBINED[operation]
    route = transrank.Redistribution(WORLD, turn.grid(0), turn.grid(1)).route
    # Arrays that are not shared need another transport.
    used = "auto" if transport == "shared-direct" and (fields or WORLD.size == 1) else transport
    used = "auto" if WORLD.size == 1 else used
    with transrank.Exchange(
        route, WORLD, pairs, operation, used, dimensions=len(turn.extents)
    ) as exchange:
        exchange.run()
    right = wanted if combine is None else combine(before, wanted)
    assert (end == right).all()
    if fields:
        found, cells = pairs[1][1][..., 0], turn.cells(1)
        assert (found == (cells if combine is None else combine(0, cells))).all()


def of_cells(
    cells: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    like: np.ndarray[tuple[int, ...], np.dtype[np.generic]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    """What an array holds in cells of these numbers; small enough for all its types."""
    values = like.shape[-1]
    return ((cells[..., None] * values + np.arange(values)) % 97).astype(like.dtype)


if __name__ == "__main__":
    main(globals())
