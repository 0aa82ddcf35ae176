# SPDX-License-Identifier: BSD-3-Clause
"""What the driver makes of launches that go wrong in ways that a real runner does on no demand."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support import recorded
from transrank import installation
from transrank.errors import Failure, LaunchError
from transrank.lab.launch.launcher import Capacity
from transrank.lab.launch.template import Template
from transrank.lab.stats.summary import run_warnings, summarise
from transrank.lab.store import records
from transrank.lab.store.records import PlannedLaunch, Shape, finished_cases, read_run
from transrank.lab.survey.driver import Driver
from transrank.lab.survey.estimate import Costs
from transrank.lab.survey.further import Further
from transrank.lab.survey.lines import planned_line
from transrank.lab.survey.progress import Finished, Progress

CASES = ("pingpong/8B", "pingpong/64B")
PLAN = tuple(
    PlannedLaunch(number, Shape(2), CASES, ("--study", "pingpong", "--sizes", "8,64"))
    for number in range(2)
)
SH = Template(Capacity(1, 2), "mpich", "sh", ("sh",), "sh")


class Watched(Progress):
    """Remembers what it was told."""

    def __init__(self, total: int) -> None:
        super().__init__(total)
        self.shown: list[str] = []
        self.left: list[float] = []

    def show(self, case: Finished) -> None:
        self.shown.append(f"{case.launch} {case.case} {case.status}")

    def advances(self, seconds_left: float) -> None:
        self.left.append(seconds_left)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A record file that has its header."""
    path = tmp_path / "20261120-123456-ab12.jsonl"
    path.write_text(json.dumps(recorded.header()) + "\n")
    return path


def pretend(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str) -> None:
    """Let the runner be a shell script: `$record`, `$launch` and `$only` are set."""
    program = folder / "transrank-run"
    program.write_text(
        "#!/bin/sh\nonly=\n"
        'while [ $# -gt 0 ]; do case "$1" in --record) record=$2;; --launch) launch=$2;;'
        " --only) only=$2;; esac; shift; done\n" + script
    )
    program.chmod(0o755)
    monkeypatch.setattr(installation, "runner", lambda: program)


def line(size: int, **changes: Any) -> str:
    """A shell command that appends a case line of this launch."""
    text = json.dumps(recorded.case(size, **changes)).replace(
        '"launch": 0', "\"launch\": '$launch'"
    )
    return f"echo '{text}' >>$record\n"


def failed(size: int) -> str:
    return line(size, status="failed", reason="wrong byte 7", samples=None, ranks=None)


def drive(record: Path, **settings: Any) -> tuple[Driver, Watched]:
    driver = Driver(record, PLAN, SH, Costs(0.1, 0.1), resume_command="RESUME", **settings)
    watched: list[Watched] = []

    def show(total: int) -> Watched:
        watched.append(Watched(total))
        return watched[0]

    driver.run(show)
    return driver, watched[0]


def test_finished_cases_and_progress_are_passed_on(monkeypatch, record):
    script = "echo progress pingpong 0 2 1 12.5\n" + line(8) + line(64) + "echo noise\n"
    pretend(monkeypatch, record.parent, script)
    said: list[str] = []
    _, watched = drive(record, say=said.append)
    assert watched.total == watched.done == 4
    assert watched.shown[0] == "0 pingpong/8B ok"
    assert watched.left[0] > 12.5
    assert said == ["noise", "noise"]
    assert [event.event for event in read_run(record).events] == ["finished"]


def test_a_wrong_payload_fails_its_case_but_not_the_launches_after_it(monkeypatch, record):
    pretend(monkeypatch, record.parent, line(8) + failed(64) + "exit 3\n")
    with pytest.raises(LaunchError) as raised:
        drive(record)
    assert raised.value.status == 3
    assert "2 cases failed, pingpong/64B first: wrong byte 7" in raised.value.message
    assert "2 finished cases are kept" in raised.value.message
    assert "RESUME" in raised.value.hint
    run = read_run(record)
    assert finished_cases(run) == {(0, "pingpong/8B"), (1, "pingpong/8B")}
    assert [event.event for event in run.events] == ["launch-failed"]


def test_a_runner_that_forgets_cases_is_not_believed(monkeypatch, record):
    pretend(monkeypatch, record.parent, line(8))
    with pytest.raises(LaunchError, match="with 1 of its 2 cases unfinished: sh ended as if all"):
        drive(record)
    assert finished_cases(read_run(record)) == {(0, "pingpong/8B")}


