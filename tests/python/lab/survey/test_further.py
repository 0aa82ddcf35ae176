# SPDX-License-Identifier: BSD-3-Clause
"""Which launches follow those that a run began with."""

from collections.abc import Sequence
from typing import Any

import pytest

from support import recorded
from transrank.lab.stats.cores import CoreState
from transrank.lab.store.records import Case, PlannedLaunch, Shape, from_json
from transrank.lab.store.settings import Settings
from transrank.lab.survey.further import Further

NAMES = ("pingpong/8B", "pingpong/64B", "pingpong/512B")


def options(**changes: Any) -> Settings:
    settings: dict[str, Any] = {"precision": 0.1, "launches": 3, "most_launches": 20}
    return Settings(**settings | changes)


def plan(launches: int = 3) -> list[PlannedLaunch]:
    arguments = ("--study", "pingpong", "--seed")
    return [PlannedLaunch(i, Shape(2), NAMES, (*arguments, str(7 + i))) for i in range(launches)]


def measured(
    name: str, factors: Sequence[float], first: int = 0, seconds: float = 0.05, **changes: Any
) -> list[Case]:
    return [
        from_json(
            Case,
            recorded.case(
                launch=first + i,
                case=name,
                seconds=[factor * 1e-6] * 20,
                measuring_seconds=seconds,
                **changes,
            ),
        )
        for i, factor in enumerate(factors)
    ]


STEADY, WIDE, WIDER = (1.0, 1.01, 0.99), (1.0, 1.04, 0.97), (1.0, 1.3, 0.8)


def further(cases: Sequence[Sequence[float]], **changes: Any) -> Further:
    found = Further(plan(), options(**changes))
    for name, factors in zip(NAMES, cases, strict=True):
        found.take(measured(name, factors))
    return found


def test_only_what_is_wide_is_launched_again_with_another_seed():
    found = further([STEADY, WIDE, WIDER])
    (launch,) = found.launches(None)
    assert (launch.launch, launch.cases) == (3, NAMES[1:])
    assert launch.selection == plan()[0].selection
    assert launch.arguments not in [one.arguments for one in plan()]
    (another,) = found.launches(None)
    assert another.launch == 4
    assert further([STEADY] * 3).launches(None) == []
    (launch,) = further([STEADY, STEADY, WIDER], usual_launches=8).launches(1e3)
    assert launch.cases == NAMES


def test_where_time_is_short_what_needs_the_fewest_launches_comes_first():
    found = further([STEADY, WIDE, WIDER], run_seconds=10.0, usual_launches=8)
    (launch,) = found.launches(0.21)  # less than a launch of everything takes
    assert launch.cases == (NAMES[1],) or launch.cases == NAMES[1:]
    assert found.launches(1e3)[0].cases == NAMES
    few = further([STEADY, WIDE, WIDER], run_seconds=10.0)
    assert few.launches(5.0)[0].cases == (NAMES[1],)


def test_what_is_wider_than_twice_the_precision_comes_first_if_the_time_may_suffice():
    found = further([STEADY, WIDE, WIDER], run_seconds=1e3)
    assert found.launches(1e3)[0].cases == (NAMES[2],)
    assert found.launches(1.0)[0].cases == (NAMES[1],)
    assert further([STEADY, WIDE, WIDER]).launches(None)[0].cases == NAMES[1:]


@pytest.mark.parametrize(
    ("changes", "goes_on"),
    [
        ({}, True),
        ({"max_time_seconds": 0.15}, False),
        ({"max_time_seconds": 0.15, "run_seconds": 60.0}, True),
        ({"most_launches": 3}, False),
        ({"most_launches": None}, False),
    ],
)
def test_a_case_goes_on_while_its_time_or_the_runs_is_left(changes, goes_on):
    assert bool(further([WIDER] * 3, **changes).launches(None)) == goes_on


def test_a_case_that_was_skipped_or_failed_is_not_launched_again():
    found = Further(plan(), options())
    found.take(measured(NAMES[0], WIDER))
    lines = [recorded.skipped(launch=i, case=NAMES[1]) for i in range(3)]
    found.take([from_json(Case, line) for line in lines])
    (launch,) = found.launches(None)
    assert launch.cases == NAMES[:1]


def probed(ns: float, launches: int, first: int = 0) -> list[Case]:
    samples = recorded.case(seconds=[1e-6] * 20, core_latency_seconds=[ns * 1e-9])["samples"]
    return measured(NAMES[0], [1.0] * launches, first, samples=samples)


def test_the_state_of_the_cores_is_found_once_and_again_when_another_is_commoner():
    found = Further(plan(), options())
    assert found.new_states() == {}
    found.take(probed(50, 3))
    assert found.new_states() == {Shape(2): CoreState(pytest.approx(50e-9))}
    assert found.new_states() == {}
    found.take(probed(250, 6, first=3))
    assert found.new_states() == {}
    found.take(probed(250, 1, first=9))
    assert found.new_states() == {Shape(2): CoreState(pytest.approx(250e-9))}
    assert found.states == {Shape(2): CoreState(pytest.approx(250e-9))}
