# SPDX-License-Identifier: BSD-3-Clause
"""Records of before an axis was renamed are read as of today; runs are repeated by their words."""

from pathlib import Path

import pytest

from support import recorded
from transrank.lab.stats.compare import compare_results
from transrank.lab.stats.summary import summarise
from transrank.lab.store import renamed
from transrank.lab.store.records import Run, read_run
from transrank.lab.store.repetition import prepared, repeated
from transrank.lab.study import catalogue

CASES = {
    "locality": ("locality/latency/own/500", {"kernel": "latency", "order": 500}, "own"),
    "alltoall-algorithms": ("alltoall-algorithms/mpi/private/8B", {"bytes": 8}, "private"),
    "plan-scaling": ("plan-scaling/2/regular/one/2048", {"blocks": "regular"}, 2048),
}
RENAMED = [(study, *names) for study, each in renamed.RENAMED.items() for names in each.items()]


def read(path: Path, study: str, axis: str, command: tuple[str, ...] = ()) -> Run:
    case, others, value = CASES[study]
    axes = {**others, axis: value}
    planned = {
        "launch": 0,
        "shape": recorded.SHAPE,
        "cases": [case],
        "arguments": ["--study", study, "--axis", f"{axis}={value}", "--seed", "1"],
        "lines": [f"mpiexec -n 2 transrank-run --study {study} --axis {axis}={value} --seed 1"],
    }
    header = recorded.header(plan=[planned], command=["transrank", "measure", *command])
    lines = [recorded.case(study=study, case=case, axes=axes, launch=each) for each in range(3)]
    path.write_text(recorded.text([header, *lines]))
    return read_run(path)


@pytest.mark.parametrize(("study", "old", "new"), RENAMED)
def test_a_record_of_before_is_read_as_one_of_today(study, old, new, tmp_path):
    before = read(tmp_path / "before.jsonl", study, old)
    today = read(tmp_path / "today.jsonl", study, new)
    assert [case.axes for case in before.cases] == [case.axes for case in today.cases]
    (verdict,) = compare_results(summarise(before), summarise(today), 0.05)
    assert verdict.verdict == "same"
    axes = catalogue.find(study).axes
    assert new in axes
    assert old not in axes


@pytest.mark.parametrize(("study", "old", "new"), RENAMED)
def test_the_plan_of_a_record_of_before_can_be_measured_and_pasted(study, old, new, tmp_path):
    value = CASES[study][2]
    command = (study, "--axis", f"{old}={value}", f"--axis={old}={value}", f"--label={old}={value}")
    run = read(tmp_path / "before.jsonl", study, old, command)
    (planned,) = run.header.plan
    assert planned.arguments[3] == f"{new}={value}"
    assert f" --axis {new}={value} --seed" in planned.lines[0]
    assert run.header.command[3:] == (
        *("--axis", f"{new}={value}", f"--axis={new}={value}"),
        f"--label={old}={value}",
    )


def test_the_same_word_of_another_study_keeps_its_name():
    assert renamed.axes("pingpong", {"memory": "own"}) == {"memory": "own"}
    words = ("--study", "pingpong", "--axis", "memory=own")
    assert renamed.arguments(words) == words


@pytest.mark.parametrize(
    "output", [["-o", "mine"], ["-omine"], ["--output", "mine"], ["--output=mine"], []]
)
def test_the_record_file_of_the_run_is_not_named_again(output):
    command = ["transrank", "measure", *output, "pingpong", "--sizes", "8"]
    assert repeated(command, 7) == [
        *("transrank", "measure", "pingpong", "--sizes", "8", "--seed", "7")
    ]


@pytest.mark.parametrize("seed", [["--seed", "3"], ["--seed=3"]])
def test_a_seed_that_was_given_stays(seed):
    assert repeated(["transrank", "survey", *seed], 3) == ["transrank", "survey", *seed]


def test_a_run_is_repeated_and_prepared_with_what_was_found_out_for_it():
    command = ["transrank", "measure", "--dry-run", "--", "pingpong"]
    assert repeated(command, 1) == ["transrank", "measure", "--seed", "1", "--", "pingpong"]
    assert prepared(["transrank", "survey", "--quick"], 5, 4, 0.123456, 1 << 20) == [
        *("transrank", "survey", "--quick", "--seed", "5", "--max-time", "0.123456s"),
        *("--launches", "4"),
        *("--memory", "1048576", "--prepare", "--output", "by-hand.jsonl"),
    ]
