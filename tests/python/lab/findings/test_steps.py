# SPDX-License-Identifier: BSD-3-Clause
"""Steps and crossovers are found where curves have them, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transrank.lab.findings.crossovers import Crossover, find_crossovers
from transrank.lab.findings.steps import find_steps
from transrank.lab.findings.values import Curve, Value
from transrank.lab.stats.estimate import Estimate
from transrank.lab.store.lines import Shape

SIZES = [2**power for power in range(20)]
startups = st.floats(1e-7, 1e-4)
costs = st.floats(1e-11, 1e-8)


def curve(seconds: list[float], error: float = 0.005) -> Curve:
    return {
        size: Value("pingpong", {"bytes": size}, Shape(2), value, error)
        for size, value in zip(SIZES, seconds, strict=True)
    }


@given(startups, costs)
def test_an_affine_curve_has_no_step(startup, cost):
    assert find_steps(curve([startup + cost * size for size in SIZES])) == []


@given(startups, costs, st.integers(3, 17), st.floats(1.0, 5.0))
def test_a_step_is_found_at_its_place_and_is_the_only_one(startup, cost, place, height):
    before = [startup + cost * size for size in SIZES]
    rise = (1 + height) * before[place]
    stepped = [value + rise * (index >= place) for index, value in enumerate(before)]

    (step,) = find_steps(curve(stepped))

    assert (step.lower, step.upper) == (SIZES[place - 1], SIZES[place])
    factor = stepped[place] / before[place]
    assert step.factor.value == pytest.approx(factor, rel=0.01)
    assert step.factor.low < factor < step.factor.high


@given(startups, costs, st.integers(3, 17), st.floats(1.5, 8.0))
def test_a_bend_is_no_step(startup, cost, place, steeper):
    bend = SIZES[place]
    bent = [
        startup + cost * min(size, bend) + steeper * cost * max(size - bend, 0) for size in SIZES
    ]
    assert find_steps(curve(bent)) == []


@given(startups, costs, st.integers(3, 17))
def test_wide_intervals_leave_doubt_and_show_no_step(startup, cost, place):
    before = [startup + cost * size for size in SIZES]
    stepped = [value * (1.5 if index >= place else 1) for index, value in enumerate(before)]
    assert find_steps(curve(stepped, error=0.4)) == []


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_too_few_sizes_show_no_rise(count):
    few = dict(list(curve([10.0**power for power in range(20)]).items())[:count])
    assert find_steps(few) == []


def line(startup: float, cost: float, error: float = 0.01) -> dict[int, Estimate]:
    return {
        size: Estimate(value, value * (1 - error), value * (1 + error))
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


def test_a_crossover_is_where_the_order_of_two_curves_clearly_changes():
    crossing = find_crossovers({"steep": line(1, 1e-2), "flat": line(5, 1e-3)})
    assert crossing == [Crossover("steep", "flat", 256, 512)]
    one, other = line(1, 1e-3), line(2, 2e-3)
    one[1024] = Estimate(100, 99, 101)
    assert find_crossovers({"one": one, "other": other}) == []
    assert find_crossovers({"one": line(1, 1e-3, 0.5), "other": line(1.4, 0.7e-3, 0.5)}) == []
    one = line(1, 1e-2)
    other = {size: value for size, value in line(5, 1e-3).items() if size != 512}
    (crossing,) = find_crossovers({"one": one, "other": other})
    assert (crossing.lower, crossing.upper) == (256, 1024)
