# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support import recorded
from transrank.lab.stats.summary import CaseResult, run_warnings, summarise
from transrank.lab.store.records import Run, read_run

CALM = [1.00e-6, 1.01e-6, 0.99e-6, 1.00e-6, 1.02e-6, 0.98e-6, 1.00e-6, 1.01e-6] * 3


@pytest.fixture
def run_of(tmp_path: Path) -> Callable[..., Run]:
    """The run of a record with these lines below its header, of which some fields are changed."""

    def read(*lines: recorded.Line, **header: Any) -> Run:
        return read_run(recorded.write(tmp_path / "run.jsonl", [recorded.header(**header), *lines]))

    return read


def told(run: Run) -> list[str]:
    """What is warned of."""
    return [caution.text for caution in run_warnings(run, summarise(run))]


def only(run: Run) -> CaseResult:
    (result,) = summarise(run)
    return result


# Of a header: what other programs have measured names a file, and no conditions.
IMPORTED = {
    name: recorded.imported_header().get(name)
    for name in {*recorded.header(), *recorded.imported_header()}
}


def scaled(factor: float) -> list[float]:
    return [factor * value for value in CALM]


def test_three_launches_become_one_result(run_of):
    lines = [
        recorded.case(1024, launch=i, seconds=scaled(f)) for i, f in enumerate((1, 1.02, 0.99))
    ]
    result = only(run_of(*lines))
    assert result.status == "wide"
    # Of the six means of pairs those in the middle are 1 alone, and of 0.99 with 1.02.
    assert result.median.value == pytest.approx(1e-6 * (0.99 * 1.02) ** 0.25)
    assert result.median.low < 0.99e-6
    assert result.median.high > 1.02e-6
    assert result.launches == (0, 1, 2)
    assert [round(each.value * 1e9) for each in result.launch_medians] == [1000, 1020, 990]
    assert result.minimum == pytest.approx(0.99 * 0.98e-6)
    assert result.samples == 3 * len(CALM)
    assert result.kept == 1.0
    assert result.rate == pytest.approx(1024 / result.median.value)
    assert result.bytes == 1024
    assert result.verified == 3 * 4096
    assert result.imbalance == pytest.approx(0.1)
    assert result.first_rank == pytest.approx(0.9 * result.median.value)


def test_of_copies_of_memory_the_median_counts(run_of):
    lines = [
        recorded.case(launch=i, memory_copy_seconds=[factor * copy for copy in (9e-4, 4e-4, 5e-4)])
        for i, factor in enumerate((1.0, 1.2, 1.1))
    ]
    assert only(run_of(*lines)).memory_copy == pytest.approx(5.5e-4)
    for copies in (None, []):
        case = recorded.case(memory_copy_seconds=copies)
        assert only(run_of(case)).memory_copy is None


def test_an_interval_just_as_wide_as_requested_is_not_too_wide(run_of):
    lines = [recorded.case(launch=i, seconds=scaled(f)) for i, f in enumerate((1, 1.02, 0.99))]
    headline = only(run_of(*lines)).headline
    assert headline.relative_width is not None
    for precision, status in (
        (headline.relative_width, "ok"),
        (float(np.nextafter(headline.relative_width, 0)), "wide"),
    ):
        options = recorded.header()["options"] | {"precision": precision}
        assert only(run_of(*lines, options=options)).status == status


def test_samples_that_a_coarse_clock_sees_as_nothing_have_no_imbalance(run_of):
    line = recorded.case(seconds=[0.0] * 3 + [1e-6] * 9)
    assert only(run_of(line)).imbalance == pytest.approx(0.1)


