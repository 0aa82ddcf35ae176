# SPDX-License-Identifier: BSD-3-Clause
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import recorded
from transrank.lab.stats.compare import (
    VERDICTS,
    Verdict,
    compare_results,
    paired_ratio,
    summarise_family,
)
from transrank.lab.stats.conditions import differences
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.summary import CaseResult
from transrank.lab.store.lines import Shape
from transrank.lab.store.records import read_run

TWO = Shape(2)


def result(case: str, launches: list[float], statistic: str = "median") -> CaseResult:
    estimates = tuple(Estimate(v, 0.998 * v, 1.002 * v) for v in launches)
    return CaseResult(
        study="pingpong",
        case=case,
        axes={},
        shape=TWO,
        status="ok",
        headline=Estimate(float(np.median(launches))),
        statistic=statistic,
        launches=tuple(range(len(launches))),
        launch_medians=estimates,
        launch_imb=tuple(2 * value for value in launches),
    )


def judge(baseline: list[float], candidate: list[float], threshold: float = 0.05) -> Verdict:
    (verdict,) = compare_results([result("a", baseline)], [result("a", candidate)], threshold)
    return verdict


def noisy(
    seed: int, spread: float, cases: int, launches: int, slower: float = 1.0
) -> tuple[list[CaseResult], list[CaseResult]]:
    """Two runs of one machine, of which the second took `slower` times as long."""
    noise = np.exp(np.random.default_rng(seed).normal(0, spread, (2, cases, launches)))
    noise[1] *= slower
    one, other = ([result(str(i), row.tolist()) for i, row in enumerate(run)] for run in noise)
    return one, other


CALM = [1.0, 1.004, 0.997]


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [(1.3, "slower"), (0.7, "faster"), (1.0, "same"), (1.02, "same"), (1.05, "unclear")],
)
def test_the_verdict_follows_from_the_interval_and_the_threshold(factor, verdict):
    found = judge(CALM, [factor * value for value in CALM])
    assert found.verdict == verdict
    assert found.ratio.value == pytest.approx(factor)


@pytest.mark.parametrize(
    ("factor", "copies", "paired", "verdict"),
    [
        (1.3, (1.0, 1.04), False, "slower"), (1.3, (1.0, 1.06), False, "unclear"),
        (1.3, (1.06, 1.0), False, "slower"), (0.7, (1.06, 1.0), False, "unclear"),
        (0.7, (1.0, 1.06), False, "faster"), (1.0, (1.0, 1.06), False, "same"),
        (1.3, (None, 1.06), False, "slower"), (1.3, (1.0, 1.06), True, "slower"),
    ],
)  # fmt: skip
def test_a_case_that_changed_as_the_memory_did_has_no_verdict(factor, copies, paired, verdict):
    changed = [factor * value for value in CALM]
    runs = [
        [replace(result("a", values), memory_copy=None if copy is None else copy * 4e-4)]
        for values, copy in zip((CALM, changed), copies, strict=True)
    ]
    (found,) = compare_results(*runs, 0.05, paired=paired)
    assert found.verdict == verdict
    assert found.ratio.value == pytest.approx(factor)
    if verdict == "unclear":
        word = "slower" if factor > 1 else "faster"
        assert found.reason == f"{word}, and so were copies of 4 MiB beside it"


def test_a_slowdown_to_the_bound_of_its_interval_is_chance_one_time_in_forty():
    candidate = [1.2 * value for value in reversed(CALM)]
    bound = judge(CALM, candidate).ratio.low - 1
    assert judge(CALM, candidate, threshold=bound).p_slower == pytest.approx(0.025)


def test_a_wide_interval_is_unclear_and_a_time_of_zero_missing():
    found = judge([1.0, 1.5, 0.8], [1.1, 1.6, 0.9])
    assert found.verdict == "unclear"
    assert judge([0.0, 1.0], [1.0, 1.0]).verdict == "missing"


@given(
    st.lists(st.floats(0.5, 2.0), min_size=1, max_size=6),
    st.lists(st.floats(0.5, 2.0), min_size=1, max_size=6),
)
def test_exchanging_the_runs_exchanges_faster_and_slower(first, second):
    there, back = judge(first, second), judge(second, first)
    mirrored = {"faster": "slower", "slower": "faster"}
    assert back.verdict == mirrored.get(there.verdict, there.verdict)
    assert back.ratio.value == pytest.approx(1 / there.ratio.value)


@given(st.lists(st.floats(0.5, 2.0), min_size=2, max_size=6))
def test_a_run_is_never_slower_than_itself(launches):
    assert judge(launches, launches).verdict in ("same", "unclear")


@pytest.mark.parametrize("few", [[2.0], [2.0, 2.0]])
def test_too_few_launches_on_a_side_are_unclear_and_say_why(few):
    for found in (judge(CALM, few), judge(few, CALM)):
        assert found.verdict == "unclear"
        assert found.ratio.low is None
        assert found.reason == "fewer than 3 launches on a side give no interval"


def test_a_reason_leaves_every_case_unclear_whatever_its_values():
    lonely = result("b", CALM)
    found = compare_results([result("a", CALM), lonely], [result("a", [9.0] * 3)], 0.05, "busy")
    assert [(v.verdict, v.alone, v.reason) for v in found] == [
        ("unclear", "unclear", "busy"),
        ("missing", "missing", "the candidate does not have it"),
    ]


