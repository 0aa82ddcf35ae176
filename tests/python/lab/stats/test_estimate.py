# SPDX-License-Identifier: BSD-3-Clause
"""Intervals for what other surveys of the machine find."""

import numpy as np
import pytest

from transrank.lab.stats.estimate import BETWEEN_SURVEYS, LEAST_WIDTH, Estimate
from transrank.lab.stats.launches import combine


def test_launches_that_agree_leave_what_surveys_differ_by():
    same = Estimate(2e-6, 2e-6, 2e-6).across_surveys()
    assert same.value == 2e-6
    assert same.relative_width == pytest.approx(LEAST_WIDTH, rel=0.01)


def test_each_side_grows_by_itself_in_quadrature():
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
