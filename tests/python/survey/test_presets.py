# SPDX-License-Identifier: BSD-3-Clause
"""The surveys ask every study, and the quick one asks little of each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transrank.store.records import Shape
from transrank.survey import catalogue, presets
from transrank.survey.plan import Conditions, Request, Selection, make_plan


def cases(selections: tuple[Selection, ...]) -> set[str]:
    request = Request(selections, (Shape(2),), Conditions(launches=1))
    return {case for planned in make_plan(request) for case in planned.cases}


def test_both_surveys_ask_every_study() -> None:
    everything = set(catalogue.studies())
    for selections in (presets.full(), presets.quick()):
        assert {case.partition("/")[0] for case in cases(selections)} == everything


def test_the_quick_survey_has_fewer_cases_of_every_large_study() -> None:
    full, quick = cases(presets.full()), cases(presets.quick())
    assert len(quick) <= 250
    for study in ("pingpong", "sendrecv", "exchange"):
        assert sum(case.startswith(f"{study}/") for case in quick) >= 5
    assert len(quick) < len(full)


def test_the_sizes_of_the_quick_survey_are_among_those_of_the_full_one() -> None:
    assert cases(presets.quick()) <= cases(presets.full())


@given(st.lists(st.integers(), unique=True, max_size=60), st.integers(2, 12))
def test_what_is_spread_keeps_both_ends_and_no_more_than_asked_for(
    values: list[int], count: int
) -> None:
    kept = presets.spread(values, count)
    assert len(kept) == min(count, len(values))
    assert [value for value in values if value in set(kept)] == kept
    if values:
        assert (kept[0], kept[-1]) == (values[0], values[-1])
