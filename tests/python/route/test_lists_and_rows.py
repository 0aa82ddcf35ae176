# SPDX-License-Identifier: BSD-3-Clause
"""Routes of arbitrary index lists, of rows of any length, and of alltoallv."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from python.route.grids import EXTENTS, RANKS, Grid, dimensions, grids, numbered
from python.route.serial import deliver, granted, pairs
from transrank import _core

Counts = list[list[int]]


def integers(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.int64)


@st.composite
def dealt(draw: st.DrawFn, numbers: list[int], ranks: int) -> list[list[int]]:
    """Each number to one rank, in any order."""
    lists: list[list[int]] = [[] for _ in range(ranks)]
    for number in draw(st.permutations(numbers)):
        lists[draw(st.integers(0, ranks - 1))].append(number)
    return lists


@st.composite
def cell_lists(draw: st.DrawFn, *, each_once: bool) -> tuple[int, list[int], Grid, str, list]:
    ranks, extents = draw(RANKS), draw(EXTENTS)
    grid = draw(grids(extents, ranks, halo=draw(st.sampled_from([0, 2]))))
    cells = list(range(int(np.prod(extents))))
    if each_once:
        lists = draw(dealt(cells, ranks))
    else:
        some = st.lists(st.sampled_from(cells), max_size=12) if cells else st.just([])
        lists = draw(st.lists(some, min_size=ranks, max_size=ranks))
    return ranks, extents, grid, draw(st.sampled_from("CF")), lists


@given(cell_lists(each_once=False))
def test_a_list_gets_the_cells_that_it_names(case):
    ranks, extents, grid, numbering, lists = case
    whole = numbered(extents)
    wanted = [
        _core.cells_wanted(rank, grid.layout, integers(lists[rank]), numbering)
        for rank in range(ranks)
    ]
    routes = [
        _core.Route(rank, ranks, grid.layout.units(rank), len(lists[rank]), legs, wanted[rank])
        for rank, legs in enumerate(granted(wanted))
    ]
    sources = [grid.cut(whole, rank, halo=False) for rank in range(ranks)]
    for rank, array in enumerate(deliver(routes, sources)):
        assert array.tolist() == whole.ravel(order=numbering)[integers(lists[rank])].tolist()


@given(cell_lists(each_once=True))
def test_a_grid_gets_its_cells_from_lists(case):
    ranks, extents, grid, numbering, lists = case
    whole = numbered(extents)
    offered = [
        _core.cells_offered(rank, integers(lists[rank]), grid.layout, numbering)
        for rank in range(ranks)
    ]
    routes = [
        _core.Route(rank, ranks, len(lists[rank]), grid.layout.units(rank), offered[rank], legs)
        for rank, legs in enumerate(granted(offered))
    ]
    sources = [whole.ravel(order=numbering)[integers(cells)] for cells in lists]
    for rank, array in enumerate(deliver(routes, sources)):
        expected = grid.cut(whole, rank, halo=False)
        np.testing.assert_array_equal(array, expected)
        routes[rank].check_all_delivered_once(int((expected > 0).sum()))
        for leg in routes[rank].receives:
            assert (np.diff(pairs(leg)[1]) > 0).all()


def test_a_cell_outside_the_grid_is_refused():
    grid = _core.BlockGrid([_core.Distribution.even(3, 1), _core.Distribution.even(4, 2)])
    for cell in (-1, 12):
        says = f"cell 1 in the list of rank 1 has number {cell}, but the grid has 12 cells"
        with pytest.raises(ValueError, match=says):
            _core.cells_wanted(1, grid, integers([0, cell]))
        with pytest.raises(ValueError, match=says):
            _core.cells_offered(1, integers([0, cell]), grid)
    with pytest.raises(ValueError, match=r"unknown order 'K'; known: C .* F"):
        _core.cells_wanted(1, grid, integers([0]), "K")


def by_part(ranks: int, lists: list[list[int]], directory: _core.Distribution) -> list[list]:
    """What each part of the directory is told of the lists."""
    told: list[list] = [[] for _ in range(ranks)]
    for rank, indices in enumerate(lists):
        for part, runs in _core.runs_by_directory(rank, integers(indices), directory):
            told[part] += runs
    return told


@given(st.data())
def test_lists_find_each_other_in_a_directory(data):
    ranks, extent = data.draw(RANKS), data.draw(st.integers(0, 40))
    directory = data.draw(dimensions(extent, ranks, halo=1)).distribution
    sources = data.draw(dealt(list(range(extent)), ranks))
    some = st.lists(st.integers(0, extent - 1), max_size=20) if extent else st.just([])
    wanted = data.draw(st.lists(some, min_size=ranks, max_size=ranks))
    sends: list[list[_core.Leg]] = [[] for _ in range(ranks)]
    for known, asked in zip(
        by_part(ranks, sources, directory), by_part(ranks, wanted, directory), strict=True
    ):
        for origin, leg in _core.match(known, asked):
            sends[origin].append(leg)
    # Two parts of the directory may tell of the same pair of ranks.
    merged = [
        [
            _core.Leg(peer, np.concatenate([leg.segments for leg in legs if leg.peer == peer]))
            for peer in sorted({leg.peer for leg in legs})
        ]
        for legs in sends
    ]
    routes = [
        _core.Route(rank, ranks, len(sources[rank]), len(wanted[rank]), merged[rank], legs)
        for rank, legs in enumerate(granted(merged))
    ]
    delivered = deliver(routes, [integers(indices) for indices in sources])
    assert [array.tolist() for array in delivered] == wanted


def test_indices_owned_twice_or_never_are_named():
    with pytest.raises(ValueError, match="index 7 is in the source lists of rank 1 and of ra"):
        _core.match([(1, 5, 3, 0), (2, 7, 1, 0)], [])
    with pytest.raises(ValueError, match="index 8, which rank 3 wants, is in no source list"):
        _core.match([(1, 5, 3, 0)], [(3, 6, 3, 0)])
    with pytest.raises(ValueError, match="whose parts are one range each; this one"):
        _core.runs_by_directory(0, integers([1]), _core.Distribution.block_cyclic(4, 2, 1))


@given(st.integers(1, 5), st.data())
def test_alltoallv_moves_every_block(ranks, data):
    row = st.lists(st.integers(0, 5), min_size=ranks, max_size=ranks)
    gaps = st.integers(0, 3)
    counts = np.array(data.draw(st.lists(row, min_size=ranks, max_size=ranks)))  # [from, to]

    def displacements(mine: np.ndarray) -> np.ndarray:
        """Where blocks lie, with gaps between them and in any order."""
        begin, at = 0, [0] * ranks
        for peer in data.draw(st.permutations(range(ranks))):
            at[peer] = begin + data.draw(gaps)
            begin = at[peer] + int(mine[peer])
        return integers(at)

    from_ = np.array([displacements(counts[rank]) for rank in range(ranks)])
    to = np.array([displacements(counts[:, rank]) for rank in range(ranks)])
    routes = [
        _core.alltoallv(
            rank,
            (counts[rank].copy(), from_[rank].copy(), to[:, rank].copy()),
            (counts[:, rank].copy(), to[rank].copy(), from_[:, rank].copy()),
        )
        for rank in range(ranks)
    ]
    sources = [100 * route.rank + np.arange(route.source_extent) for route in routes]
    for rank, array in enumerate(deliver(routes, sources)):
        for peer in range(ranks):
            n, begin = counts[peer, rank], to[rank, peer]
            block = sources[peer][from_[peer, rank] :][:n]
            np.testing.assert_array_equal(array[begin : begin + n], block)
        routes[rank].check_delivered_once()


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("units", [0, 1, 3])
def test_alltoall_is_a_transposition_of_blocks(ranks, units):
    routes = [_core.alltoall(rank, ranks, units) for rank in range(ranks)]
    sources = [100 * rank + np.arange(ranks * units) for rank in range(ranks)]
    for rank, array in enumerate(deliver(routes, sources)):
        blocks = [source[rank * units : (rank + 1) * units] for source in sources]
        np.testing.assert_array_equal(array, np.concatenate(blocks))


def test_wrong_counts_are_refused_with_rank_peer_and_values():
    def blocks(*rows: list[int]) -> tuple[np.ndarray, ...]:
        return tuple(integers(row) for row in rows)

    good = blocks([1, 1], [0, 1], [0, 0])
    with pytest.raises(ValueError, match="rank 1 sends to rank 0 a block of -1 units at displac"):
        _core.alltoallv(1, blocks([-1, 1], [0, 1], [0, 0]), good)
    with pytest.raises(ValueError, match=r"rank 1 receives from rank 1 a block of 1 units at .*-2"):
        _core.alltoallv(1, good, blocks([1, 1], [0, -2], [0, 0]))
    with pytest.raises(ValueError, match="its peers blocks with 2 counts, 1 displacements and 2"):
        _core.alltoallv(1, blocks([1, 1], [0], [0, 0]), good)
    with pytest.raises(ValueError, match="send counts for 2 ranks and receive counts for 1"):
        _core.alltoallv(1, good, blocks([1], [0], [0]))
    with pytest.raises(ValueError, match="blocks of 4611686018427387904 units for 2 ranks"):
        _core.alltoall(0, 2, 2**62)


@st.composite
def rows(draw: st.DrawFn, lengths: list[int]) -> _core.Rows:
    """Rows of these lengths in an array of any kind that can hold them."""
    alignment = draw(st.integers(1, 4))
    kinds = ["bounded", "variable", *(["fixed"] if len(set(lengths)) == 1 else [])]
    match draw(st.sampled_from(kinds)):
        case "fixed":
            return _core.Rows.fixed(len(lengths), lengths[0], alignment)
        case "bounded":
            bound = max(lengths, default=0) + draw(st.integers(0, 2))
            return _core.Rows.bounded(integers(lengths), bound, alignment)
        case _:
            return _core.Rows.variable(integers(lengths), alignment)


def fill(rows: _core.Rows, content: list[list[int]]) -> np.ndarray:
    array = np.full(rows.units, -1)
    for row, values in enumerate(content):
        begin = rows.begin(row)
        array[begin : begin + len(values)] = values
    return array


@given(st.integers(1, 4), st.data())
def test_ghost_rows_of_any_kind_arrive_with_their_lengths(ranks, data):
    owners = data.draw(dimensions(data.draw(st.integers(1, 12)), ranks, halo=1))
    one = data.draw(st.booleans())
    lengths = [3 if one else data.draw(st.integers(0, 4)) for _ in range(owners.extent)]
    content = [[10 * row + i for i in range(n)] for row, n in enumerate(lengths)]
    local = [data.draw(rows([lengths[row] for row in mine])) for mine in owners.owned]
    index = st.integers(0, owners.extent - 1)
    wishes = [data.draw(st.lists(index, max_size=8)) for _ in range(ranks)]
    ghosts = [data.draw(rows([lengths[row] for row in wish])) for wish in wishes]
    in_units = []
    for rank, wish in enumerate(wishes):
        asked = _core.requests_by_owner(rank, owners.distribution, integers(wish))
        in_units.append(
            [
                _core.in_units(
                    leg,
                    _core.row_places(leg, local[leg.peer], of_source=True),
                    _core.row_places(leg, ghosts[rank], of_source=False),
                )
                for leg in asked
            ]
        )
    routes = [
        _core.Route(rank, ranks, local[rank].units, ghosts[rank].units, legs, in_units[rank])
        for rank, legs in enumerate(granted(in_units))
    ]
    sources = [
        fill(local[rank], [content[row] for row in mine]) for rank, mine in enumerate(owners.owned)
    ]
    for rank, array in enumerate(deliver(routes, sources)):
        expected = fill(ghosts[rank], [content[row] for row in wishes[rank]])
        np.testing.assert_array_equal(array, expected)


def test_rows_that_do_not_match_are_refused():
    leg = _core.Leg(3, np.array([[1, 0, 2, 1, 0, 0]]))
    few = _core.Rows.fixed(2, 5)
    with pytest.raises(ValueError, match="the leg with rank 3 counts rows 1 to 2, but there are 2"):
        _core.row_places(leg, few, of_source=True)
    with pytest.raises(ValueError, match="has 2 rows, but 1 source rows and 2 destination rows"):
        _core.in_units(leg, [(0, 5)], [(0, 5), (5, 5)])
    with pytest.raises(ValueError, match="row 1 of the leg with rank 3 has 5 units at its source "):
        _core.in_units(leg, [(0, 5), (5, 5)], [(0, 5), (5, 4)])
