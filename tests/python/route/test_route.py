# SPDX-License-Identifier: BSD-3-Clause

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from python.route.serial import pairs
from transrank import _core


@st.composite
def legs(draw: st.DrawFn, peer: int) -> _core.Leg:
    """Any leg whose last unit lies below 1000 on both sides."""
    segments = []
    for _ in range(draw(st.integers(0, 4))):
        length, count = draw(st.integers(1, 9)), draw(st.integers(1, 9))
        strides = draw(st.tuples(*[st.integers(0, 50)] * 2)) if count > 1 else (0, 0)
        offsets = draw(st.tuples(*[st.integers(0, 1000 - 9 - 8 * 50 - 2 * 200)] * 2))
        loop = st.tuples(st.integers(2, 3), *[st.integers(0, 100)] * 2)
        loops = draw(st.lists(loop, max_size=2)) if count > 1 else []
        loops += [(1, 0, 0)] * (2 - len(loops))
        segments.append([*offsets, length, count, *strides, *sum(loops, ())])
    return _core.Leg(peer, np.array(segments, dtype=np.int64).reshape(-1, 12))


@st.composite
def routes(draw: st.DrawFn, ranks: int) -> list[_core.Route]:
    """The routes of all ranks of any movement."""
    moved = [[draw(legs(peer)) for peer in range(ranks)] for _ in range(ranks)]
    return [
        _core.Route(
            rank,
            ranks,
            1000,
            1000,
            moved[rank],
            [_core.Leg(peer, moved[peer][rank].segments) for peer in range(ranks)],
        )
        for rank in range(ranks)
    ]


@given(st.data())
def test_a_saved_route_is_loaded_as_it_was(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("routes") / "some.route"
    for route in data.draw(routes(ranks=data.draw(st.integers(1, 3)))):
        route.save(path)
        assert _core.Route.load(path) == route
        assert list(path.parent.iterdir()) == [path]


@given(st.data())
def test_the_transpose_swaps_sides_and_keeps_the_order(data):
    for route in data.draw(routes(ranks=2)):
        back = route.transposed()
        assert back.transposed() == route
        for leg, returned in zip(route.sends, back.receives, strict=True):
            assert leg.peer == returned.peer
            np.testing.assert_array_equal(pairs(leg), pairs(returned)[::-1])


@given(st.data())
def test_a_difference_between_two_sides_is_named(data):
    made = data.draw(routes(ranks=3))
    _core.check_consistent(made)
    extra = data.draw(legs(peer=2).filter(lambda leg: leg.units > 0))
    others = [leg for leg in made[0].sends if leg.peer != 2]
    was = [leg for leg in made[0].sends if leg.peer == 2]
    if was and was[0] == extra:
        return
    made[0] = _core.Route(0, 3, 1000, 1000, [*others, extra], made[0].receives)
    says = f"the leg from rank 0 to rank 2 differs: rank 0 sends {extra.units} units"
    with pytest.raises(ValueError, match=says):
        _core.check_consistent(made)


def segment(*fields: int) -> np.ndarray:
    return np.array([[*fields, *[0] * (6 - len(fields))]])


@pytest.mark.parametrize(
    ("sends", "receives", "says"),
    [
        ([(2, (0, 0, 1, 1))], [], "rank 0 sends to rank 2, but there are 2 ranks"),
        ([(-1, (0, 0, 1, 1))], [], "rank 0 sends to rank -1, but there are 2 ranks"),
        ([(1, (0, 0, 1, 1)), (1, (0, 0, 1, 1))], [], "sends to rank 1 in two legs; put them into"),
        ([(1, (0, 0, 0, 1))], [], "a segment of 1 runs of 0 units"),
        ([(1, (0, 0, 1, 0))], [], "a segment of 0 runs of 1 units"),
        ([(1, (-3, 0, 1, 1))], [], "source -3"),
        ([(1, (0, -4, 1, 1))], [], "destination -4"),
        ([(1, (0, 0, 1, 2, -1, 0))], [], "stride -1"),
        ([(1, (0, 0, 1, 1, 5, 0))], [], "strides 0 when there is one run"),
        ([(1, (8, 0, 3, 1))], [], "1 runs of 3 units from unit 8 .*, beyond the 10 units of"),
        ([(1, (0, 0, 1, 2, 10, 0))], [], "2 runs of 1 units .* stride 10, beyond the 10 units"),
        ([(1, (0, 0, 2**62, 4, 0, 0))], [], "a segment of 4 runs of 4611686018427387904 units"),
        ([(1, (2**62, 0, 1, 3, 2**62, 0))], [], "beyond the 10 units of the rank's source"),
        ([], [(1, (0, 8, 3, 1))], "receives from rank 1 has .* the rank's destination array"),
        ([(0, (0, 0, 1, 1))], [], "sends itself 1 units in 1 runs and receives 0 units in 0 runs"),
        ([(0, (0, 0, 1, 1))], [(0, (1, 0, 1, 1))], "both must be the same leg"),
    ],
)
def test_what_makes_no_route_is_refused_with_rank_leg_and_values(sends, receives, says):
    def made(legs: list[tuple[int, tuple[int, ...]]]) -> list[_core.Leg]:
        return [_core.Leg(peer, segment(*fields)) for peer, fields in legs]

    with pytest.raises(ValueError, match=says):
        _core.Route(0, 2, 10, 10, made(sends), made(receives))


def test_empty_legs_are_dropped_and_peers_ascend():
    one, nothing = segment(0, 0, 1, 1), np.empty((0, 6), np.int64)
    route = _core.Route(
        1, 4, 1, 1, [_core.Leg(3, one), _core.Leg(0, nothing), _core.Leg(2, one)], []
    )
    assert [leg.peer for leg in route.sends] == [2, 3]
    assert repr(route) == "<Route of rank 1 of 4: 2 legs sent, 0 received>"
    with pytest.raises(ValueError, match="rank 4 of 4 ranks does not exist"):
        _core.Route(4, 4, 1, 1, [], [])
    with pytest.raises(ValueError, match="rank 1 has arrays of -1 and 1 units"):
        _core.Route(1, 4, -1, 1, [], [])


def test_files_that_cannot_be_are_named(tmp_path):
    missing, pipe = tmp_path / "nowhere" / "some.route", tmp_path / "pipe"
    with pytest.raises(_core.RouteFileError, match=f"cannot write route file {missing}: No such"):
        _core.Route(0, 1, 1, 1, [], []).save(missing)
    os.mkfifo(pipe)  # nobody writes to it, nor is waited for
    for path in (tmp_path, pipe):
        with pytest.raises(_core.RouteFileError, match="it is not a regular file"):
            _core.Route.load(path)


def test_what_is_delivered_twice_or_not_at_all_is_named():
    def route(leg: np.ndarray) -> _core.Route:
        legs = [_core.Leg(0, leg)]
        return _core.Route(0, 1, 9, 9, legs, legs)

    whole, half = route(segment(0, 0, 9, 1)), route(segment(0, 0, 4, 1))
    twice = route(segment(0, 0, 2, 2, 2, 1))
    with pytest.raises(ValueError, match="unit 1 of rank 0 is delivered by rank 0 and by rank 0"):
        twice.check_delivered_once()
    with pytest.raises(ValueError, match="of the 9 units of rank 0, 4 are delivered"):
        half.check_all_delivered_once(9)
    whole.check_all_delivered_once(9)
