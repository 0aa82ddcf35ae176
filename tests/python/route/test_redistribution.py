# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from python.route.grids import EXTENTS, RANKS, Grid, grids, numbered
from python.route.serial import deliver, pairs
from transrank import _core


def routes(
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
    made = routes(ranks, source, destination, fill_halo=fill_halo)
    delivered = deliver(made, [source.cut(whole, rank, halo=False) for rank in range(ranks)])
    for rank in range(ranks):
        expected = destination.cut(whole, rank, halo=fill_halo)
        np.testing.assert_array_equal(delivered[rank], expected)
        made[rank].check_delivered_once()


@given(movements())
def test_the_way_back_restores_every_cell(movement):
    ranks, extents, (source, destination) = movement
    made = routes(ranks, source, destination)
    start = [source.cut(numbered(extents), rank, halo=False) for rank in range(ranks)]
    back = deliver([route.transposed() for route in made], deliver(made, start))
    for rank in range(ranks):
        np.testing.assert_array_equal(back[rank], start[rank])
        assert made[rank].transposed().transposed() == made[rank]


@given(movements(), st.booleans())
def test_legs_are_in_ascending_order_of_their_destination(movement, fill_halo):
    ranks, _, (source, destination) = movement
    for route in routes(ranks, source, destination, fill_halo=fill_halo):
        for leg in route.receives:
            assert (np.diff(pairs(leg)[1]) > 0).all()


def test_what_is_no_redistribution_is_refused():
    def grid(*extents: int, parts: int = 1) -> _core.BlockGrid:
        return _core.BlockGrid([_core.Distribution.even(n, parts) for n in extents])

    with pytest.raises(ValueError, match="source grid has 2 dimensions and the destination grid 1"):
        _core.redistribution(0, 1, grid(3, 4), grid(12))
    with pytest.raises(ValueError, match="dimension 1 has extent 4 in the source grid and 5 in"):
        _core.redistribution(0, 1, grid(3, 4), grid(3, 5))
    with pytest.raises(ValueError, match="puts a part on rank 3, but there are 2 ranks; use fewer"):
        _core.redistribution(0, 2, grid(3), grid(3, parts=4))
    with pytest.raises(ValueError, match="rank 2 of 2 ranks does not exist"):
        _core.redistribution(2, 2, grid(3), grid(3))
