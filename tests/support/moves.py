# SPDX-License-Identifier: BSD-3-Clause
"""Random moves, and what must come of them, for a program in Fortran.

A file for each rank has one number a line: for each move its kind and what
tests/fortran/moves_program.f90 reads, lists after their lengths. Indices count from 0.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from python.route.grids import Dimension, Grid, block_cyclic, even, grids, numbered
from python.route.serial import UNTOUCHED

Numbers = list[int]
GHOSTS, CELLS, BLOCKS = range(3)
PULL, PUSH, ALONG, LIKE, BY_ROUTE = range(5)
EVEN, IRREGULAR, BLOCK_CYCLIC = range(3)
REDISTRIBUTED, HALO = range(2)
BOUND_ARRAYS, ONE_OF_SETS, ANY_MEMORY = range(3)  # what a start moves
BOUND, ONCE, BOUND_UNEVEN, ALONG_A_ROUTE = range(4)
HOW = st.integers(0, 3)  # run; start and wait, test, or wait a while
FLAG = st.integers(0, 1)
# From one cell to the next, from one value to the next.
STRIDES = st.tuples(*[st.sampled_from([1, 1, 1, 2, 3, -1, -2])] * 2)


def listed(*lists: Iterable[int] | NDArray[Any]) -> Numbers:
    """Each list after its length."""
    numbers: Numbers = []
    for each in lists:
        values = [int(value) for value in each]
        numbers += [len(values), *values]
    return numbers


@dataclass(frozen=True)
class Ghosts:
    """Rows of all ranks, and which of them each wants; owners push them in their order."""

    way: int
    how: int
    shared: int
    length: int  # of each row, or -1
    owned: Numbers
    lengths: Numbers
    wanted: list[Numbers]

    def numbers(self, rank: int) -> Numbers:
        rows = np.concatenate([[0], np.cumsum(self.owned)])
        starts = np.concatenate([[0], np.cumsum(self.lengths, dtype=int)])
        elements = [np.arange(length) for length in self.lengths]
        whole = [1000 * row + 10 * element for row, element in enumerate(elements)]
        sums = [values.copy() for values in whole]
        added = [
            [100 * other + 10 * i + elements[it] for i, it in enumerate(ghosts)]
            for other, ghosts in enumerate(self.wanted)
        ]
        for other, ghosts in enumerate(self.wanted):
            for i, ghost in enumerate(ghosts):
                sums[ghost] += added[other][i]
        mine = range(rows[rank], rows[rank + 1])
        ghosts = self.wanted[rank]
        pushed = [
            (row - mine.start, target)
            for target, wanted in enumerate(self.wanted)
            for row in wanted
            if row in mine
        ]
        owners = np.repeat(np.arange(len(self.owned)), self.owned)
        offsets = starts[mine.start : mine.stop + 1] - starts[mine.start]
        return [
            *(GHOSTS, self.way, self.how, self.shared, self.length),
            *listed(offsets, ghosts, [row for row, _ in pushed], [to for _, to in pushed]),
            *listed([mine.start, mine.stop, rows[-1]], owners, np.arange(rows[-1]) - rows[owners]),
            *listed(ghosts, *(flat(whole[row] for row in each) for each in [mine])),
            *listed(
                np.concatenate([[0], np.cumsum([self.lengths[it] for it in ghosts], dtype=int)])
            ),
            *listed(flat(whole[it] for it in ghosts), flat(added[rank])),
            *listed(flat(sums[row] for row in mine)),
        ]


def flat(lists: Iterable[Iterable[int]]) -> Numbers:
    return [int(value) for each in lists for value in each]


@st.composite
def ghosts_moved(draw: st.DrawFn, ranks: int) -> Ghosts:
    way = draw(st.integers(0, 4))
    length = 1 if way == BY_ROUTE else draw(st.integers(-1, 3))
    owned = [draw(st.integers(0, 6)) for _ in range(ranks)]
    lengths = [draw(st.integers(0, 3)) if length < 0 else length for _ in range(sum(owned))]
    some = st.lists(st.integers(0, sum(owned) - 1), max_size=9) if lengths else st.just([])
    wanted = [draw(some) for _ in range(ranks)]
    if way == PUSH:
        owners = np.repeat(np.arange(ranks), owned)
        wanted = [sorted(ghosts, key=lambda row: int(owners[row])) for ghosts in wanted]
    return Ghosts(way, draw(HOW), draw(FLAG), length, owned, lengths, wanted)


def described(dimension: Dimension) -> Numbers:
    """How to make the distribution, and where its indices are."""
    owned, extent, parts = dimension.owned, dimension.extent, len(dimension.owned)
    boundaries = np.concatenate([[0], np.cumsum([len(indices) for indices in owned])])
    kind, block, first = IRREGULAR, 0, 0
    if even(extent, parts).owned == owned:
        kind = EVEN
    else:
        for block, first in product(range(1, extent + 2), range(parts)):
            if block_cyclic(extent, parts, block, first).owned == owned:
                kind = BLOCK_CYCLIC
                break
    place = {index: (part, i) for part, it in enumerate(owned) for i, index in enumerate(it)}
    owners, positions = zip(*(place[index] for index in range(extent)), strict=True)
    return [
        *(kind, extent, parts, *listed(boundaries), block, first),
        *listed(owners, positions, map(len, owned)),
        *(dimension.low, dimension.high, dimension.periodic),
    ]


@dataclass(frozen=True)
class Side:
    """A grid, or lists of its cells; numbered and with parts in Fortran's order."""

    extents: Numbers
    grid: Grid | None
    lists: list[Numbers]

    def cells(self, rank: int, *, halo: bool = False) -> NDArray[np.int64]:
        """The numbers of the cells of this rank's array, from 1 on; 0 where none is."""
        if self.grid is None:
            return np.array(self.lists[rank], dtype=np.int64) + 1
        local = self.grid.cut(numbered(self.extents), rank, halo=halo)
        return np.where(local == UNTOUCHED, 0, local)

    def numbers(self, rank: int) -> Numbers:
        grid = self.grid
        if grid is None:
            at = np.unravel_index(np.array(self.lists[rank], dtype=int), self.extents)
            return [1, *listed(np.ravel_multi_index(at, self.extents, order="F"))]
        parts = [len(dimension.owned) for dimension in grid.dimensions]
        holders = np.reshape(grid.ranks, parts, order=grid.part_order).ravel("F")
        has_part = grid.coordinates(rank) is not None
        held = grid.positions(rank, halo=True) if has_part else [[] for _ in parts]
        owned = grid.positions(rank, halo=False) if has_part else []
        inner = [indices[indices != UNTOUCHED] for indices in owned]
        is_box = has_part and all(len(it) and np.ptp(it) + 1 == len(it) for it in inner)
        box = [*(it[0] for it in inner), *(it[-1] + 1 for it in inner)] if is_box else []
        return [
            *(0, len(parts), *flat(map(described, grid.dimensions))),
            *listed(grid.memory_order, holders, map(len, held), box),
        ]


