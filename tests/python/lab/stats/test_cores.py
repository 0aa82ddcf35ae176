# SPDX-License-Identifier: BSD-3-Clause
"""The state of the cores: the commonest, named in the record; warnings and unlike runs."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from support import recorded
from support.recorded import cores
from transrank.errors import RecordError
from transrank.lab.stats.advice import run_warnings
from transrank.lab.stats.compare import compare_results
from transrank.lab.stats.conditions import differences, reason_against, summarise_both
from transrank.lab.stats.cores import CoreState, commonest_state, other_rounds, states_of
from transrank.lab.stats.summary import summarise
from transrank.lab.store.records import Run, Shape, read_run

Rounds = Sequence[tuple[float | None, float]]


def line(rounds: Rounds, launch: int = 0, size: int = 1024, each: int = 5) -> recorded.Line:
    """A case whose samples take ten times as long as a cache line between the cores."""
    seconds = [1.0 if ns is None else ns * 1e-8 for ns, _ in rounds]
    return recorded.case(
        size=size,
        launch=launch,
        seconds=np.repeat(seconds, each).tolist(),
        rounds=[each] * len(rounds),
        core_latency_seconds=[None if ns is None else ns * 1e-9 for ns, _ in rounds],
        core_work_seconds=[us * 1e-6 for _, us in rounds],
    )


def run_of(folder: Path, *lines: recorded.Line) -> Run:
    header = [recorded.header(), recorded.launch(0)]
    return read_run(
        recorded.write(folder / f"{len(list(folder.iterdir()))}.jsonl", [*header, *lines])
    )


@pytest.mark.parametrize(
    ("rounds", "latency", "work"),
    [
        ([(50, 10)] * 10, 50, 10),
        ([(50, 10)] * 4 + [(250, 10)] * 6, 250, 10),
        ([(50, 10)] * 6 + [(250, 10)] * 4, 50, 10),
        ([(240, 10)] * 3 + [(262, 10)] * 3 + [(280, 10)] * 3 + [(50, 10)] * 5, 262, 10),
        ([(50, 10)] * 8 + [(50, 13)] * 20, 50, 10),
        ([(50, 13)] * 10 + [(250, 10)] * 2, 50, 13),
        ([(None, 10)] * 5 + [(60, 10)], 60, 10),
    ],
)
def test_the_state_of_a_run_is_the_commonest_distance_and_the_speed_that_nothing_slows(
    tmp_path, rounds, latency, work
):
    found = commonest_state(run_of(tmp_path, line(rounds)).cases)
    assert found.latency_seconds == pytest.approx(latency * 1e-9)
    assert found.work_seconds == pytest.approx(work * 1e-6)


@pytest.mark.parametrize(
    ("near", "far", "latency"), [(4, 5, 50), (4, 8, 50), (4, 9, 250), (0, 9, 250), (9, 4, 50)]
)
def test_a_known_distance_is_kept_until_another_has_twice_as_many_rounds(
    tmp_path, near, far, latency
):
    cases = run_of(tmp_path, line([(50, 10)] * near + [(250, 10)] * far)).cases
    found = commonest_state(cases, CoreState(51e-9, 1e-5))
    assert found.latency_seconds == pytest.approx(latency * 1e-9)


def test_what_was_not_probed_is_not_known(tmp_path):
    assert commonest_state(run_of(tmp_path, recorded.case()).cases) == CoreState()
    run = run_of(tmp_path, line([(50, 10), (None, 10)]), cores(50e-9, None))
    assert other_rounds(run.cases, CoreState(50e-9)).moved == 0


def test_the_last_word_of_the_record_holds_for_each_shape(tmp_path):
    four = cores(60e-9, None) | {"shape": {"ranks": 4, "ranks_per_node": 2}}
    run = run_of(tmp_path, cores(250e-9, None), four, cores(50e-9, 1e-5))
    assert states_of(run) == {Shape(2): CoreState(50e-9, 1e-5), Shape(4, 2): CoreState(60e-9)}


def test_the_value_is_of_the_rounds_in_the_state_of_the_run(tmp_path):
    launches = [line([(50, 10), (250, 10), (50, 12)], launch) for launch in range(3)]
    (near,) = summarise(run_of(tmp_path, *launches, cores(50e-9, 10e-6)))
    assert near.headline.value == pytest.approx(500e-9)
    assert near.kept == pytest.approx(1 / 3)
    (far,) = summarise(run_of(tmp_path, *launches, cores(250e-9, 10e-6)))
    assert far.headline.value == pytest.approx(2500e-9)


@pytest.mark.parametrize(("slowed", "basis", "value"), [(1, "clean", 500), (3, "any speed", 600)])
def test_where_most_samples_are_of_slower_cores_any_speed_counts_but_not_any_distance(
    tmp_path, slowed, basis, value
):
    rounds = [(50, 10)] * 2 + [(60, 12)] * slowed + [(250, 12)]
    state = cores(50e-9, 10e-6)
    run = run_of(tmp_path, *(line(rounds, launch) for launch in range(3)), state)
    (result,) = summarise(run)
    assert result.basis == basis
    assert result.headline.value == pytest.approx(value * 1e-9)
    assert result.kept == pytest.approx((2 + slowed * (basis != "clean")) / (3 + slowed))
    (verdict,) = compare_results([result], [result], 0.05)
    assert (verdict.verdict == "unclear") == (basis != "clean")


def test_a_case_has_the_same_value_in_a_record_cut_down_to_it(tmp_path):
    rng = np.random.default_rng(3)

    def rounds() -> Rounds:
        return [(float(rng.choice([50, 250])), float(rng.choice([10, 12]))) for _ in range(6)]

    cases = [line(rounds(), launch, 8 << case) for launch in range(5) for case in range(12)]
    whole = summarise(run_of(tmp_path, *cases, cores(50e-9, 10e-6)))
    assert len(whole) == 12
    for result in whole:
        own = [case for case in cases if case["case"] == result.case]
        (alone,) = summarise(run_of(tmp_path, *own, cores(50e-9, 10e-6)))
        assert alone == result


@pytest.mark.parametrize(("share", "warns"), [(0.05, False), (0.2, True)])
def test_rounds_that_do_not_count_are_warned_of(tmp_path, share, warns):
    few = int(20 * share)
    rounds = [(50.0, 10.0)] * (20 - 2 * few) + [(250.0, 10.0)] * few + [(50.0, 12.0)] * few
    run = run_of(tmp_path, *(line(rounds, n) for n in range(3)), cores(5e-8, 1e-5))
    others = other_rounds(run.cases, states_of(run)[run.cases[0].shape])
    assert (others.moved, others.slowed) == (pytest.approx(share), pytest.approx(share))
    texts = [caution.text for caution in run_warnings(run, summarise(run))]
    assert (
        any("in 20 % of the rounds" in text and "were not 50.0 ns apart" in text for text in texts)
        == warns
    )
    assert any("some rank's core was slower by 4 %" in text for text in texts) == warns


@pytest.mark.parametrize(
    ("other", "unlike"), [((60e-9, 10e-6), False), ((70e-9, 10e-6), True), ((50e-9, 11e-6), True)]
)
def test_runs_of_cores_in_different_states_are_unlike(tmp_path, other, unlike):
    one = run_of(tmp_path, recorded.case(), cores(50e-9, 10e-6))
    two = run_of(tmp_path, recorded.case(), cores(*other))
    assert any("state of the cores" in text for text in differences(one, two)) == unlike
    assert (reason_against(one, two) is not None) == unlike
    assert reason_against(one, one) is None


def test_runs_of_different_distances_are_judged_by_the_one_that_both_have_met(tmp_path):
    far_first, near_first = ([(far, 10), (near, 10)] for far, near in ((250, 50), (255, 51)))
    far = run_of(tmp_path, *(line(far_first, i) for i in range(4)), cores(250e-9, 10e-6))
    near = run_of(
        tmp_path,
        *(line(near_first[1:], i) for i in range(2)),
        *(line(near_first, i) for i in range(2, 5)),
        cores(51e-9, 10e-6),
    )
    for runs in ((far, near), (near, far)):
        assert reason_against(*runs) is None
        (ours,), (theirs,) = summarise_both(*runs)
        # Samples take ten times as long as a cache line: of either run those of the near cores.
        ratio = theirs.headline.value / ours.headline.value
        assert max(ratio, 1 / ratio) == pytest.approx(1.02)
        (text,) = differences(*runs)
        assert "compared by the launches of both with 51.0 ns apart" in text
    fewest = run_of(tmp_path, *(line(far_first, i) for i in range(3)), cores(250e-9, 10e-6))
    assert reason_against(fewest, near) is None
    fewer = run_of(tmp_path, *(line(far_first, i) for i in range(2)), cores(250e-9, 10e-6))
    assert reason_against(fewer, near) is not None
    alone = run_of(tmp_path, *(line(near_first[1:], i) for i in range(5)), cores(51e-9, 10e-6))
    without = run_of(tmp_path, *(line(far_first[:1], i) for i in range(5)), cores(250e-9, 10e-6))
    assert reason_against(alone, without) is not None


def test_a_case_that_lacks_launches_in_the_state_of_the_cores_has_no_verdict(tmp_path):
    both = [(250, 10), (50, 10)]
    state = cores(50e-9, 10e-6)
    whole = run_of(tmp_path, *(line(both, i) for i in range(4)), state)
    lacking = run_of(tmp_path, *(line(both[: 1 + (i > 1)], i) for i in range(4)), state)
    for runs in ((whole, lacking), (lacking, whole)):
        (verdict,) = compare_results(*summarise_both(*runs), 0.05)
        assert verdict.verdict == "unclear"
        assert "too few launches with the cores in this state" in (verdict.reason or "")


def test_the_bounds_of_a_state_belong_to_it():
    state = CoreState(100e-9, 10e-6)
    least, most, work = state.bounds()
    beyond = [np.nextafter(least, 0), np.nextafter(most, 1)]
    assert state.at_distance(np.array([least, most, *beyond])).tolist() == [
        True,
        True,
        False,
        False,
    ]
    assert state.at_speed(np.array([work, np.nextafter(work, 1)])).tolist() == [True, False]


def test_a_busy_machine_is_an_reason_against_verdicts(tmp_path):
    idle = run_of(tmp_path, recorded.case())
    busy = run_of(tmp_path, recorded.case(flags=[2] * 5 + [0] * 5))
    assert reason_against(idle, idle) is None
    assert (reason_against(busy, idle) or "").startswith("in the baseline, the machine was busy")
    assert (reason_against(idle, busy) or "").startswith("in the candidate, the machine was busy")


@pytest.mark.parametrize("name", ["core_latency_seconds", "core_work_seconds"])
def test_each_round_has_its_probes(tmp_path, name):
    damaged = recorded.case(**{name: [1e-7, 1e-7]})
    with pytest.raises(RecordError, match="has 2 values but rounds has 1"):
        run_of(tmp_path, damaged)
