# SPDX-License-Identifier: BSD-3-Clause
"""How long a run takes, and what is left of it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transrank.lab.store.records import PlannedLaunch, Shape
from transrank.lab.survey.estimate import (
    OVERHEAD_SECONDS_PER_CASE,
    Costs,
    TimeLeft,
    is_launch_study,
    most_seconds,
)

COSTS = Costs(start_seconds=0.5, case_seconds=0.2)


def measuring(launch: int, cases: int) -> PlannedLaunch:
    names = tuple(f"pingpong/{size}B" for size in range(cases))
    return PlannedLaunch(launch, Shape(2), names, ("--study", "pingpong"))


def starting(launch: int, count: int) -> PlannedLaunch:
    arguments = ("--study", "launch", "--count", str(count))
    return PlannedLaunch(launch, Shape(2), ("launch/plain", "launch/init"), arguments)


def test_the_study_of_job_starts_costs_job_starts():
    assert is_launch_study(starting(0, 3))
    assert not is_launch_study(measuring(0, 3))
    # two cases, each one job that warms up and three that count
    assert most_seconds([starting(0, 3)], COSTS) == pytest.approx(8 * 0.5 * 1.3)


@given(st.integers(0, 500), st.integers(0, 500))
def test_more_cases_take_longer(few, more):
    short = most_seconds([measuring(0, few)], COSTS)
    long = most_seconds([measuring(0, few + more)], COSTS)
    assert long == pytest.approx(short + more * (0.2 + OVERHEAD_SECONDS_PER_CASE))


def test_time_left_falls_to_zero_and_learns_from_what_was_faster():
    plan = [measuring(0, 10), measuring(1, 10), measuring(2, 10)]
    expected = most_seconds(plan[:1], COSTS)
    left = TimeLeft(COSTS, list(plan))
    assert left.seconds() == pytest.approx(3 * expected)
    left.begin()
    assert left.seconds() == pytest.approx(3 * expected)
    left.finish_case()
    assert left.seconds() == pytest.approx(2.9 * expected)
    left.runner_says(0.5)
    assert left.seconds() == pytest.approx(0.5 + 2 * expected)
    left.finish(expected / 2)
    assert left.seconds() == pytest.approx(2 * expected / 2)
    for _ in range(2):
        left.begin()
        left.finish(expected / 2)
    assert left.seconds() == 0


def test_a_run_with_a_deadline_has_its_time_left_and_says_what_fits():
    left = TimeLeft(COSTS, [], time.monotonic() + 60)
    assert left.seconds() == pytest.approx(60, abs=5)
    assert left.is_enough_for(measuring(0, 10))
    assert not left.is_enough_for(measuring(0, 1000))
    left.add(measuring(0, 10))
    left.begin()
    left.finish(100 * most_seconds([measuring(0, 10)], COSTS))  # all takes 100 times as long
    assert not left.is_enough_for(measuring(1, 10))
    assert TimeLeft(COSTS, [], time.monotonic() - 1).until_deadline() == 0
    assert TimeLeft(COSTS, []).until_deadline() is None
