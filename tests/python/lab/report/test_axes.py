# SPDX-License-Identifier: BSD-3-Clause
"""Axes have few, round labels inside their domain."""

from hypothesis import given
from hypothesis import strategies as st

from transrank.lab.report.figures.axes import (
    EMPTY_MESSAGE,
    INTERVAL_REACH,
    bytes_axis,
    drawn_bounds,
    log_ticks,
    value_axis,
)


@given(st.floats(1e-9, 1e3), st.floats(1.01, 1e9))
def test_ticks_are_few_and_inside(low, ratio):
    high = low * ratio
    ticks = log_ticks(low, high)
    assert 2 <= len(ticks) <= 10
    assert ticks == sorted(ticks)
    slack = 1.06  # two digits of an end without a round value inside
    assert low / slack <= ticks[0]
    assert ticks[-1] <= high * slack


@given(st.lists(st.integers(0, 2**40), min_size=1))
def test_every_size_is_inside_the_domain(sizes):
    low, high = bytes_axis(sizes)["scale"]["domain"]
    assert low < high
    for size in sizes:
        assert low <= max(size, EMPTY_MESSAGE) <= high


def test_the_empty_message_has_a_place_left_of_one_byte():
    axis = bytes_axis([0, 1, 1024])["axis"]
    assert axis["values"][0] == EMPTY_MESSAGE
    assert 1.0 not in axis["values"], "its label would touch that of 0 B"


@given(st.lists(st.floats(1e-9, 1e9), min_size=1))
def test_values_are_inside_their_domain(values):
    low, high = value_axis(values, "time", "datum.value")["scale"]["domain"]
    assert low < min(values)
    assert max(values) < high


@given(
    st.lists(st.floats(1e-9, 1e3), min_size=1),
    st.lists(st.floats(1e-15, 1e15)),
)
def test_intervals_have_room_but_not_all_of_it(values, ends):
    low, high = drawn_bounds(values, ends)
    assert low <= min(values) <= max(values) <= high
    assert low >= min(values) / INTERVAL_REACH
    assert high <= max(values) * INTERVAL_REACH
    for end in ends:
        if min(values) / INTERVAL_REACH <= end <= max(values) * INTERVAL_REACH:
            assert low <= end <= high
