# SPDX-License-Identifier: BSD-3-Clause
"""Medians with their intervals, and intervals for what other surveys of the machine find."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transrank.lab.stats.estimate import BETWEEN_SURVEYS, LEAST_WIDTH, Estimate
from transrank.lab.stats.launches import combine
from transrank.lab.stats.median import interval_place, median_interval

POSITIVE = st.floats(1e-9, 1e3)


def coverage(count: int, place: int) -> float:
    """Probability that the place-th smallest and largest of `count` enclose the median."""
    return 1 - 2 * sum(comb(count, i) for i in range(place)) / 2**count


@given(st.integers(6, 1000))
def test_the_interval_is_the_narrowest_that_covers(count):
    place = interval_place(count)
    assert coverage(count, place) >= 0.95
    assert coverage(count, place + 1) < 0.95


@pytest.mark.parametrize(("count", "place"), [(1, 0), (5, 0), (6, 1), (8, 1), (9, 2), (30, 10)])
def test_places_of_published_tables(count, place):
    assert interval_place(count) == place


@given(st.lists(POSITIVE, min_size=1, max_size=60))
def test_the_interval_encloses_the_median_and_consists_of_values(values):
    found = median_interval(np.array(values))
    assert found.value == pytest.approx(float(np.median(values)))
    if len(values) == 1:
        assert found.low is None
        return
    assert found.low in values
    assert found.high in values
    assert found.low <= found.value <= found.high


@given(st.lists(POSITIVE, min_size=2, max_size=60), st.randoms())
def test_the_order_of_the_values_does_not_matter(values, random):
    shuffled = list(values)
    random.shuffle(shuffled)
    assert median_interval(np.array(values)) == median_interval(np.array(shuffled))


def test_it_covers_the_median_of_a_skewed_distribution():
    random = np.random.default_rng(1)
    trials = 2000
    hits = 0
    for values in random.exponential(size=(trials, 40)):
        found = median_interval(values)
        hits += found.low <= np.log(2) <= found.high
    assert hits / trials >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / trials)


def test_widths_are_relative_to_the_value():
    estimate = Estimate(2.0, 1.9, 2.3)
    assert estimate.relative_width == pytest.approx(0.2)
    assert estimate.relative_error == pytest.approx(0.15)
    assert estimate.scaled(1e6) == Estimate(2.0e6, 1.9e6, 2.3e6)
    assert Estimate(2.0).relative_width is None
    assert Estimate(0.0, 0.0, 0.0).relative_error is None
    with pytest.raises(ValueError, match="no values"):
        median_interval(np.array([]))


def test_what_surveys_differ_by_is_added_to_each_side_in_quadrature():
    same = Estimate(2e-6, 2e-6, 2e-6).across_surveys()
    assert same.value == 2e-6
    assert same.relative_width == pytest.approx(LEAST_WIDTH, rel=0.01)
    wide = Estimate(1.0, 0.97, 1.3).across_surveys()
    assert wide.low == pytest.approx(1 - np.hypot(0.03, 0.01), abs=1e-3)
    assert wide.high == pytest.approx(1.3, abs=1e-3)


@pytest.mark.parametrize(
    "known", [Estimate(1.0), Estimate(1.0, 0.0, 2.0), Estimate(-1.0, -2.0, 0.0)]
)
def test_what_has_no_logarithms_stays(known):
    assert known.across_surveys() == known


def test_surveys_whose_hours_differ_hold_each_others_values():
    """Perfect intervals do so in 83 %: each interval's end and the other's value both vary."""
    generator = np.random.default_rng(7)
    held: list[bool] = []
    held_by_launches_alone: list[bool] = []
    for _ in range(300):
        hours = generator.normal(0, BETWEEN_SURVEYS / 1.96, size=2)
        one, other = (
            combine([Estimate(float(np.exp(x))) for x in hour + generator.normal(0, 0.005, size=8)])
            for hour in hours
        )
        for estimate, kept in ((one, held_by_launches_alone), (one.across_surveys(), held)):
            kept.append(estimate.low <= other.value <= estimate.high)
    assert np.mean(held) > 0.79
    assert np.mean(held_by_launches_alone) < 0.7