@dataclass(frozen=True)
class Cells:
    """Fields of cells that go from one side to another, or around the blocks of one."""

    what: int
    how: int
    shared: int
    choice: int  # whether corners are left out, or the halo is filled
    back: int
    saved: int
    starts: int
    sides: list[Side]
    fields: Numbers  # lengths
    strides: list[list[list[tuple[int, ...]]]]  # of each rank, field and side

    def numbers(self, rank: int) -> Numbers:
        source, destination = self.sides[0], self.sides[-1]
        before = source.cells(rank)
        after = np.zeros_like(destination.cells(rank))
        expected = destination.cells(rank, halo=self.what == HALO or bool(self.choice))
        if self.what == HALO and self.choice and source.grid and len(before):
            positions = source.grid.positions(rank, halo=False)
            outside = np.array(
                sum(np.ix_(*[(indices == UNTOUCHED).astype(int) for indices in positions]))
            )
            turned = outside.transpose(source.grid.memory_order[::-1]).ravel()
            expected = np.where(turned <= 1, expected, before)
        numbers = [
            *(CELLS, self.what, self.how, self.shared, self.choice, self.back, self.saved),
            self.starts,
            *flat(side.numbers(rank) for side in self.sides),
            *listed([len(before), len(after)]),
            len(self.fields),
        ]
        for field, length in enumerate(self.fields):
            numbers += [length, *flat(self.strides[rank][field])]
            for cells in (before, after, expected):
                values = 100 * cells[:, None] + 10 * field + np.arange(length)
                numbers += listed(np.where(cells[:, None] > 0, values, 0).ravel())
        return numbers


def is_thick(grid: Grid) -> bool:
    return all(
        len(indices) >= max(it.low, it.high) for it in grid.dimensions for indices in it.owned
    )


