# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from python.route.grids import Dimension, dimensions
from python.route.serial import UNTOUCHED, accumulate, deliver, ghosts_of, granted, pairs
from transrank import _core

Lists = list[list[int]]


@st.composite
def wishes(draw: st.DrawFn) -> tuple[Dimension, Lists]:
    """Owners of a few rows, and the rows that each rank asks for: any, and runs of some stride."""
    extent = draw(st.integers(1, 60))
    ranks = draw(st.integers(1, 6))
    index = st.integers(0, extent - 1)
    strided = st.builds(range, index, index, st.integers(1, 7)).map(list)
    wish = st.lists(strided | st.lists(index, max_size=6), max_size=5)
    lists = st.lists(wish.map(lambda runs: list(chain(*runs))), min_size=ranks, max_size=ranks)
    return draw(dimensions(extent, ranks)), draw(lists)


@given(wishes())
def test_every_requested_slot_is_filled(case):
    owners, lists = case
    routes = ghosts_of(owners.distribution, lists)
    delivered = deliver(routes, [np.array(rows, dtype=np.int64) for rows in owners.owned])
    for rank, wish in enumerate(lists):
        np.testing.assert_array_equal(delivered[rank], np.array(wish, dtype=np.int64))
        assert [leg.peer for leg in routes[rank].receives] == sorted(
            {part for part, rows in enumerate(owners.owned) if set(rows) & set(wish)}
        )


@given(wishes())
def test_pushing_ones_back_counts_how_often_each_row_was_asked_for(case):
    owners, lists = case
    back = [route.transposed() for route in ghosts_of(owners.distribution, lists)]
    _core.check_consistent(back)
    counts = accumulate(
        back,
        [np.ones(len(wish), dtype=np.int64) for wish in lists],
        [np.zeros(len(rows), dtype=np.int64) for rows in owners.owned],
    )
    asked = [index for wish in lists for index in wish]
    for rows, count in zip(owners.owned, counts, strict=True):
        assert count.tolist() == [asked.count(row) for row in rows]


@given(wishes())
def test_segments_keep_the_order_of_the_list(case):
    owners, lists = case
    for rank, wish in enumerate(lists):
        legs = _core.requests_by_owner(rank, owners.distribution, np.array(wish, dtype=np.int64))
        for leg in legs:
            _, slots = pairs(leg)
            assert slots.tolist() == [
                slot for slot, index in enumerate(wish) if index in owners.owned[leg.peer]
            ]


@given(st.integers(1, 4), st.data())
def test_pushed_rows_arrive_where_the_target_puts_them(ranks, data):
    owned = data.draw(st.lists(st.integers(1, 9), min_size=ranks, max_size=ranks))
    pushes = [
        data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, ranks - 1))))
        for n in owned
    ]
    legs = [
        _core.pushes_by_target(
            rank,
            ranks,
            owned[rank],
            np.array([row for row, _ in mine], dtype=np.int64),
            np.array([target for _, target in mine], dtype=np.int32),
        )
        for rank, mine in enumerate(pushes)
    ]
    # The target lets each pusher's rows follow those of the ranks before it.
    room = [0] * ranks
    placed: list[list[_core.Leg]] = [[] for _ in range(ranks)]
    for rank, mine in enumerate(legs):
        for leg in mine:
            placed[rank].append(_core.moved(leg, destination=room[leg.peer]))
            room[leg.peer] += leg.units
    routes = [
        _core.Route(rank, ranks, owned[rank], room[rank], placed[rank], received)
        for rank, received in enumerate(granted(placed))
    ]
    values = [100 * rank + np.arange(n) for rank, n in enumerate(owned)]
    for rank, array in enumerate(deliver(routes, values)):
        expected = [
            100 * pusher + row
            for pusher, mine in enumerate(pushes)
            for row, target in mine
            if target == rank
        ]
        assert array.tolist() == expected


def faces(n: int) -> np.ndarray:
    """The rows of the six faces of a cube, the first index fastest."""
    cube = np.arange(n**3).reshape(n, n, n)
    sides = [cube[:, :, 0], cube[:, :, -1], cube[:, 0], cube[:, -1], cube[0], cube[-1]]
    return np.concatenate([side.ravel() for side in sides])


@pytest.mark.parametrize("ranks", [2, 1_000_000])
def test_the_faces_of_a_cube_are_few_segments(ranks):
    rows = 32**3
    owners = _core.Distribution.even(rows * ranks, ranks)
    (leg,) = _core.requests_by_owner(0, owners, rows + faces(32))
    assert (leg.peer, leg.units, leg.runs) == (1, 6144, 2114)
    assert len(leg.segments) == 5  # the two contiguous faces are two runs of one segment


def test_wrong_lists_are_refused_with_rank_position_and_value():
    owners = _core.Distribution.even(10, 3)
    for index in (-1, 10, 2**63 - 1):
        says = rf"ghost 1 on rank 2 has index {index}, out of range \[0, 10\); ghosts are"
        with pytest.raises(ValueError, match=says):
            _core.requests_by_owner(2, owners, np.array([3, index]))
    with pytest.raises(ValueError, match=r"rank 3 is out of range \[0, 3\) of the owners"):
        _core.requests_by_owner(3, owners, np.array([3]))
    for wrong in (np.array([3.0]), np.array([3], dtype=np.int32), np.array([[3]]), [3]):
        with pytest.raises(TypeError):
            _core.requests_by_owner(0, owners, wrong)
    with pytest.raises(TypeError):
        _core.requests_by_owner(0, owners, np.arange(8)[::2])
    none = np.empty(0, np.int64)
    with pytest.raises(ValueError, match="push 0 of rank 1 is of row 4, but it owns 4 rows"):
        _core.pushes_by_target(1, 2, 4, np.array([4]), np.array([0], dtype=np.int32))
    with pytest.raises(ValueError, match="push 0 of rank 1 goes to rank 2, but there are 2"):
        _core.pushes_by_target(1, 2, 4, np.array([3]), np.array([2], dtype=np.int32))
    with pytest.raises(ValueError, match="rank 1 pushes 1 rows to 0 targets; each row needs one"):
        _core.pushes_by_target(1, 2, 4, np.array([3]), none.astype(np.int32))


def test_an_index_out_of_range_leaves_nothing_behind():
    owners = _core.Distribution.irregular(np.array([0, 4, 4, 10]))
    assert _core.requests_by_owner(1, owners, np.empty(0, np.int64)) == []
    (leg,) = _core.requests_by_owner(1, owners, np.array([4, 4, 4]), destination=7)
    assert leg.segments.tolist() == [[0, 7, 1, 3, 0, 1]]
    assert UNTOUCHED not in pairs(leg)[0]
