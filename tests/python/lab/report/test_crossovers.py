# SPDX-License-Identifier: BSD-3-Clause
"""A crossover is reported where intervals show it, between the sizes that bracket it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transrank.lab.report.findings.crossovers import Crossover, find_crossovers
from transrank.lab.report.findings.steps import Interval

SIZES = [2**power for power in range(20)]


def line(startup: float, cost: float, error: float = 0.01) -> dict[int, Interval]:
    return {
        size: Interval(value, value * (1 - error), value * (1 + error))
        for size in SIZES
        for value in [startup + cost * size]
    }


@given(st.integers(4, 15), st.floats(1.5, 10))
def test_two_lines_cross_where_algebra_says(place, steeper):
    where = 2**place
    steep = line(1.0, steeper * 1e-4)
    flat = line(1.0 + (steeper - 1) * 1e-4 * where, 1e-4)
    for crossing in find_crossovers({"steep": steep, "flat": flat}):
        assert (crossing.small, crossing.large) == ("steep", "flat")
        assert crossing.lower <= where <= crossing.upper


@given(st.floats(1.1, 10), st.floats(1e-6, 1e-2))
def test_parallel_lines_never_cross(start, cost):
    assert find_crossovers({"one": line(1.0, cost), "other": line(start, cost)}) == []


def test_the_sizes_beside_a_crossover_are_those_where_the_order_is_clear():
    crossing = find_crossovers({"steep": line(1, 1e-2), "flat": line(5, 1e-3)})
    assert crossing == [Crossover("steep", "flat", 256, 512)]


def test_a_single_size_out_of_order_is_no_crossover():
    one, other = line(1, 1e-3), line(2, 2e-3)
    one[1024] = Interval(100, 99, 101)
    assert find_crossovers({"one": one, "other": other}) == []


def test_curves_whose_intervals_overlap_do_not_cross():
    assert find_crossovers({"one": line(1, 1e-3, 0.5), "other": line(1.4, 0.7e-3, 0.5)}) == []


def test_sizes_that_only_one_curve_has_are_left_out():
    one = line(1, 1e-2)
    other = {size: value for size, value in line(5, 1e-3).items() if size != 512}
    (crossing,) = find_crossovers({"one": one, "other": other})
    assert (crossing.lower, crossing.upper) == (256, 1024)
