# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3 4
"""Bundles arrive where a serial cut of the whole arrays says, whatever the layouts."""

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st

import transrank
from python.redistribution.cases import Field, bundles, local, movements, transports
from python.route.grids import Grid
from python.spmd import WORLD, main, property_test


def same_bytes(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    return one.shape == other.shape and one.tobytes() == other.tobytes()


@property_test(st.tuples(movements(), bundles(), transports(), st.booleans()), examples=60)
def test_every_cell_arrives_and_comes_back(case):
    (extents, source, destination), bundle, transport, fill_halo = case
    there = transrank.Redistribution(WORLD, source.layout, destination.layout, fill_halo=fill_halo)
    have, wanted = (local(source, extents, halo=False), local(destination, extents, halo=fill_halo))
    starts = [field.array(field.of_cells(have)) for field in bundle]
    ends = [field.array(np.zeros_like(field.of_cells(wanted))) for field in bundle]
    there.store(list(zip(starts, ends, strict=True)), transport=transport)
    there.run()
    told = there.explain()
    backs = [field.array(np.zeros_like(start)) for field, start in zip(bundle, starts, strict=True)]
    # A halo of the source gets nothing back.
    back = transrank.Redistribution(WORLD, destination.layout, source.layout)
    back.store(list(zip(ends, backs, strict=True)), transport=transport)
    back.run()
    arrived = [
        same_bytes(end, np.where(mask(wanted, end), field.of_cells(wanted), np.zeros_like(end)))
        for field, end in zip(bundle, ends, strict=True)
    ]
    returned = [
        same_bytes(back_, np.where(mask(have, back_), start, np.zeros_like(start)))
        for back_, start in zip(backs, starts, strict=True)
    ]
    assert all(arrived), (arrived, told)
    assert all(returned), (returned, back.explain())


def filled(field: Field, cells: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What the field holds, and nothing where no cell is: a halo gets nothing back."""
    values = field.of_cells(cells)
    return np.where(mask(cells, values), values, np.zeros_like(values))


def mask(cells: np.ndarray[Any, Any], like: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Where an array of a field has cells of the grid."""
    return (cells > 0).reshape(*cells.shape, *(1 for _ in like.shape[cells.ndim :]))


@st.composite
def listings(draw: st.DrawFn) -> tuple[list[int], Grid, list[list[int]], str]:
    """A grid, and all of its cells in lists, one per rank, in any order."""
    extents, *grids = draw(movements())
    grid = draw(st.sampled_from(grids))
    cells = draw(st.permutations(range(int(np.prod(extents)))))
    cuts = sorted(draw(st.integers(0, len(cells))) for _ in range(WORLD.size - 1))
    bounds = [0, *cuts, len(cells)]
    lists = [cells[begin:end] for begin, end in pairwise(bounds)]
    return extents, grid, lists, draw(st.sampled_from("CF"))


@property_test(st.tuples(listings(), bundles(), transports()), examples=40)
def test_cells_go_to_any_lists_and_back(case):
    (extents, grid, lists, numbering), bundle, transport = case
    mine = np.array(lists[WORLD.rank], dtype=np.int64)
    have = local(grid, extents, halo=False)
    at = np.unravel_index(mine, extents, numbering) if len(mine) else None
    wanted = mine if at is None else np.ravel_multi_index(at, extents) + 1
    there = transrank.Redistribution(WORLD, grid.layout, mine, numbering=numbering)
    back = transrank.Redistribution(WORLD, mine, grid.layout, numbering=numbering)
    starts = [field.array(filled(field, have)) for field in bundle]
    listed = [field.array(np.zeros_like(field.of_cells(wanted))) for field in bundle]
    ends = [field.array(np.zeros_like(start)) for field, start in zip(bundle, starts, strict=True)]
    there.store(list(zip(starts, listed, strict=True)), transport=transport)
    there.run()
    back.store(list(zip(listed, ends, strict=True)), transport=transport)
    back.run()
    assert all(
        same_bytes(array, field.of_cells(wanted))
        for field, array in zip(bundle, listed, strict=True)
    )
    assert all(map(same_bytes, starts, ends))


@st.composite
def wishes(draw: st.DrawFn) -> tuple[list[int], Grid, list[list[int]]]:
    """A grid, and lists of its cells, in which a cell may be any number of times."""
    extents, *grids = draw(movements())
    cells = st.lists(st.integers(0, int(np.prod(extents)) - 1), max_size=12)
    lists = [draw(cells) if np.prod(extents) > 0 else [] for _ in range(WORLD.size)]
    return extents, draw(st.sampled_from(grids)), lists


@property_test(st.tuples(wishes(), transports()), examples=20)
def test_a_cell_goes_to_every_list_that_it_is_in(case):
    (extents, grid, lists), transport = case
    mine = lists[WORLD.rank]
    redistribution = transrank.Redistribution(WORLD, grid.layout, mine)
    start = local(grid, extents, halo=False)
    end = redistribution.destination_for(start)
    redistribution.store((start, end), transport=transport)
    redistribution.run()
    assert end.tolist() == [cell + 1 for cell in mine]


@property_test(st.permutations(range(24)), examples=10)
def test_lists_become_other_lists(cells):
    before = np.arange(24)[WORLD.rank :: WORLD.size]
    after = np.array_split(np.array(cells), WORLD.size)[WORLD.rank]
    redistribution = transrank.Redistribution(WORLD, before, after, numbering="F")
    end = np.full(len(after), -1)
    redistribution.store((before.copy(), end))
    redistribution.run()
    assert (end == after).all()


if __name__ == "__main__":
    main(globals())
