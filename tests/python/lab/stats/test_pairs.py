# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of launches are simulated: what both launches of a pair share must not matter."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from support import recorded
from transrank.lab.stats.compare import compare_results, summarise_family
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.launches import combine
from transrank.lab.stats.pairs import are_paired, paired_ratios, summarise_case_pair, summarise_pair
from transrank.lab.stats.result import CaseResult
from transrank.lab.store.lines import DISTURBED, Case, Shape, from_json
from transrank.lab.store.records import read_run

PAIRS = 8


def result(medians: Sequence[float], launches: Sequence[int] | None = None) -> CaseResult:
    """A case with these medians of its launches."""
    found = tuple(Estimate(median, 0.99 * median, 1.01 * median) for median in medians)
    return CaseResult(
        "pingpong",
        "pingpong/8B",
        {"bytes": 8},
        Shape(2),
        status="ok",
        headline=combine(found),
        launches=tuple(launches or range(len(medians))),
        launch_medians=found,
    )


def launch_lines(seconds: Sequence[float], flags: int = 0) -> list[Case]:
    return [
        from_json(Case, recorded.case(launch=i, seconds=[each] * 9, flags=[flags] * 9))
        for i, each in enumerate(seconds)
    ]


def test_a_ratio_is_of_launches_of_one_number_that_both_count():
    ratios = paired_ratios(result([1.0, 2.0, 4.0], [0, 1, 3]), result([3.0, 8.0, 9.0], [1, 3, 5]))
    assert [ratio.value for ratio in ratios] == [1.5, 2.0]
    assert 0.985 < ratios[0].low / ratios[0].value < 0.987  # the root of 1 % squared, twice
    assert len(paired_ratios(result([1.0, 1.0, 0.0]), result([0.0, 1.0, 1.0]))) == 1


def test_drift_that_both_share_does_not_matter():
    drift = np.geomspace(1, 3, PAIRS)
    baseline = result([*drift])
    candidate = result([*(1.1 * drift * np.tile([1.001, 0.999], PAIRS // 2))])
    (apart,) = compare_results([baseline], [candidate], 0.05)
    (paired,) = compare_results([baseline], [candidate], 0.05, paired=True)
    assert (apart.verdict, paired.verdict) == ("unclear", "slower")
    assert paired.ratio.value == pytest.approx(1.1, rel=2e-3)
    visible = summarise_family([paired], 0.05).visible
    assert 0.05 < visible < 0.07


def test_few_pairs_have_no_verdict_and_samples_are_chosen_as_the_worse_side_needs():
    (found,) = compare_results([result([1.0, 1.0])], [result([2.0, 2.0])], 0.05, paired=True)
    assert found.verdict == "unclear"
    assert found.ratio == Estimate(2.0)
    assert found.reason == "fewer than 3 pairs of launches give no interval"
    quiet, disturbed = launch_lines([1e-6] * 4), launch_lines([2e-6] * 4, DISTURBED)
    baseline, candidate = summarise_case_pair(quiet, disturbed, None)
    assert (baseline.basis, candidate.basis) == ("all", "all")
    for launches in (4, 3):
        baseline, _ = summarise_case_pair(quiet[:launches], quiet, None)
        assert baseline.basis == "clean"
    ours = launch_lines([1e-6] * 3) + [
        from_json(Case, recorded.case(launch=i, seconds=[1e-6] * 9, flags=[DISTURBED] * 9))
        for i in (3, 4, 5)
    ]
    theirs = [
        from_json(Case, recorded.case(launch=i, seconds=[1e-6] * 9, flags=[flags] * 9))
        for i, flags in enumerate([DISTURBED] * 3 + [0] * 3)
    ]
    assert len(paired_ratios(*summarise_case_pair(ours, theirs, None))) == 6


@pytest.mark.parametrize("shared", [0.0, 0.5])
def test_intervals_of_equal_variants_cover_one_whatever_pairs_share(shared):
    random = np.random.default_rng(5)
    covered, wrong = [], []
    for _ in range(600):
        hours = random.normal(0, shared, PAIRS)
        ours, theirs = (result([*np.exp(hours + random.normal(0, 0.02, PAIRS))]) for _ in range(2))
        (verdict,) = compare_results([ours], [theirs], 0.05, paired=True)
        covered.append(verdict.ratio.low <= 1 <= verdict.ratio.high)
        wrong.append(verdict.verdict in ("slower", "faster"))
    assert np.mean(covered) > 0.93
    assert np.mean(wrong) < 0.01


def test_runs_are_paired_where_each_names_the_other(tmp_path):
    def kept(run: str, variant: str, other: str) -> Path:
        versus = {"variant": variant, "other": other, "settings": []}
        lines = [recorded.header(run=run, versus=versus)]
        lines += [
            recorded.case(launch=i, seconds=[1e-6] * 9, flags=[DISTURBED * (variant == "b")] * 9)
            for i in range(4)
        ]
        return recorded.write(tmp_path / f"{run}.jsonl", lines)

    a, b, c = (
        read_run(kept(*each))
        for each in (("r-a", "a", "r-b"), ("r-b", "b", "r-a"), ("c", "a", "x"))
    )
    plain = read_run(recorded.write(tmp_path / "plain.jsonl", [recorded.header(run="plain")]))
    assert are_paired(a, b)
    assert are_paired(b, a)
    assert not any(are_paired(*each) for each in ((a, a), (a, c), (a, plain), (plain, plain)))
    assert [found.basis for side in summarise_pair(a, b) for found in side] == ["all", "all"]