def test_the_imb_mean_is_over_the_ranks_that_have_a_part_and_whose_clock_counts(run_of):
    ranks = {"median": [1e-6, 1e-6], "minimum": [1e-6, 1e-6], "mean": [3e-6, 1e-6]}
    result = only(run_of(recorded.case(ranks=ranks, clocks="all")))
    assert result.imb_mean == pytest.approx(2e-6)
    assert (result.imb.low, result.imb.high) == (pytest.approx(1e-6), pytest.approx(3e-6))
    root = recorded.case(ranks=ranks, clocks="root")
    assert only(run_of(root)).imb_mean == pytest.approx(3e-6)
    seconds = [3e-6, 1e-6, None]
    ranks = {"median": seconds, "minimum": seconds, "mean": seconds, "mean_of_all": seconds}
    result = only(run_of(recorded.case(ranks=ranks, clocks="all")))
    assert result.imb.mean == pytest.approx(2e-6)
    assert (result.imb.low, result.imb.high) == (pytest.approx(1e-6), pytest.approx(3e-6))


@pytest.mark.parametrize("flags", [[0] * 10, [2] * 5 + [0] * 5, [2] * 10])
def test_the_imb_mean_is_over_all_samples_as_imb_has_no_flags(flags, run_of):
    clean, of_all = [1e-6, 1e-6], [7e-6, 7e-6]
    ranks = {"median": clean, "minimum": clean, "mean": clean, "mean_of_all": of_all}
    line = recorded.case(ranks=ranks, clocks="all", flags=flags)
    result = only(run_of(line))
    assert result.imb_mean == pytest.approx(7e-6)
    assert result.launch_imb == (pytest.approx(7e-6),)


def test_the_tail_is_over_all_samples_after_warm_up(run_of):
    seconds = [1.0] + [1e-6] * 89 + [2e-6] * 9 + [50e-6, 60e-6]
    flags = [1] + [0] * 98 + [2, 2]
    result = only(run_of(recorded.case(seconds=seconds, flags=flags)))
    assert result.tail.mean == pytest.approx(float(np.mean(seconds[1:])))
    assert result.tail.p90 == pytest.approx(2e-6)
    assert result.tail.p99 == pytest.approx(50.1e-6, rel=0.01)


def test_disturbed_samples_are_left_out_or_their_launch_or_nothing_and_that_is_said(run_of):
    seconds = [9e-6, 9e-6, *CALM, 50e-6, 60e-6, 70e-6]
    flags = [1, 1, *[0] * len(CALM), 2, 4, 8]
    result = only(run_of(recorded.case(seconds=seconds, flags=flags)))
    assert result.median.value == pytest.approx(1e-6)
    assert result.samples == len(CALM) + 3
    assert result.kept == pytest.approx(len(CALM) / (len(CALM) + 3))
    assert result.basis == "clean"
    result = only(run_of(recorded.case(flags=[2] * 8 + [0] * 2)))
    assert result.basis == "all"
    assert "too few samples are undisturbed, so all samples count" in result.warnings[0].text
    assert result.warnings[0].hint
    lines = [recorded.case(launch=i, seconds=CALM) for i in range(3)]
    lines.append(recorded.case(launch=3, seconds=scaled(40), flags=[2] * len(CALM)))
    result = only(run_of(*lines))
    assert result.launches == (0, 1, 2)
    assert result.launches_left_out == 1
    assert result.kept == pytest.approx(3 / 4)
    assert "1 of 4 launches are left out" in result.warnings[0].text


@pytest.mark.parametrize(
    ("factors", "options", "status"),
    [
        ((1.0, 1.2, 1.0), {}, "wide"), ((1.0, 1.001, 1.0), {}, "ok"),
        ((1.0, 1.2, 1.0), {"count": 100}, "ok"), ((1.0, 1.0), {}, "wide"),
        ((1.0,), {"count": 100}, "wide"),
    ],
)  # fmt: skip
def test_a_case_is_wide_when_its_printed_interval_is_or_there_is_none(
    run_of, factors, options, status
):
    lines = [recorded.case(launch=i, seconds=[f * 1e-6] * 20) for i, f in enumerate(factors)]
    result = only(run_of(*lines, options=recorded.header()["options"] | options))
    assert result.status == status
    texts = " ".join(caution.text for caution in result.warnings)
    assert ("the 95 % interval spans" in texts) == (status == "wide" and len(factors) > 2)
    assert ("an interval needs 3" in texts) == (len(factors) < 3)


