# SPDX-License-Identifier: BSD-3-Clause
"""transrank-run under the real mpiexec, started by hand."""

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
import runner_page

from support import processes, recorded
from support.bounded import end_tree, run_bounded
from transrank import installation
from transrank.lab.store.records import read_run

RUNNER = "transrank-run"
# Never precise: measured until the time is spent.
ENDLESS = ("--precision", "0.000001", "--sizes", "8")


def test_ranks_without_work_outlast_the_watchdog(mpiexec, tmp_path):
    finished = mpiexec.run(
        *(3, installation.runner(), "--study", "pingpong", *ENDLESS, "--max-time", "4.5"),
        *("--watchdog", "2", "--record", tmp_path / "run.jsonl"),
    ).check()
    assert "no progress" not in finished.stderr


def test_the_watchdog_ends_the_ranks_that_wait_for_a_stopped_one(mpiexec, tmp_path):
    runner = shlex.join(
        [
            *(str(installation.runner()), "--study", "pingpong", *ENDLESS, "--max-time", "600"),
            *("--watchdog", "1", "--record", str(tmp_path / "run.jsonl")),
        ]
    )
    # Each rank notes its own status. Launchers make of statuses what they like, and MPICH's misses
    # one of some hundred ends of a rank while another is stopped.
    noting = f'{runner}; status=$?; echo $status >"{tmp_path}/status.$$"; exit $status'
    errors = tmp_path / "errors.txt"

    def ended() -> bool:
        said = re.search(
            r"transrank-run: rank [01] on \S+ made no progress for 1 s, at: pingpong/8B; "
            "a rank or link may be gone",
            errors.read_text(),
        )
        return said is not None and "3\n" in [
            path.read_text() for path in tmp_path.glob("status.*")
        ]

    with (
        errors.open("w") as stderr,
        subprocess.Popen(
            [str(mpiexec.path), "-n", "2", "sh", "-c", noting],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            start_new_session=True,
        ) as job,
    ):
        ranks: list[int] = []
        try:
            assert job.stdout.readline().startswith("progress pingpong")
            ranks += processes.wait_for(job.pid, RUNNER, 2)
            processes.kill(ranks[-1], signal.SIGSTOP)
            deadline = time.monotonic() + 30
            while not ended() and time.monotonic() < deadline:
                time.sleep(0.05)
            with contextlib.suppress(subprocess.TimeoutExpired):
                job.wait(5)
        finally:
            end_tree(job)
            for rank in ranks:  # a stopped one may have lost its parents
                with contextlib.suppress(ProcessLookupError):
                    processes.kill(rank)
    assert ended(), errors.read_text()
    assert job.returncode != 0


def test_a_file_that_may_not_grow_is_named_and_left_as_it_was(mpiexec, tmp_path):
    record = tmp_path / "run.jsonl"
    most = 2**30
    record.touch()
    os.truncate(record, most - 100)  # a launch line is longer than what is left
    finished = mpiexec.run(
        *(2, "prlimit", f"--fsize={most}", installation.runner(), "--study", "pingpong"),
        *("--sizes", "8", "--count", "1", "--record", record),
    )
    assert finished.status != 0
    assert f"cannot write record file {record}: File too large" in finished.stderr
    assert record.stat().st_size == most - 100


def test_the_cause_of_an_abort_always_reaches_the_user(mpiexec, tmp_path):
    # MPICH's launcher drops what it has not read when a rank aborts: one message in ten was lost.
    record = tmp_path / "missing" / "run.jsonl"
    for _ in range(25):
        finished = mpiexec.run(2, installation.runner(), "--study", "pingpong", "--record", record)
        assert finished.status != 0
        assert f"cannot open record file {record}: No such file" in finished.stderr


def test_the_page_of_the_runner_has_the_table_of_its_help():
    page = runner_page.PAGE.read_text("utf-8")
    assert page == runner_page.written(page), "python tools/runner_page.py writes it"


def test_ranks_without_a_part_have_null_for_their_times(mpiexec, tmp_path):
    record = recorded.write(tmp_path / "run.jsonl", [recorded.header()])
    mpiexec.run(
        *(3, installation.runner(), "--study", "message-rate", "--sizes", "8"),
        *("--count", "2", "--record-samples", "ranks", "--record", record),
    ).check()
    run = read_run(record)
    assert run.problems == ()
    (case,) = run.cases
    assert (case.samples.fastest > 1e-9).all()
    assert case.ranks.mean_of_all is not None
    for seconds in (case.ranks.median, case.ranks.minimum, case.ranks.mean, case.ranks.mean_of_all):
        assert np.isnan(seconds).tolist() == [False, False, True]
    assert [bool(np.isnan(one).any()) for one in case.ranks.all] == [False, False, True]


def test_a_launch_names_the_sizes_from_which_on_the_mpi_sends_another_way(mpiexec, monkeypatch):
    if installation.build().mpi != "mpich":
        pytest.skip("the name of a limit of MPICH")
    name = "MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD"
    monkeypatch.setenv(name, "12345")
    answer = mpiexec.run(1, installation.runner(), "--probe").check()
    limits = json.loads(answer.stdout)["mpi"]["limits"]
    assert limits[name] == 12345
    assert all(size > 1 for size in limits.values())


def test_a_launch_ends_with_the_accuracy_of_its_clocks(mpiexec, tmp_path):
    record = recorded.write(tmp_path / "run.jsonl", [recorded.header()])
    mpiexec.run(
        *(2, installation.runner(), "--study", "pingpong,memory-copy", "--sizes", "4KiB"),
        *("--count", "2", "--sync", "clock", "--launch", "4", "--record", record),
    ).check()
    assert json.loads(record.read_text().splitlines()[-1])["event"] == "clocks-checked"
    run = read_run(record)
    assert run.problems == ()
    (event,) = run.events
    assert event.launch == 4
    assert event.accuracy_seconds == 0  # ranks of one node share a clock
    assert all(case.samples.late_seconds is not None for case in run.cases if case.samples)


NOT_LISTS = {
    "a pipe": (os.mkfifo, "it is not a regular file"),
    "a device": (lambda path: path.symlink_to("/dev/zero"), "it is not a regular file"),
    "a folder": (Path.mkdir, "it is not a regular file"),
    "nothing": (lambda path: None, "it is not a regular file"),
    "an empty file": (Path.touch, "it has no case id"),
    "another case": (lambda path: path.write_text("pingpong/8B\npingpong/9B"), "no selected case"),
    "a long file": (
        lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_RDWR), 1 << 40),
        "it is too long",
    ),
}


@pytest.mark.parametrize("what", NOT_LISTS)
def test_what_is_no_list_of_cases_is_refused_at_once(what, tmp_path):
    make, words = NOT_LISTS[what]
    make(tmp_path / "only")
    selected = ["--study", "pingpong", "--sizes", "8", "--only", tmp_path / "only"]
    record = ["--record", tmp_path / "run.jsonl"]
    for how in (["--list-cases"], record):
        finished = run_bounded(
            [installation.runner(), *selected, *how], timeout=20, env=dict(os.environ)
        )
        assert finished.status == 2, finished.describe()
        assert f"--only {tmp_path / 'only'}: {words}" in finished.stderr
        assert len(finished.stderr.splitlines()) == 1
    assert not (tmp_path / "run.jsonl").exists()
