# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest

from transrank.lab.reference.machine import read_table
from transrank.lab.stats.growth import exponent_of


def test_the_exponent_of_a_power_law_is_found():
    found = exponent_of([(n, 3 * n**1.7) for n in (2.0, 8.0, 32.0, 128.0)])
    assert found.value == pytest.approx(1.7)
    assert found.low == pytest.approx(1.7)
    assert found.high == pytest.approx(1.7)


def test_the_interval_holds_the_exponent_in_nineteen_of_twenty_cases():
    random = np.random.default_rng(5)
    numbers = 2.0 ** np.arange(2, 12)
    held = 0
    for _ in range(400):
        found = exponent_of(
            list(zip(numbers, numbers**0.5 * random.lognormal(0, 0.1, 10), strict=True))
        )
        held += found.low <= 0.5 <= found.high
    assert 0.91 < held / 400 < 0.985


def test_published_times_grow_almost_with_the_square():
    rows = read_table("esmf_store_times.csv")
    times = [(float(row["processors"]), float(row["total_ms"])) for row in rows[2:]]
    assert 1.6 < exponent_of(times).value < 2


def test_two_points_are_too_few():
    with pytest.raises(ValueError, match="2 points"):
        exponent_of([(1, 1), (2, 2)])