def test_too_few_launches_have_a_range_and_are_told_what_helps(run_of):
    lines = [recorded.case(launch=i, seconds=scaled(1 + i)) for i in range(2)]
    result = only(run_of(*lines))
    assert (result.headline.low, result.headline.high) == (None, None)
    assert result.range == (pytest.approx(1.0e-6, rel=0.02), pytest.approx(2.0e-6, rel=0.02))
    run = run_of(recorded.case(seconds=CALM))
    (caution,) = run_warnings(run, summarise(run))
    assert caution.text == "1 of 1 cases have no interval, which needs 3 launches that count"
    assert caution.hint == "take at least --launches 3"


def test_cases_are_sorted_by_shape_and_size_or_as_planned(run_of):
    four = {"ranks": 4, "ranks_per_node": 2}
    results = summarise(
        run_of(
            recorded.case(64, launch=0),
            recorded.case(8, launch=0),
            recorded.case(64, launch=1),
            recorded.case(64, launch=2, shape=four),
        )
    )
    assert [(result.case, result.shape.ranks) for result in results] == [
        ("pingpong/8B", 2),
        ("pingpong/64B", 2),
        ("pingpong/64B", 4),
    ]
    assert [len(result.launches) for result in results] == [1, 2, 1]
    plan = [planned("auto", "floor", "message")]
    results = summarise(run_of(*ways("message", "auto", "floor"), plan=plan))
    assert [result.case for result in results] == ["ghost/auto", "ghost/floor", "ghost/message"]


def ways(*names: str) -> list[dict[str, object]]:
    return [
        recorded.case(case=f"ghost/{name}", study="ghost", axes={"transport": name})
        for name in names
    ]


def planned(*names: str) -> dict[str, object]:
    return recorded.planned(cases=[f"ghost/{name}" for name in names], kind=None)


def test_what_a_run_lacks_is_said_with_the_reason(run_of):
    plan = [planned("auto", "floor", "message")]
    event = recorded.event("interrupted", message="told to stop")
    run = run_of(*ways("auto"), event, plan=plan)
    (first, *_) = run_warnings(run, summarise(run))
    assert first.text == "2 of 3 planned measurements are missing (told to stop)"
    assert "--resume" in first.hint
    whole = run_of(*ways("auto", "floor", "message"), plan=plan)
    assert not any("missing" in text for text in told(whole))


def test_a_case_that_was_skipped_or_failed_says_why(run_of):
    result = only(run_of(recorded.skipped(reason="needs 3 GiB")))
    assert (result.status, result.reason, result.headline) == ("skipped", "needs 3 GiB", None)
    assert result.rate is None
    failed = recorded.skipped(launch=1, status="failed", reason="wrong byte 7")
    result = only(run_of(recorded.case(launch=0), failed))
    assert result.status == "wide"
    assert result.reason == "failed in 1 of 2 launches: wrong byte 7"
    assert result.launches == (0,)
    result = only(run_of(recorded.skipped(launch=0), failed))
    assert (result.status, result.reason) == ("failed", "wrong byte 7")


def test_an_imported_mean_has_no_interval_but_five_launches_have_one(run_of):
    one = only(run_of(recorded.imported_case(mean=2e-6), **IMPORTED))
    assert one.statistic == "mean"
    assert one.median is None
    assert (one.headline.value, one.headline.low) == (2e-6, None)
    assert one.imb_mean == 2e-6
    lines = [recorded.imported_case(launch=i, mean=2e-6 + i * 1e-8) for i in range(5)]
    five = only(run_of(*lines, **IMPORTED))
    assert five.headline.value == pytest.approx(2.02e-6, rel=1e-4)
    assert five.headline.relative_error == pytest.approx(0.0139, abs=0.001)


