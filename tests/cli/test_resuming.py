# SPDX-License-Identifier: BSD-3-Clause
"""Runs that are killed, interrupted or out of disk keep what was finished, and are resumed."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from support import commands, processes
from support.bounded import Finished
from support.commands import happened, measure, only_run, paste, planned
from transrank import installation
from transrank.lab.launch import left_overs
from transrank.lab.store.records import finished_cases, read_run

SIZES = "8,64,1KiB,8KiB"
RUNNER = "transrank-run"
# Long enough to be struck in its middle: no case becomes so precise.
SLOW = ("--precision", "0.001%", "--max-time", "300ms", "--launches", "3", "--seed", "5")

Strike = Callable[[int], None]


def struck_in_the_middle(store: Path, strike: Strike, *arguments: str | Path) -> Finished:
    """Measure, strike after the first finished case, and wait for the end."""
    with commands.start(
        f"measure pingpong --sizes {SIZES}", *SLOW, *arguments, store=store
    ) as running:
        words: list[str] = []
        for line in running.stderr:
            words.append(line)
            if re.match(r"\[ *1/", line):
                strike(running.pid)
                break
        words += running.stderr.readlines()
        running.wait(60)
    return Finished(["measure"], running.returncode, "", "".join(words))


def segments_below(pid: int) -> list[Path]:
    """The files of shared memory that the ranks below `pid` map, once there are any."""
    found: list[Path] = []
    deadline = time.monotonic() + 20
    while not found and installation.mpi_kind() == "mpich" and time.monotonic() < deadline:
        mapped = left_overs.mapped(processes.below(pid))
        found = [one.path for one in left_overs.segments() if one.identity in mapped]
    assert found or installation.mpi_kind() != "mpich"
    return found


def kill_a_rank(pid: int) -> None:
    processes.kill(processes.wait_for(pid, RUNNER, 2)[-1])


def kill_the_launcher(pid: int) -> None:
    """Kill mpiexec: the only child of transrank."""
    processes.wait_for(pid, RUNNER)
    processes.kill(processes.children(pid)[0])


@pytest.mark.parametrize(
    ("strike", "cause"),
    [(kill_a_rank, "killed by signal 9, SIGKILL"), (kill_the_launcher, "signal 9, SIGKILL")],
)
def test_a_killed_rank_or_launcher_costs_no_finished_case(strike, cause, tmp_path):
    def watched(pid: int) -> None:
        descendants.extend(processes.below(pid))
        strike(pid)

    descendants: list[int] = []
    finished = struck_in_the_middle(tmp_path, watched)
    assert finished.status == 3, finished.describe()
    assert cause in finished.stderr
    assert processes.wait_until_gone(descendants) == []
    run = only_run(tmp_path)
    kept = finished_cases(run)
    assert 1 <= len(kept) < len(planned(run))
    assert f"{len(kept)} finished case" in finished.stderr
    assert happened(run) == ["launch-failed"]
    assert f"transrank measure --resume {run.header.run}" in finished.stderr

    resumed = measure("--resume latest", store=tmp_path).check()
    run = only_run(tmp_path)
    assert finished_cases(run) == planned(run)
    assert run.problems == ()
    assert happened(run) == ["launch-failed", "resumed", "finished"]
    missing = len(planned(run)) - len(kept)
    assert f"[{missing}/{missing}]" in resumed.stderr

    nothing = measure("--resume latest", store=tmp_path).check()
    assert "is complete" in nothing.stderr


def test_a_rank_that_is_stopped_costs_no_finished_case(tmp_path):
    descendants: list[int] = []

    def stop_a_rank(pid: int) -> None:
        ranks = processes.wait_for(pid, RUNNER, 2)
        descendants.extend(processes.below(pid))
        processes.kill(ranks[-1], signal.SIGSTOP)

    finished = struck_in_the_middle(tmp_path, stop_a_rank, "--watchdog", "2s")
    assert finished.status == 3, finished.describe()
    # By the watchdog, or before it watches: while MPI starts.
    assert re.search("made no progress for 2 s|has not (begun|ended)", finished.stderr)
    assert processes.wait_until_gone(descendants) == []
    kept = finished_cases(only_run(tmp_path))
    assert len(kept) >= 1
    assert f"{len(kept)} finished case" in finished.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_its_cases_and_leaves_no_process(number, tmp_path):
    descendants: list[int] = []
    segments: list[Path] = []

    def interrupt(pid: int) -> None:
        if number == signal.SIGINT:  # nobody else may finish the run meanwhile
            second = measure("--resume latest", store=tmp_path)
            assert second.status == 2
            assert "another transrank is measuring this run" in second.stderr
        descendants.extend(processes.below(pid))
        segments.extend(segments_below(pid))
        os.kill(pid, number)

    finished = struck_in_the_middle(tmp_path, interrupt)
    assert finished.status == 130, finished.describe()
    run = only_run(tmp_path)
    assert 1 <= len(finished_cases(run)) < len(planned(run))
    assert happened(run) == ["interrupted"]
    assert f"hint: finish it with: transrank measure --resume {run.header.run}" in finished.stderr
    assert processes.wait_until_gone(descendants) == []
    assert [path for path in segments if path.exists()] == []


@pytest.fixture
def limited_shell(tmp_path: Path) -> Callable[[str, Path], subprocess.CompletedProcess[str]]:
    """Runs a shell script in which `disk` is a file system of 64 MiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    enter = (
        ["unshare", "--map-root-user", "--mount"] if os.geteuid() != 0 else ["unshare", "--mount"]
    )
    mount = f"mount -t tmpfs -o size=64m tmpfs {disk}"
    if (
        shutil.which("unshare") is None
        or subprocess.run([*enter, "sh", "-c", mount], capture_output=True, check=False).returncode
    ):
        pytest.skip("no file system may be mounted here")

    def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*enter, "bash", "-c", f"{mount}; {script}"],
            cwd=folder,
            env={**os.environ, **commands.environment(tmp_path / "store")},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )

    return run


