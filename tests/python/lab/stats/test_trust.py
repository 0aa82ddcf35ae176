# SPDX-License-Identifier: BSD-3-Clause
"""The grade of a run: from what its intervals are like, and from what disturbed it."""

from dataclasses import replace

import pytest

from support import recorded
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.summary import CaseResult
from transrank.lab.stats.trust import NOT_USABLE, USABLE, WITH_CARE, trust_in, without_noise
from transrank.lab.store.records import Run, Shape, read_run


def result(width: float | None, name: str = "pingpong/8B") -> CaseResult:
    """A case with an interval as wide as that, half on either side; None: it has none."""
    ends = () if width is None else (1 - width / 2, 1 + width / 2)
    return CaseResult("pingpong", name, {}, Shape(2), "ok", headline=Estimate(1.0, *ends))


SKIPPED = CaseResult("pingpong", "pingpong/1GiB", {}, Shape(2), "skipped", "too little memory")
FAILED = replace(SKIPPED, status="failed", reason="killed")


@pytest.fixture
def calm(tmp_path) -> Run:
    return read_run(recorded.write(tmp_path / "run.jsonl", [recorded.header()]))


@pytest.mark.parametrize(
    ("results", "grade", "why"),
    [
        ([result(0.04)] * 8 + [result(0.5)] * 2, USABLE, "20 % of the intervals"),
        ([result(0.04)] * 7 + [result(0.5)] * 3, WITH_CARE, "30 % of the intervals"),
        ([result(0.07)] * 10, WITH_CARE, "half of the intervals are wider than 7"),
        ([result(0.04)] * 4 + [result(None)] * 6, WITH_CARE, "6 of 10 values have no interval"),
        ([result(0.04)] * 4 + [result(1.9)] * 6, NOT_USABLE, "6 of 10 cases have no value"),
        ([result(0.04)] * 4 + [FAILED] * 6, NOT_USABLE, "6 of 10 cases have no value"),
        ([result(0.04)] * 4 + [SKIPPED] * 6, USABLE, "0 % of the intervals"),
        ([], NOT_USABLE, "0 of 0 cases"),
    ],
)
def test_a_run_is_graded_by_its_intervals(calm, results, grade, why):
    found = trust_in(calm, results)
    assert found.grade == grade
    assert why in found.why


def test_a_busy_machine_makes_any_intervals_unusable(tmp_path):
    busy = recorded.case(flags=[2] * 5 + [0] * 5)
    run = read_run(recorded.write(tmp_path / "run.jsonl", [recorded.header(), busy]))
    grade, why = trust_in(run, [result(0.01)] * 10)
    assert grade == NOT_USABLE
    assert why.startswith("the machine was busy")


def test_values_whose_interval_is_wider_than_a_factor_of_two_are_none():
    narrow, noise, single = result(0.66), result(0.68), result(None)
    assert without_noise([narrow, single, SKIPPED]) == [narrow, single, SKIPPED]
    (found,) = without_noise([noise])
    assert (found.status, found.headline, found.rate) == ("not measured", None, None)
    assert "factor of 2" in (found.reason or "")