def test_launches_in_two_groups_are_told_in_words(run_of):
    lines = [
        recorded.case(launch=i, seconds=scaled(f)) for i, f in enumerate((1, 1.3, 1.01, 1.31, 1.0))
    ]
    run = run_of(*lines)
    result = only(run)
    assert "1.00 µs in 3 and 1.31 µs in 2" in result.warnings[0].text
    texts = [caution.text for caution in run_warnings(run, [result])]
    assert any("in 1 of 1 cases the launches fall into two groups" in text for text in texts)


@pytest.mark.parametrize(("last", "direction"), [(1.3, "slower"), (0.7, "faster")])
def test_drift_is_told_with_its_direction(run_of, last, direction):
    lines = []
    for launch in range(3):
        seconds = np.concatenate(
            [np.array(CALM[:8]) * factor for factor in np.linspace(1, last, 8)]
        )
        lines.append(recorded.case(launch=launch, seconds=seconds.tolist(), rounds=[8] * 8))
    texts = told(run_of(*lines))
    assert any(f"pingpong/1024B becomes {direction} (p = " in text for text in texts)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"binding": ["0", "0"]}, "2 ranks share 1 cores"),
        ({"binding": ["0-1", "0-1"]}, "ranks are not pinned: on node0"),
    ],
)
def test_placement_that_spoils_numbers_is_told(run_of, changes, says):
    placement = recorded.PLACEMENT | changes
    texts = told(run_of(recorded.launch(placement=placement), recorded.case()))
    assert any(says in text for text in texts)


def test_a_busy_machine_is_told_with_the_share_lost(run_of):
    flags = [2] * 6 + [0] * 18
    lines = [recorded.case(launch=i, seconds=CALM, flags=flags) for i in range(3)]
    texts = told(run_of(*lines))
    assert texts == ["the machine was busy: 25 % of the samples were disturbed"]
    lines = [recorded.launch(0), *(recorded.case(launch=i, seconds=CALM) for i in range(3))]
    run = run_of(*lines)
    assert run_warnings(run, summarise(run)) == []


@pytest.mark.parametrize(
    ("waited", "cores", "signs"),
    [
        (0.026, 2, ["ranks waited for their cores during 52 % of the time"]),
        (0.004, 2, []),
        (0.026, 1, []),
    ],
)
def test_ranks_that_waited_for_their_cores_tell_of_a_busy_machine(run_of, waited, cores, signs):
    placement = recorded.PLACEMENT | {"binding": ["0", str(cores - 1)]}
    launches = [recorded.launch(i, placement=placement) for i in range(3)]
    cases = [recorded.case(launch=i, seconds=CALM, waited_seconds=waited) for i in range(3)]
    texts = told(run_of(*launches, *cases))
    assert [text for text in texts if "busy" in text] == [
        f"the machine was busy: {sign}" for sign in signs
    ]


@pytest.mark.parametrize(("left_out", "hint"), [(0, "take at least"), (1, "measure on an idle")])
def test_launches_that_were_made_and_left_out_are_not_asked_for_again(run_of, left_out, hint):
    lines = [recorded.case(launch=launch, seconds=CALM) for launch in range(2)]
    result = only(run_of(*lines))
    result = replace(result, launches_left_out=left_out)
    (caution,) = [
        each for each in run_warnings(run_of(*lines), [result]) if "interval" in each.text
    ]
    assert caution.text == "1 of 1 cases have no interval, which needs 3 launches that count"
    assert caution.hint.startswith(hint)


def test_launches_of_different_libraries_are_told_and_a_damaged_cpu_list_is_not(run_of):
    other = recorded.MPI | {"library": "Open MPI v5.0.11"}
    lines = [recorded.launch(0), recorded.launch(1, mpi=other)]
    cases = [recorded.case(launch=i, seconds=CALM) for i in range(3)]
    run = run_of(*lines, *cases)
    (caution,) = run_warnings(run, summarise(run))
    assert "used 2 MPI libraries: MPICH Version: 5.0.2; Open MPI v5.0.11" in caution.text
    placement = recorded.PLACEMENT | {"binding": ["0-99999999999", "x,²"]}
    run = run_of(recorded.launch(placement=placement), recorded.case())
    assert summarise(run)
    run_warnings(run, summarise(run))
