# SPDX-License-Identifier: BSD-3-Clause
"""Layouts and routes, pickled and copied: equal ones come back, and rubbish is refused."""

import copy
import pickle
import struct
from collections.abc import Callable
from operator import methodcaller
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from python.route.grids import any_grids
from python.test_mpi import python
from support import trials
from transrank import _core
from transrank._core import BlockGrid, Distribution, Leg, Numbering, Route

SEGMENTS = np.array([[0, 1, 2, 3, 4, 5], [9, 9, 1, 1, 0, 0]])
LEG = Leg(0, SEGMENTS)
ROUTE = Route(0, 2, 20, 30, [LEG], [LEG])


def decoded(file: bytes) -> Any:
    return methodcaller("_decoded", file)(Route)


def restored(*numbers: Any) -> Any:
    return methodcaller("_restored", *numbers)(Numbering)


def copies(value: Any) -> list[Any]:
    """By every way of making one."""
    protocols = range(pickle.HIGHEST_PROTOCOL + 1)
    pickled = [pickle.loads(pickle.dumps(value, protocol)) for protocol in protocols]  # noqa: S301
    return [*pickled, copy.copy(value), copy.deepcopy(value)]


@settings(max_examples=30)
@given(any_grids())
def test_copies_of_grids_and_distributions_are_equal(case):
    ranks, _, grid = case
    for made in copies(grid.layout):
        assert made == grid.layout
        assert hash(made) == hash(grid.layout)
        for rank in range(ranks):
            assert made.local_extents(rank) == grid.layout.local_extents(rank)
            assert made.coordinates(rank) == grid.layout.coordinates(rank)
            route = _core.redistribution(rank, ranks, grid.layout, grid.layout, True)
            assert _core.redistribution(rank, ranks, made, made, True) == route
            assert all(it == route and hash(it) == hash(route) for it in copies(route))
    for dimension in grid.dimensions:
        for made in copies(dimension.distribution):
            assert made == dimension.distribution
            assert hash(made) == hash(dimension.distribution)
            for part, owned in enumerate(dimension.owned):
                assert np.concatenate([np.arange(*it) for it in made.ranges(part)] or [[]]) == (
                    pytest.approx(owned)
                )


def test_what_is_made_otherwise_is_not_equal():
    even = Distribution.even(8, 2)
    all_of_them = [
        *(even, Distribution.even(8, 3), Distribution.even(9, 2)),
        *(Distribution.irregular(it) for it in ([0, 3, 8], [0, 3, 3, 8])),
        *(Distribution.block_cyclic(8, 2, *it) for it in ([1], [2], [2, 1])),
        *(BlockGrid([even]), BlockGrid([even], ranks=[1, 0]), BlockGrid([even, even])),
        *(BlockGrid([even], halo=[it]) for it in ((0, 0, False), (0, 1, False), (0, 1, True))),
        BlockGrid([even, even], part_order="F"),
        BlockGrid([even, even], memory_order=[0, 1]),
        *(LEG, Leg(1, SEGMENTS), Leg(0, SEGMENTS[:1])),
        *(ROUTE, Route(1, 2, 20, 30, [LEG], [LEG]), Route(0, 2, 20, 30, [], [])),
        *(Route(0, 2, 21, 30, [LEG], [LEG]), 8, None),
    ]
    assert len(set(all_of_them)) == len(all_of_them)
    for number, one in enumerate(all_of_them):
        assert [one == other for other in all_of_them].index(True) == number
        assert [one != other for other in all_of_them].count(False) == 1
    assert BlockGrid([even, even]) == BlockGrid(
        (Distribution.even(np.int8(8), 2),) * 2, memory_order=[1, 0], ranks=np.arange(4)
    )


def test_a_process_that_has_not_imported_transrank_reads_them():
    layout = BlockGrid([Distribution.even(8, 2)], halo=[(1, 1, True)])
    python(
        f"""
        import pickle
        grid, route = pickle.loads({pickle.dumps((layout, ROUTE))!r})
        assert grid.local_extents(0) == (6,)
        assert route.ranks == 2
        """
    ).check()


# Made anew each time: hypothesis keeps what it draws from until the process ends.
RUBBISH = st.one_of(
    st.none(),
    st.integers(-5, 9),
    st.sampled_from([2**31, 2**63, -(2**63), 0.5, "C", b"", (), [0, 5]]),
    st.builds(lambda: Distribution.even(3, 2)),
)


def makers() -> list[tuple[Callable[..., object], tuple[Any, ...]]]:
    grid = BlockGrid([Distribution.even(8, 2)], halo=[(1, 0, True)])
    owners = Distribution.irregular([0, 3, 5])
    return [
        (Distribution.even, (8, 2)),
        (Distribution.irregular, ((0, 3, 8),)),
        (Distribution.block_cyclic, (8, 2, 2, 1)),
        (grid.__reduce__()[0], ([owners],)),
        (Leg, (0, SEGMENTS)),
        (decoded, (b"",)),
        (restored, (1, 2, 3, 5, 5, owners)),
    ]


@settings(max_examples=trials.trials(100))
@given(st.integers(0, len(makers()) - 1), st.data())
def test_rubbish_in_a_pickle_is_an_error_or_makes_another_object(number, data):
    make, arguments = makers()[number]
    drawn = [data.draw(RUBBISH) if data.draw(st.booleans()) else it for it in arguments]
    try:
        made = make(*drawn)
    except (TypeError, ValueError, OSError):
        return
    assert copy.copy(made) == made


def test_a_numbering_that_cannot_be_is_refused():
    for numbers in (
        (2, 2, 3, 5, 5, None),
        (-1, 2, 0, 5, 5, None),
        (0, 2, 5, 3, 5, None),
        (0, 2, -1, 3, 5, None),
        (0, 2, 0, 6, 5, None),
        (1, 2, 3, 5, 6, Distribution.even(5, 2)),
        (1, 2, 3, 5, 5, Distribution.even(5, 3)),
        (1, 2, 2, 5, 5, Distribution.even(5, 2)),
        (1, 2, 3, 5, 5, Distribution.block_cyclic(5, 2, 1)),
    ):
        with pytest.raises(ValueError, match="cannot own"):
            restored(*numbers)


@settings(max_examples=trials.trials(100))
@given(st.data())
def test_altered_bytes_of_a_route_are_refused(data):
    call, _ = ROUTE.__reduce__()
    whole = call.__reduce__()[1][1]
    changed = bytearray(whole)
    at = data.draw(st.integers(0, len(whole) - 1))
    changed[at] ^= data.draw(st.integers(1, 255))
    cut = data.draw(st.integers(0, len(whole) - 1))
    for wrong in (bytes(changed), whole[:cut], whole + struct.pack("q", 0), b"rubbish"):
        with pytest.raises(_core.RouteFileError, match="a pickled Route"):
            decoded(wrong)
    assert decoded(whole) == ROUTE