def test_a_line_cut_by_the_end_of_the_runner_is_repaired(monkeypatch, record):
    cut = 'printf \'{"kind": "case", "study\' >>$record\n'
    words = "echo 'transrank-run: MPI_Send failed on rank 1: broken' >&2\nexit 3\n"
    pretend(monkeypatch, record.parent, line(8) + cut + words)
    with pytest.raises(LaunchError, match="MPI_Send failed on rank 1: broken; its output: "):
        drive(record)
    run = read_run(record)
    assert run.problems == ()
    assert finished_cases(run) == {(0, "pingpong/8B")}
    assert [event.event for event in run.events] == ["repaired", "launch-failed"]
    (log,) = record.with_suffix(".logs").iterdir()
    assert "MPI_Send failed" in log.read_text()


def test_only_what_is_missing_is_asked_for(monkeypatch, record):
    asked = record.parent / "asked"
    script = f'echo "$launch $(cat $only /dev/null | tr "\\n" " ")" >>{asked}\n' + line(64)
    pretend(monkeypatch, record.parent, script + '[ -n "$only" ] || ' + line(8))
    _, watched = drive(record, finished={(0, "pingpong/8B")})
    assert asked.read_text().splitlines() == ["0 pingpong/64B ", "1 "]
    assert watched.total == 3
    assert not record.with_suffix(".logs").exists()


def test_a_launch_without_end_is_ended(monkeypatch, record):
    pretend(monkeypatch, record.parent, line(8) + "exec sleep 600\n")
    monkeypatch.setattr(Driver, "_patience", lambda self, planned: 0.5)
    with pytest.raises(LaunchError, match=r"it was ended after \d+ s without an end in sight"):
        drive(record)
    assert finished_cases(read_run(record)) == {(0, "pingpong/8B")}


def test_a_record_file_that_vanishes_ends_the_run_in_words(monkeypatch, record):
    pretend(monkeypatch, record.parent, line(8) + line(64))
    monkeypatch.setattr(
        "transrank.lab.store.records.append_line",
        lambda path, _: (_ for _ in ()).throw(OSError(28, "No space left on device", str(path))),
    )
    with pytest.raises(
        Failure,
        match=f"the disk is full: .*{record.name}: No space left on device; 4 finished cases",
    ):
        drive(record)


def test_a_list_of_cases_that_does_not_fit_the_disk_ends_the_run_in_words(monkeypatch, record):
    open_any = Path.open

    def full(path: Path, mode: str = "r", **more: Any) -> Any:
        if mode == "x":
            raise OSError(28, "No space left on device")  # a write knows no file name
        return open_any(path, mode, **more)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(LaunchError, match=r"\.logs: No space left on device; 1 finished case is"):
        drive(record, finished={(0, "pingpong/8B")})


def test_links_in_the_folder_of_the_logs_are_not_written_through(monkeypatch, record):
    victim = record.parent / "victim"
    victim.write_text("precious")
    folder = record.with_suffix(".logs")
    folder.mkdir()
    for name in ("launch-000.log", "launch-000.cases"):
        (folder / name).symlink_to(victim)
    pretend(monkeypatch, record.parent, "echo words >&2\n" + line(64))
    with pytest.raises(LaunchError, match="launch 1"):  # the first one does all that matters
        drive(record, finished={(0, "pingpong/8B")})
    assert victim.read_text() == "precious"


@pytest.mark.parametrize(
    ("says", "told"),
    [
        ("", "launch 0 (2 ranks) has not begun to measure within 1 s; 0 finished cases are kept"),
        (
            line(8) + line(64),
            "launch 0 (2 ranks) has not ended after its last case within 1 s; 2 finished cases",
        ),
    ],
)
def test_a_launch_that_does_not_begin_or_end_is_ended(monkeypatch, record, says, told):
    pretend(monkeypatch, record.parent, says + "exec sleep 600\n")
    monkeypatch.setattr(Driver, "_idle_patience", lambda self, planned: 0.5)
    with pytest.raises(LaunchError) as failed:
        drive(record)
    assert told in str(failed.value)


def test_launches_beyond_three_are_left_out_when_the_time_is_spent(monkeypatch, record):
    pretend(monkeypatch, record.parent, line(8) + line(64))
    header = recorded.header()
    plan = tuple(replace(PLAN[0], launch=number) for number in range(8))
    options = replace(read_run(record).header.options, launches=8, run_seconds=0.0)
    record.write_text(json.dumps(header) + "\n")
    for planned in plan:
        records.append_line(record, planned_line(planned))
    watched = Watched(0)

    def show(total: int) -> Watched:
        watched.total = total
        return watched

    driver = Driver(record, plan, SH, Costs(0.1, 0.1), further=Further(plan, options))
    driver.run(show)
    run = read_run(record)
    assert {case.launch for case in run.cases} == {0, 1, 2}
    assert watched.total == watched.done == 6
    assert [event.event for event in run.events][-2:] == ["time-spent", "finished"]
    assert records.lacking(run) == []
    assert not any("missing" in caution.text for caution in run_warnings(run, summarise(run)))
