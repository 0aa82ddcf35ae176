# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from python.route.grids import EXTENTS, RANKS, Grid, any_grids, grids, numbered
from python.route.serial import UNTOUCHED, deliver, pairs
from transrank import _core


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("units", [0, 1, 3])
def test_alltoall_is_a_transposition_of_blocks(ranks, units):
    routes = [_core.alltoall(rank, ranks, units) for rank in range(ranks)]
    sources = [100 * rank + np.arange(ranks * units) for rank in range(ranks)]
    for rank, array in enumerate(deliver(routes, sources)):
        blocks = [source[rank * units : (rank + 1) * units] for source in sources]
        np.testing.assert_array_equal(array, np.concatenate(blocks))


def test_more_units_than_can_be_counted_are_refused():
    with pytest.raises(ValueError, match="blocks of 4611686018427387904 units for 2 ranks"):
        _core.alltoall(0, 2, 2**62)


def thin_dimensions(grid: Grid) -> list[int]:
    """Dimensions in which some part is thinner than a halo that a neighbor has of it."""
    thin = []
    for number, dimension in enumerate(grid.dimensions):
        lengths = [len(indices) for indices in dimension.owned if indices]
        has_neighbors = dimension.periodic or len(lengths) > 1
        if lengths and has_neighbors and min(lengths) < max(dimension.low, dimension.high):
            thin.append(number)
    return thin


def faces_only(grid: Grid, rank: int, filled: np.ndarray, bare: np.ndarray) -> np.ndarray:
    """The local array with the halo filled only beyond one face."""
    if grid.coordinates(rank) is None:
        return filled
    outside = np.ix_(
        *[(indices == UNTOUCHED).astype(int) for indices in grid.positions(rank, halo=False)]
    )
    beyond = np.ascontiguousarray(sum(outside).transpose(grid.memory_order[::-1])).ravel()
    return np.where(beyond <= 1, filled, bare)


@given(any_grids(), st.booleans())
def test_halos_hold_what_their_neighbors_own(case, corners):
    ranks, extents, grid = case
    assume(not thin_dimensions(grid) and any(it.low or it.high for it in grid.dimensions))
    whole = numbered(extents)
    bare = [grid.cut(whole, rank, halo=False) for rank in range(ranks)]
    routes = [_core.halo(rank, ranks, grid.layout, corners=corners) for rank in range(ranks)]
    updated = deliver(routes, bare, destinations=bare)
    for rank in range(ranks):
        expected = grid.cut(whole, rank, halo=True)
        if not corners:
            expected = faces_only(grid, rank, expected, bare[rank])
        np.testing.assert_array_equal(updated[rank], expected)
        routes[rank].check_delivered_once()


@st.composite
def wide_halos(draw: st.DrawFn) -> tuple[int, Grid]:
    ranks = draw(st.integers(2, 6))
    extents = draw(st.lists(st.integers(2, 5), min_size=1, max_size=2))
    return ranks, draw(grids(extents, ranks, halo=5))


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(wide_halos())
def test_a_part_thinner_than_the_halo_is_one_error_on_every_rank(case):
    ranks, grid = case
    thin = thin_dimensions(grid)
    assume(thin)
    texts = set()
    for rank in range(ranks):
        with pytest.raises(ValueError, match=f"dimension {thin[0]} on rank") as error:
            _core.halo(rank, ranks, grid.layout)
        texts.add(str(error.value))
    assert len(texts) == 1


def test_the_error_of_a_thin_part_names_rank_extent_and_remedy():
    boundaries = np.array([0, 4, 6, 10])
    grid = _core.BlockGrid(
        [_core.Distribution.even(8, 2), _core.Distribution.irregular(boundaries)],
        halo=[(1, 1, True), (0, 3, False)],
        ranks=[5, 4, 3, 2, 1, 0],
    )
    with pytest.raises(ValueError) as error:  # noqa: PT011
        _core.halo(0, 6, grid)
    assert str(error.value) == (
        "halo width (3) exceeds the owned extent (2) of dimension 1 on rank 4; "
        "use fewer parts along it or a narrower halo"
    )


def redistributions(
    ranks: int, source: Grid, destination: Grid, *, fill_halo: bool = False
) -> list[_core.Route]:
    return [
        _core.redistribution(rank, ranks, source.layout, destination.layout, fill_halo=fill_halo)
        for rank in range(ranks)
    ]


@st.composite
def movements(draw: st.DrawFn) -> tuple[int, list[int], list[Grid]]:
    """Ranks, extents and layouts of the same grid on them."""
    ranks, extents = draw(RANKS), draw(EXTENTS)
    return (
        ranks,
        extents,
        [draw(grids(extents, ranks, halo=draw(st.sampled_from([0, 3])))) for _ in range(2)],
    )


@given(movements(), st.booleans())
def test_every_cell_arrives_where_the_destination_keeps_it(movement, fill_halo):
    ranks, extents, (source, destination) = movement
    whole = numbered(extents)
    made = redistributions(ranks, source, destination, fill_halo=fill_halo)
    delivered = deliver(made, [source.cut(whole, rank, halo=False) for rank in range(ranks)])
    for rank in range(ranks):
        expected = destination.cut(whole, rank, halo=fill_halo)
        np.testing.assert_array_equal(delivered[rank], expected)
        made[rank].check_delivered_once()


@given(movements())
def test_the_way_back_restores_every_cell(movement):
    ranks, extents, (source, destination) = movement
    made = redistributions(ranks, source, destination)
    start = [source.cut(numbered(extents), rank, halo=False) for rank in range(ranks)]
    back = deliver([route.transposed() for route in made], deliver(made, start))
    for rank in range(ranks):
        np.testing.assert_array_equal(back[rank], start[rank])
        assert made[rank].transposed().transposed() == made[rank]


@given(movements(), st.booleans())
def test_legs_are_in_ascending_order_of_their_destination(movement, fill_halo):
    ranks, _, (source, destination) = movement
    for route in redistributions(ranks, source, destination, fill_halo=fill_halo):
        for leg in route.receives:
            assert (np.diff(pairs(leg)[1]) > 0).all()