def test_the_smallest_visible_slowdown_is_found_from_there_on_in_half_of_the_cases():
    def found(slowdown: float) -> int:
        runs = noisy(19, 0.02, 400, 8, slower=1 + slowdown)
        return sum(v.alone == "slower" for v in compare_results(*runs, 0.05))

    baseline, _ = noisy(19, 0.02, 400, 8)
    family = summarise_family(compare_results(baseline, baseline, 0.05), 0.05)
    assert found(family.visible) == pytest.approx(200, abs=40)
    assert 0.05 < family.visible < family.visible_alone
    assert found(family.visible_alone) > 300


def test_a_case_that_a_run_lacks_is_missing_with_the_reason():
    skipped = CaseResult("pingpong", "b", {}, TWO, "skipped", "needs 3 GiB")
    found = compare_results([result("a", CALM), skipped], [result("b", CALM)], 0.05)
    assert [(v.case, v.verdict) for v in found] == [("a", "missing"), ("b", "missing")]
    assert found[0].reason == "the candidate does not have it"
    assert found[1].reason == "skipped in the baseline: needs 3 GiB"
    only_new = compare_results([], [result("c", CALM)], 0.05)
    assert [v.verdict for v in only_new] == ["missing"]
    assert compare_results([skipped], [skipped], 0.05) == []
    assert compare_results([skipped], [], 0.05) == []


def test_means_are_compared_with_means():
    (found,) = compare_results([result("a", CALM)], [result("a", [2.0] * 3, "mean")], 0.05)
    assert found.statistic == "mean"
    assert found.baseline.value == pytest.approx(2.0, rel=1e-3)
    assert found.verdict == "same"


def test_a_paired_ratio_cancels_what_both_launches_share():
    assert paired_ratio([1.0, 3.0], [2.0, 6.0]) == Estimate(2.0)
    with pytest.raises(ValueError, match="do not form two or more pairs"):
        paired_ratio([1.0], [2.0])
    random = np.random.default_rng(17)
    hours = np.exp(random.normal(0, 0.3, 8))
    found = paired_ratio(hours, 1.1 * hours * np.exp(random.normal(0, 0.005, 8)))
    assert found.value == pytest.approx(1.1, abs=0.01)
    assert found.relative_width < 0.02


def test_many_comparisons_of_one_machine_with_itself_raise_no_alarm():
    alarms = 0
    for seed in range(12):
        verdicts = compare_results(*noisy(seed, 0.03, 150, 3), 0.05)
        alarms += any(v.verdict in ("slower", "faster") for v in verdicts)
    assert alarms <= 2


def test_an_alarm_that_may_be_chance_says_so():
    baseline, candidate = noisy(11, 0.02, 300, 3)
    lonely = (result("x", [1.0, 1.01, 0.99]), result("x", [1.11, 1.12, 1.13]))
    (alone,) = compare_results([lonely[0]], [lonely[1]], 0.05)
    assert alone.verdict == "slower"
    among = compare_results([*baseline, lonely[0]], [*candidate, lonely[1]], 0.05)[-1]
    assert among.verdict == "unclear"
    assert among.reason == "slower on its own, but could be so by chance among 301 cases"


def test_a_slowdown_of_everything_is_found_among_many_cases():
    family = summarise_family(compare_results(*noisy(13, 0.01, 100, 5, slower=1.2), 0.05), 0.05)
    assert family.counts["slower"] > 95
    assert family.median_ratio == pytest.approx(1.2, abs=0.01)
    assert family.judged + family.counts["unclear"] == 100


def test_every_verdict_is_counted():
    family = summarise_family([], 0.05)
    assert set(family.counts) == set(VERDICTS)
    assert (family.median_ratio, family.visible) == (None, None)


@pytest.mark.parametrize("threshold", [0.0, -0.1, float("inf"), float("nan")])
def test_a_threshold_that_is_none_is_refused(threshold):
    with pytest.raises(ValueError, match="threshold"):
        compare_results([], [], threshold)


@pytest.mark.parametrize("astray", [0.2, 5.0])
def test_one_pair_of_fifteen_that_went_astray_moves_no_paired_ratio(astray):
    seconds = np.full(15, 1e-6)
    ratios = np.exp(np.random.default_rng(3).normal(0, 0.01, 15))
    ratios[4] = astray
    found = paired_ratio(seconds, ratios * seconds)
    assert found.value == pytest.approx(1, abs=0.02)
    assert found.relative_width < 0.06


@pytest.mark.parametrize("pairs", [([1.0], [1.0]), ([1.0, 2.0], [1.0]), ([0.0, 1.0], [1.0, 1.0])])
def test_pairs_that_are_none_are_refused(pairs):
    with pytest.raises(ValueError, match=r"pairs|positive"):
        paired_ratio(*pairs)


def test_unlike_conditions_are_listed(tmp_path):
    other = recorded.header(
        mpi=recorded.MPI | {"library": "Open MPI v5.0.11"},
        options=recorded.header()["options"] | {"cache": "cold"},
        environment={"OMP_NUM_THREADS": "8"},
    )
    here = read_run(recorded.write(tmp_path / "a.jsonl", [recorded.header(), recorded.case()]))
    there = read_run(
        recorded.write(
            tmp_path / "b.jsonl", [other, recorded.case(shape={"ranks": 4, "ranks_per_node": 0})]
        )
    )
    assert differences(here, there) == [
        "shapes: 2 ranks / 4 ranks",
        "MPI: MPICH Version: 5.0.2 / Open MPI v5.0.11",
        "cache: warm / cold",
        "OMP_NUM_THREADS: 1 / 8",
    ]
    assert differences(here, here) == []
