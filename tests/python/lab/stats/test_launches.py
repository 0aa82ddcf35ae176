# SPDX-License-Identifier: BSD-3-Clause
"""Launches are simulated: what the interval claims must hold when launches differ."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.launches import combine, find_groups
from transrank.lab.stats.median import median_interval

Samples = NDArray[np.float64]
ROUNDS, PER_ROUND = 5, 8


def simulate(
    random: np.random.Generator,
    launches: int,
    between_launches: float,
    between_rounds: float,
    noise: Callable[..., Samples],
) -> list[Samples]:
    """Seconds of each launch: log-normal launches and rounds, heavy-tailed noise of median one."""
    effects = random.normal(0, between_launches, launches)
    found = []
    for effect in effects:
        rounds = np.repeat(random.normal(0, between_rounds, ROUNDS), PER_ROUND)
        found.append(np.exp(effect + rounds) * noise(random, ROUNDS * PER_ROUND))
    return found


def student(random: np.random.Generator, count: int) -> Samples:
    return np.asarray(np.exp(0.02 * random.standard_t(2.5, count)))


def spikes(random: np.random.Generator, count: int) -> Samples:
    """One sample in ten is hit by something that costs up to twenty times the operation."""
    quiet = np.exp(random.normal(0, 0.01, count))
    hit = random.random(count) < 0.1
    return np.asarray(np.where(hit, quiet * random.uniform(1, 20, count), quiet))


def coarse(random: np.random.Generator, count: int) -> Samples:
    """A clock that sees steps of two percent."""
    return np.round(np.exp(random.normal(0, 0.02, count)) / 0.02) * 0.02


def covers(interval: Estimate, truth: float) -> bool:
    return interval.low <= truth <= interval.high


def by_launch(launches: Sequence[Samples]) -> Estimate:
    return combine([median_interval(samples) for samples in launches])


@pytest.mark.parametrize("launches", [3, 8])
@pytest.mark.parametrize("noise", [student, spikes, coarse])
@pytest.mark.parametrize("between_launches", [0.0, 0.02, 0.15])
def test_the_interval_over_launches_covers_the_true_value(launches, noise, between_launches):
    random = np.random.default_rng(20261120)
    truth = float(np.median(noise(random, 400_001)))
    surveys = (simulate(random, launches, between_launches, 0.01, noise) for _ in range(500))
    # Three standard errors of a share of 0.95 in 500 trials are 0.03.
    assert np.mean([covers(by_launch(survey), truth) for survey in surveys]) >= 0.95 - 0.03


def test_an_interval_of_pooled_samples_would_not_cover():
    """Why the launch is the unit of repetition."""
    random = np.random.default_rng(20261120)
    surveys = (simulate(random, 3, 0.02, 0.01, student) for _ in range(300))
    pooled = [median_interval(np.concatenate(survey)) for survey in surveys]
    assert np.mean([covers(interval, 1.0) for interval in pooled]) < 0.7


def test_more_launches_narrow_the_interval_and_more_samples_do_not_replace_them():
    random = np.random.default_rng(3)

    def width(launches: int) -> float:
        found = [by_launch(simulate(random, launches, 0.02, 0.0, student)) for _ in range(200)]
        return float(np.median([estimate.relative_width for estimate in found]))

    assert width(3) > 1.5 * width(5) > 2 * width(20)


def test_one_astray_launch_moves_no_value_and_widens_no_interval():
    calm = [Estimate(value, 0.99 * value, 1.01 * value) for value in (1.0, 1.01, 0.99, 1.0)]
    astray = Estimate(3.0, 2.9, 3.1)
    assert combine([*calm, astray]).value == pytest.approx(combine(calm).value, rel=0.02)
    logs = np.random.default_rng(4).normal(0, 0.01, 15)
    calm, astray = (
        combine([Estimate(float(value)) for value in np.exp([*logs, last])]) for last in (0, 1)
    )
    assert astray.relative_width < 1.6 * calm.relative_width


# Launches as they are met: alike, skewed, in two groups, a tenth of them astray. Their logarithms.
def alike(random: np.random.Generator, count: int) -> Samples:
    return random.normal(0, 0.02, count)


def skewed(random: np.random.Generator, count: int) -> Samples:
    return 0.02 * random.lognormal(0, 0.8, count)


def in_two_groups(random: np.random.Generator, count: int) -> Samples:
    return random.normal(0, 0.01, count) + 0.06 * (random.random(count) < 0.35)


def now_and_then_astray(random: np.random.Generator, count: int) -> Samples:
    astray = random.random(count) < 0.1
    return random.normal(0, 0.01, count) + astray * random.exponential(0.2, count)


SHAPES = (alike, skewed, in_two_groups, now_and_then_astray)


@pytest.mark.parametrize("count", [6, 8, 12, 24])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_interval_holds_other_surveys_values_whatever_the_launches_are_like(shape, count):
    random = np.random.default_rng(count)
    found = [
        combine([Estimate(float(value)) for value in np.exp(shape(random, count))])
        for _ in range(600)
    ]
    pairs = zip(found[:300], found[300:], strict=True)
    # Perfect intervals of two normal surveys do in 83 %; three standard errors are 6 %.
    assert np.mean([covers(one, other.value) for one, other in pairs]) >= 0.77
    middle = float(np.median([each.value for each in found]))
    assert np.mean([covers(each, middle) for each in found]) >= 0.90


def test_two_groups_of_launches_are_named():
    launches = [
        Estimate(v, 0.99 * v, 1.01 * v) for v in (0.82e-6, 0.97e-6, 0.83e-6, 0.98e-6, 0.82e-6)
    ]
    groups = find_groups(launches)
    assert groups.fast == (pytest.approx(0.82e-6), 3)
    assert groups.slow == (pytest.approx(0.975e-6), 2)
    assert groups.gap == pytest.approx(0.189, abs=0.01)


@pytest.mark.parametrize(
    "values",
    [
        (1.0, 1.2), (1.0, 1.02, 1.04), (1.0, 1.001, 1.2), (1.0, 1.001, 1.002, 1.001, 1.2),
        (1.0, 1.1, 1.2, 1.3, 1.4), (0.0, 1.0, 1.0),
    ],
)  # fmt: skip
def test_a_spread_is_no_pair_of_groups(values):
    assert find_groups([Estimate(v, 0.995 * v, 1.005 * v) for v in values]) is None


@pytest.mark.parametrize("launches", [3, 4, 5, 10])
def test_launches_that_merely_scatter_are_rarely_called_two_groups(launches):
    random = np.random.default_rng(launches)
    found = [
        find_groups([Estimate(value) for value in random.lognormal(0, 0.06, launches)])
        for _ in range(500)
    ]
    assert np.mean([groups is not None for groups in found]) < 0.15


def test_groups_are_apart_only_where_nothing_of_their_intervals_meets():
    assert find_groups([Estimate(v, 0.9 * v, 1.1 * v) for v in (1.0, 1.0, 1.12, 1.12)]) is None
    fast = [Estimate(1.0, 0.99, 1.06)] * 2
    assert find_groups([*fast, *[Estimate(1.12, 1.06, 1.13)] * 2]) is None
    assert find_groups([*fast, *[Estimate(1.12, 1.07, 1.13)] * 2]) is not None


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0]])
def test_fewer_than_three_launches_have_no_interval(values):
    found = combine([Estimate(value, 0.9 * value, 1.2 * value) for value in values])
    assert (found.low, found.high) == (None, None)
    assert found.value == pytest.approx(np.prod(values) ** (1 / len(values)))


def test_launches_that_are_alike_or_of_no_time_have_an_interval():
    # A coarse clock makes the medians identical; that is no certainty.
    width = combine([Estimate(1.0, 0.98, 1.02)] * 3).relative_width
    assert width > 0.02
    assert combine([Estimate(0.0), Estimate(0.0), Estimate(1e-8)]) == Estimate(0.0, 0.0, 1e-8)
    with pytest.raises(ValueError, match="no launches"):
        combine([])


@given(st.lists(st.floats(1e-8, 1e2), min_size=3, max_size=12), st.floats(1e-3, 1e3))
def test_the_interval_contains_the_value_and_scales_with_the_unit(values, factor):
    launches = [Estimate(v, 0.99 * v, 1.01 * v) for v in values]
    found = combine(launches)
    scaled = combine([launch.scaled(factor) for launch in launches])
    assert found.low <= found.value <= found.high
    assert scaled.value == pytest.approx(factor * found.value)
    assert scaled.low == pytest.approx(factor * found.low)
    assert scaled.high == pytest.approx(factor * found.high)