def test_a_full_disk_costs_no_finished_case(limited_shell, tmp_path):
    transrank = " ".join(commands.COMMAND)
    measuring = shlex.join(["measure", "pingpong", "--sizes", SIZES, *SLOW, "-o", "disk/x.jsonl"])
    finished = limited_shell(
        f"{transrank} {measuring} >/dev/null & measuring=$!;"
        "while kill -0 $measuring 2>/dev/null &&"
        ' ! grep -q \'"kind":"case"\' disk/x.jsonl 2>/dev/null; do sleep 0.05; done;'
        "cat /dev/zero >disk/filler 2>/dev/null;"
        "wait $measuring; echo status $?; cp disk/x.jsonl full.jsonl; rm disk/filler;"
        f"{transrank} measure --resume disk/x.jsonl >/dev/null; echo status $?;"
        "cp disk/x.jsonl resumed.jsonl",
        tmp_path,
    )
    assert finished.stdout == "status 3\nstatus 0\n", finished.stderr
    assert "the disk is full" in finished.stderr
    full, resumed = read_run(tmp_path / "full.jsonl"), read_run(tmp_path / "resumed.jsonl")
    kept = finished_cases(full)
    assert 1 <= len(kept) < len(planned(full))
    assert f"{len(kept)} finished case" in finished.stderr
    assert finished_cases(resumed) == planned(full)


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two launches of two cases."""
    path = tmp_path_factory.mktemp("complete") / "run.jsonl"
    arguments = ("pingpong", "--sizes", "8,64", "--count", "2", "--launches", "2")
    measure(*arguments, "-o", path, store=path.parent).check()
    return path


@pytest.fixture
def path(complete: Path, tmp_path: Path) -> Path:
    """A copy of that run in a store of its own."""
    return shutil.copy(complete, tmp_path / complete.name)


def test_a_cut_last_line_is_repaired_by_resuming(path):
    lines = path.read_bytes().splitlines(keepends=True)
    cases = [place for place, line in enumerate(lines) if b'"kind":"case"' in line]
    path.write_bytes(b"".join(lines[: cases[1]]) + lines[cases[1]][:100])
    finished = measure("--resume latest", store=path.parent).check()
    assert "removed line" in finished.stderr
    run = read_run(path)
    assert finished_cases(run) == planned(run)
    assert happened(run)[:2] == ["repaired", "resumed"]


def test_the_dry_run_of_a_resumption_lists_only_what_is_missing(path):
    folder = path.parent / "folder"
    folder.mkdir()
    lines = path.read_text().splitlines(keepends=True)
    kept = [line for line in lines if '"kind":"case"' not in line or '"launch":1' in line]
    path.write_text("".join(kept) + next(line for line in lines if '"kind":"case"' in line))
    before = read_run(path)
    (missing,) = planned(before) - finished_cases(before)
    dry = measure("--resume latest --dry-run", store=path.parent).check()
    assert len(dry.stdout.splitlines()) == 3
    assert missing[1] in dry.stdout.splitlines()[1]
    paste(dry.stdout, folder)
    assert finished_cases(read_run(folder / "by-hand.jsonl")) == planned(before)
    assert read_run(folder / "by-hand.jsonl").problems == ()
    assert finished_cases(read_run(path)) == finished_cases(before)


@pytest.mark.parametrize(
    "given",
    [
        *("-n 2", "--sizes 8", "--axis window=1", "--precision 1%", "--max-time 1s"),
        *("--launches 2", "--seed 0", "--label x", "-o x.jsonl", "--cache warm", "--prepare"),
    ],
)
def test_what_the_plan_has_settled_is_refused_when_a_run_is_resumed(given, tmp_path):
    measure(f"--resume latest {given}", store=tmp_path).fails(
        2, f"--resume does not take {given.split()[0]}: the run has its own plan"
    )


def test_another_machine_or_mpi_is_refused_unless_forced(path):
    header, *rest = path.read_text().splitlines(keepends=True)
    changed = json.loads(header)
    changed["machine"]["cores"] = 4096
    changed["mpi"]["library"] = "Some MPI 1.0"
    path.write_text(json.dumps(changed) + "\n" + "".join(rest[:1]))
    measure("--resume latest", store=path.parent).fails(
        2, "cores was 4096", "MPI was Some MPI 1.0", "--force"
    )
    forced = measure("--resume latest --force", store=path.parent).check()
    assert "resumed although" in forced.stderr
    assert finished_cases(read_run(path)) == planned(read_run(path))
