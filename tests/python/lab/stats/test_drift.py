# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest
from scipy import stats

from transrank.lab.stats.discoveries import discoveries
from transrank.lab.stats.drift import find_drifts, round_medians


def find_drift(launches):
    return find_drifts([launches])[0]


def test_round_medians_leave_out_what_does_not_count():
    seconds = np.array([9.0, 1.0, 3.0, 5.0, 7.0, 2.0])
    used = np.array([False, True, True, False, False, True])
    rounds = [np.array([3, 2]), np.array([1])]
    assert [each.tolist() for each in round_medians(seconds, used, rounds)] == [[2.0], [2.0]]


@pytest.mark.parametrize("seed", range(5))
def test_one_launch_gives_the_p_value_of_kendalls_test(seed):
    values = np.exp(np.random.default_rng(seed).normal(0, 0.1, 12))
    ours = find_drift([values])
    exact = stats.kendalltau(np.arange(12), values, method="exact").pvalue
    assert ours.p_value == pytest.approx(exact, abs=0.02)


def test_a_steady_change_is_found_with_its_size():
    random = np.random.default_rng(1)
    launches = [np.linspace(1.0, 1.2, 8) * np.exp(random.normal(0, 0.01, 8)) for _ in range(3)]
    drift = find_drift(launches)
    assert drift.p_value < 1e-6
    assert drift.change == pytest.approx(0.2, abs=0.04)
    drift = find_drift([np.linspace(2.0, 1.0, 10)])
    assert drift.change == pytest.approx(-0.5, abs=0.05)
    drift = find_drift([np.full(6, level) for level in (1.0, 2.0, 3.0)])
    assert drift.p_value == 1.0
    assert drift.change == 0.0


def test_four_rounds_are_the_fewest_that_can_drift():
    assert find_drift([]) is None
    assert find_drift([np.linspace(1.0, 2.0, 3)]) is None
    drift = find_drift([np.linspace(1.0, 2.0, 4)])
    assert drift.change > 0.9


def test_noise_alone_is_rarely_called_drift():
    random = np.random.default_rng(2)
    found = [find_drift(list(np.exp(random.normal(0, 0.05, (3, 6))))) for _ in range(400)]
    p_values = [drift.p_value for drift in found if drift is not None]
    assert np.mean(np.array(p_values) < 0.05) < 0.08
    assert sum(discoveries(p_values)) <= 2


def test_discoveries_follow_benjamini_and_hochberg():
    # The 15 p-values of the paper's example, section 3.2: four are discoveries at 5 %.
    p_values = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    p_values += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000]
    assert discoveries(p_values) == [True] * 4 + [False] * 11
    assert discoveries(p_values[::-1]) == [False] * 11 + [True] * 4
    assert discoveries([]) == []
    assert discoveries([0.05, 0.025]) == [True, True]
    assert discoveries([0.05, 0.06]) == [False, False]
    assert discoveries([0.05]) == [True]
