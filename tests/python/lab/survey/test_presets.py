# SPDX-License-Identifier: BSD-3-Clause
"""The surveys ask every study, and the quick one asks little of each."""

from hypothesis import given
from hypothesis import strategies as st

from transrank.lab.machine.topology import Cache
from transrank.lab.store.records import Shape
from transrank.lab.store.settings import Settings
from transrank.lab.study import catalogue
from transrank.lab.survey import presets
from transrank.lab.survey.plan import Request, Selection, make_plan


def cases(selections: tuple[Selection, ...]) -> set[str]:
    request = Request(selections, (Shape(2),), Settings(launches=1))
    return {case for planned in make_plan(request) for case in planned.cases}


def test_both_surveys_ask_every_study_but_those_that_must_be_named():
    everything = {study.name for study in catalogue.studies().values() if study.surveyed}
    assert set(catalogue.studies()) - everything == {
        *("contention", "datatypes", "fan", "locality", "matching"),
        *("multi-pingpong", "neighborhood"),
    }
    for selections in (presets.full(), presets.quick()):
        assert {case.partition("/")[0] for case in cases(selections)} == everything


def test_the_quick_survey_has_few_cases_all_of_the_full_one():
    full, quick = cases(presets.full()), cases(presets.quick())
    assert len(quick) <= 64
    assert quick <= full


def test_the_quick_survey_has_what_its_first_screen_is_about():
    assert {
        *("pingpong/8B", "bandwidth/64/4MiB", "collectives/allreduce/blocking/float/8B"),
        *("ghost/corrected/20/used/auto", "ghost/corrected/20/used/floor", "launch/init"),
        "redistribute/64x128x16/1/blocks/2x1-1x2/run/used/auto",
        "redistribute/64x128x16/1/blocks/2x1-1x2/run/used/memcpy-once",
        "memory-copy/memcpy/alone/256MiB",
    } <= cases(presets.quick())


def test_the_quick_survey_has_one_put_and_one_operation_that_is_to_be_hidden():
    quick = cases(presets.quick())
    assert {case for case in quick if case.startswith("one-sided/")} == {
        "one-sided/put/flush/allocated/1/8B"
    }
    assert {case for case in quick if case.startswith("overlap/")} == {
        f"overlap/allreduce/nonblocking/{part}/4KiB"
        for part in ("alone", "computation", "together")
    }
    assert not any("any-" in case or "both-ways" in case for case in quick)


def test_the_quick_survey_is_that_of_the_descriptions_of_the_studies():
    described = {study: catalogue.find(study).quick for study in ("ghost", "redistribute")}
    assert all(quick["mode"] == ("used",) for quick in described.values())
    for case in cases(presets.quick()):
        study, *values = case.split("/")
        assert study not in described or "used" in values, case
    sizes: dict[str, set[str]] = {}
    for case in cases(presets.quick()):
        study, *_, size = case.split("/")
        sizes.setdefault(study, set()).add(size)
    for study in ("pingpong", "send-modes", "memory-copy", "alltoall-algorithms"):
        assert len(sizes[study]) == catalogue.find(study).quick_sizes, study


COPIES = [4096 * 4**power for power in range(9)]


def test_memory_is_copied_in_the_first_and_the_last_cache_and_beyond_them():
    caches = [
        Cache(1, "data", 48 << 10, 8, 2),
        Cache(1, "instruction", 64 << 10, 8, 2),
        Cache(2, "unified", 2 << 20, 8, 2),
        Cache(3, "unified", 32 << 20, 1, 16),
    ]
    assert presets.by_cache(COPIES, caches) == [16 << 10, 4 << 20, 256 << 20]
    copied = [
        case for case in cases(presets.quick(caches)) if case.startswith("memory-copy/memcpy/alone")
    ]
    assert sorted(copied) == [
        f"memory-copy/memcpy/alone/{size}" for size in ("16KiB", "256MiB", "4MiB")
    ]


LEVEL, SIZE, ONE = st.integers(1, 4), st.integers(1 << 10, 1 << 34), st.just(1)
HOLDS = st.sampled_from(["data", "unified", "instruction"])


@given(st.lists(st.builds(Cache, LEVEL, HOLDS, SIZE, ONE, ONE), min_size=1, max_size=6))
def test_whatever_the_caches_three_sizes_are_enough_and_memory_is_among_them(caches):
    chosen = presets.by_cache(COPIES, caches)
    assert 1 <= len(chosen) <= 3
    assert chosen[-1] == COPIES[-1]
    assert set(chosen) <= set(COPIES)


@given(st.lists(st.integers(), unique=True, max_size=60), st.integers(2, 12))
def test_what_is_spread_keeps_both_ends_and_no_more_than_asked_for(values, count):
    kept = presets.spread(values, count)
    assert len(kept) == min(count, len(values))
    assert [value for value in values if value in set(kept)] == kept
    if values:
        assert (kept[0], kept[-1]) == (values[0], values[-1])
