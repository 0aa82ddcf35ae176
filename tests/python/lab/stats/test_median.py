# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transrank.lab.stats.estimate import Estimate
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


def test_no_values_have_no_median():
    with pytest.raises(ValueError, match="no values"):
        median_interval(np.array([]))


def test_widths_are_relative_to_the_value():
    estimate = Estimate(2.0, 1.9, 2.3)
    assert estimate.relative_width == pytest.approx(0.2)
    assert estimate.relative_error == pytest.approx(0.15)
    assert estimate.scaled(1e6) == Estimate(2.0e6, 1.9e6, 2.3e6)
    assert Estimate(2.0).relative_width is None
    assert Estimate(0.0, 0.0, 0.0).relative_error is None
