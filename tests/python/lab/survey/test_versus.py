# SPDX-License-Identifier: BSD-3-Clause
"""Two variants in turns: by which order, until when, and what is left when one of them fails."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support import recorded
from transrank.errors import LaunchError
from transrank.lab.launch.launcher import Capacity
from transrank.lab.launch.template import Template
from transrank.lab.store.records import PlannedLaunch, Shape, finished_cases, read_run
from transrank.lab.store.settings import Settings
from transrank.lab.survey.driver import Driver
from transrank.lab.survey.estimate import Costs
from transrank.lab.survey.further import Further
from transrank.lab.survey.progress import Progress
from transrank.lab.survey.versus import PairDriver, taking_turns

NAME = "pingpong/8B"
OPTIONS = Settings(launches=3, most_launches=8)
PLAN = tuple(
    PlannedLaunch(i, Shape(2), (NAME,), ("--study", "pingpong", "--seed", str(i))) for i in range(3)
)
# Writes a case line that takes $microseconds, and notes who was launched. Launch 3 is a wide one.
RUNNER = """#!/bin/sh
while [ $# -gt 0 ]; do case "$1" in --record) record=$2;; --launch) launch=$2;; esac; shift; done
echo $name$launch >>$(dirname $record)/order
[ "$fails" = $name$launch ] && exit 1
"""


def line() -> str:
    values = ", ".join(["7e-17"] * 20)
    text = json.dumps(recorded.case(8, seconds=[7e-17] * 20, core_latency_seconds=[5e-8]))
    assert values in text
    text = text.replace('"launch": 0', "\"launch\": '$launch'")
    return f"echo '{text}' | sed s/7e-17/$(eval echo $microseconds)e-6/g >>$record\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    program = tmp_path / "transrank-run"
    program.write_text(RUNNER + line())
    program.chmod(0o755)
    for name in "ab":
        recorded.write(tmp_path / f"run-{name}.jsonl", [recorded.header(run=f"run-{name}")])
    return tmp_path


def driver(folder: Path, name: str, microseconds: str, **changes: Any) -> Driver:
    """What drives one variant; `microseconds` may tell of ${launch}."""
    sh = Template(
        Capacity(1, 2),
        "mpich",
        "sh",
        ("sh",),
        "sh",
        added={"name": name, "microseconds": microseconds, "fails": changes.pop("fails", "")},
        runner=folder / "transrank-run",
    )
    further = Further(PLAN, OPTIONS)
    further.take(read_run(folder / f"run-{name}.jsonl").cases)
    return Driver(
        folder / f"run-{name}.jsonl", PLAN, sh, Costs(0.1, 0.1), further=further, **changes
    )


def drive(a: Driver, b: Driver) -> tuple[PairDriver, Progress]:
    shown: list[Progress] = []

    def show(total: int) -> Progress:
        shown.append(Progress(total))
        return shown[0]

    both = taking_turns(a, b)
    both.run(show)
    return both, shown[0]


def order(folder: Path) -> list[str]:
    return (folder / "order").read_text().split()


def events(folder: Path, name: str) -> list[str]:
    return [event.event for event in read_run(folder / f"run-{name}.jsonl").events]


def test_launches_take_turns_and_each_variant_has_its_record(folder):
    _, progress = drive(driver(folder, "a", "1"), driver(folder, "b", "1.1"))
    assert order(folder) == ["a0", "b0", "b1", "a1", "a2", "b2"]
    assert progress.done == progress.total == 6
    for name, seconds in (("a", 1e-6), ("b", 1.1e-6)):
        run = read_run(folder / f"run-{name}.jsonl")
        assert finished_cases(run) == {(i, NAME) for i in range(3)}
        assert {case.samples.seconds[0] for case in run.cases if case.samples} == {seconds}
        assert events(folder, name) == ["cores", "finished"]


def test_what_pairs_share_asks_for_no_further_launch(folder):
    drive(driver(folder, "a", "1${launch}"), driver(folder, "b", "1${launch}"))
    assert len(order(folder)) == 6


def test_pairs_go_on_until_the_ratio_is_narrow_or_their_number_is_spent(folder):
    _, progress = drive(driver(folder, "a", "1${launch}"), driver(folder, "b", "12"))
    assert order(folder)[6:] == ["b3", "a3", "a4", "b4", "b5", "a5", "a6", "b6", "b7", "a7"]
    assert progress.done == progress.total == 16
    for name in "ab":
        run = read_run(folder / f"run-{name}.jsonl")
        assert finished_cases(run) == {(one.launch, NAME) for one in run.plan} | {
            (i, NAME) for i in range(3)
        }
        assert [one.launch for one in run.plan] == [3, 4, 5, 6, 7]


def test_a_failure_names_the_variant_and_both_records_are_closed(folder):
    with pytest.raises(LaunchError) as raised:
        drive(driver(folder, "a", "1"), driver(folder, "b", "1", fails="b1"))
    assert raised.value.message.startswith("variant B: launch 1 (2 ranks) failed")
    assert "1 finished case is kept" in raised.value.message
    assert order(folder) == ["a0", "b0", "b1"]
    assert [events(folder, name)[-1] for name in "ab"] == ["launch-failed", "launch-failed"]


def test_a_run_that_goes_on_launches_only_what_either_variant_lacks(folder):
    with pytest.raises(LaunchError):
        drive(driver(folder, "a", "1"), driver(folder, "b", "1", fails="b2"))
    (folder / "order").unlink()
    done = [finished_cases(read_run(folder / f"run-{name}.jsonl")) for name in "ab"]
    again = [
        driver(folder, name, "1", finished=each) for name, each in zip("ab", done, strict=True)
    ]
    _, progress = drive(*again)
    assert order(folder) == ["b2"]
    assert progress.done == progress.total
    assert finished_cases(read_run(folder / "run-b.jsonl")) == {(i, NAME) for i in range(3)}


def test_both_are_judged_by_one_state_of_the_cores(folder):
    both, _ = drive(driver(folder, "a", "1"), driver(folder, "b", "1"))
    assert both.further.states == both.other.further.states != {}
    named = [
        [replace(event, time="") for event in read_run(path).events if event.event == "cores"]
        for path in (folder / "run-a.jsonl", folder / "run-b.jsonl")
    ]
    assert named[0] == named[1]