@st.composite
def cells_moved(draw: st.DrawFn, ranks: int) -> Cells:
    extents = draw(st.lists(st.integers(1, 7), min_size=1, max_size=3))

    def side(halo: int) -> Side:
        if draw(st.integers(0, 3)) > 0:
            return Side(extents, draw(grids(extents, ranks, halo=halo)), [])
        lists: list[Numbers] = [[] for _ in range(ranks)]
        for cell in draw(st.permutations(range(int(np.prod(extents))))):
            lists[draw(st.integers(0, ranks - 1))].append(cell)
        return Side(extents, None, lists)

    lengths = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    strides = [[[draw(STRIDES), draw(STRIDES)] for _ in lengths] for _ in range(ranks)]
    rest = draw(FLAG), draw(st.integers(0, 2))
    if draw(st.integers(0, 2)) == 0:
        sides = [Side(extents, draw(grids(extents, ranks, halo=2).filter(is_thick)), [])]
        how = draw(HOW), draw(FLAG), draw(FLAG)
        return Cells(HALO, *how, 0, *rest, sides, lengths, strides)
    sides = [side(0), side(2)]
    back = draw(FLAG)
    fills = draw(FLAG) if not back and all(it.grid for it in sides) else 0
    return Cells(
        *(REDISTRIBUTED, draw(HOW), draw(FLAG), fills, back, *rest, sides, lengths, strides)
    )


@dataclass(frozen=True)
class Blocks:
    """Blocks of bytes from each rank to each."""

    way: int
    how: int
    shared: int
    algorithm: int
    given: int  # whether the arrays are given to each start
    counts: list[Numbers]  # from, to
    places: list[Numbers]  # of each rank, in which order the blocks that it sends lie
    gap: int

    def numbers(self, rank: int) -> Numbers:
        ranks = range(len(self.counts))
        sends, receives = self.counts[rank], [row[rank] for row in self.counts]
        send_begins, sent = self.laid_out(sends, self.places[rank])
        receive_begins, received = self.laid_out(receives, list(ranks))
        before = np.zeros_like(received)
        for peer in ranks:
            sent[send_begins[peer] :][: sends[peer]] = block(rank, peer, sends[peer])
            received[receive_begins[peer] :][: receives[peer]] = block(peer, rank, receives[peer])
        return [
            *(BLOCKS, self.way, self.how, self.shared, self.algorithm, self.given),
            *listed(sends, receives, send_begins, receive_begins, sent, before, received),
        ]

    def laid_out(self, counts: Numbers, order: Numbers) -> tuple[Numbers, NDArray[np.int64]]:
        begins, end = [0] * len(counts), 0
        for peer in order:
            begins[peer] = end
            end += counts[peer] + self.gap
        return begins, np.zeros(end, np.int64)


def block(sender: int, receiver: int, length: int) -> NDArray[np.int64]:
    return 1 + 50 * sender + 7 * receiver + np.arange(length)


@st.composite
def blocks_moved(draw: st.DrawFn, ranks: int) -> Blocks:
    way = draw(st.integers(0, 3))
    equal = way in (BOUND, ONCE)
    length = draw(st.integers(1, 9))  # Fortran has no fields of no values
    counts = [
        [length if equal else draw(st.integers(0, 9)) for _ in range(ranks)] for _ in range(ranks)
    ]
    orders = [
        list(range(ranks)) if equal else draw(st.permutations(range(ranks))) for _ in range(ranks)
    ]
    gap = 0 if equal else draw(st.integers(0, 2))
    given = draw(FLAG) if way in (BOUND, BOUND_UNEVEN) else 0
    how = draw(HOW), draw(FLAG), draw(st.integers(0, 4))
    return Blocks(way, *how, given, counts, orders, gap)


def write(folder: Path, ranks: int, count: int, seed: int) -> None:
    """Files of so many moves of each kind."""
    texts: list[list[Numbers]] = [[] for _ in range(ranks)]
    for strategy in (ghosts_moved(ranks), cells_moved(ranks), blocks_moved(ranks)):

        @hypothesis.seed(seed)
        @hypothesis.settings(
            max_examples=count,
            database=None,
            deadline=None,
            phases=[hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(strategy)
        def collect(move: Any) -> None:
            for rank in range(ranks):
                texts[rank].append(move.numbers(rank))

        collect()
    for rank, moves in enumerate(texts):
        numbers = [*flat(moves), -1]
        (folder / f"rank-{rank}.moves").write_text("".join(f"{it}\n" for it in numbers))
