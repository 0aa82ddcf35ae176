# SPDX-License-Identifier: BSD-3-Clause
"""Job starts: real ones, and the sums that turn stamps into a case."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from transrank.errors import LaunchError, UsageError
from transrank.lab.launch import launchers
from transrank.lab.launch.launcher import Capacity, Launcher
from transrank.lab.launch.launchers import Hydra
from transrank.lab.launch.process import Outcome
from transrank.lab.launch.template import Template
from transrank.lab.store.lines import line_from_json
from transrank.lab.store.records import Shape
from transrank.lab.study import launch

SHAPE = Shape(2)


def real_launcher(ranks: int) -> Launcher:
    cores = len(os.sched_getaffinity(0))
    return launchers.default_launcher(Capacity(1, max(cores, 1) if ranks <= cores else cores))


@pytest.mark.parametrize("mode", launch.MODES)
@pytest.mark.parametrize("ranks", [1, 3])
def test_a_real_job_start_is_a_valid_case(mode, ranks, tmp_path):
    shape = Shape(ranks)
    launcher = real_launcher(ranks)
    environment = {**os.environ, **launcher.environment(shape, os.environ)}
    before = time.monotonic()
    line = launch.measure(mode, 4, shape, launcher, environment, tmp_path, samples=1)
    took = time.monotonic() - before
    line_from_json(line)
    assert line["case"] == f"launch/{mode}"
    assert line["launch"] == 4
    samples = line["samples"]
    assert samples["flags"] == [1, 0]
    assert all(
        0 < first <= last < took
        for first, last in zip(samples["fastest"], samples["seconds"], strict=True)
    )
    assert len(line["ranks"]["median"]) == ranks


def test_initialising_mpi_takes_longer_than_not_doing_so(tmp_path):
    launcher = real_launcher(2)
    environment = {**os.environ, **launcher.environment(SHAPE, os.environ)}
    plain, init = (
        launch.measure(mode, 0, SHAPE, launcher, environment, tmp_path, samples=3)
        for mode in ("plain", "init")
    )
    assert min(init["ranks"]["minimum"]) > min(plain["ranks"]["minimum"])


Answer = Callable[[int], list[dict[str, Any]]]


def measured(answer: Answer, samples: int = 2, glued: bool = False) -> dict[str, Any]:
    """Measure with jobs that answer what `answer` says for the n-th of them."""
    jobs = iter(range(100))

    def run(command: list[str], *, take_line: Callable[[str], bool], **_: object) -> Outcome:
        lines = [json.dumps(stamp) for stamp in answer(next(jobs))]
        for line in ["".join(lines)] if glued else lines:
            take_line(line)
        return Outcome(tuple(command), 0, 0.1, False, (), None)

    launcher = Hydra(Capacity(1, 2), "mpich", "mpiexec")
    return launch.measure("init", 0, SHAPE, launcher, {}, Path("logs"), samples, run=run)


def stamps(*seconds: float) -> list[dict[str, Any]]:
    now = time.time()
    # The last rank answers first, as may happen.
    return [
        {"entered": now, "initialised": now + late, "rank": rank}
        for rank, late in reversed(list(enumerate(seconds)))
    ]


@pytest.mark.parametrize("glued", [False, True])
def test_a_sample_is_the_last_rank_and_ranks_keep_their_own_times(glued):
    line = measured(lambda job: stamps(1.0 + job, 3.0 + job), glued=glued)
    line_from_json(line)
    assert line["samples"]["seconds"] == pytest.approx([3, 4, 5], abs=0.5)
    assert line["samples"]["fastest"] == pytest.approx([1, 2, 3], abs=0.5)
    assert line["samples"]["flags"] == [1, 0, 0]
    assert line["ranks"]["median"] == pytest.approx([2.5, 4.5], abs=0.5)
    assert line["ranks"]["minimum"] == pytest.approx([2, 4], abs=0.5)


def test_stamps_that_are_missing_or_impossible_fail_the_launch():
    with pytest.raises(LaunchError, match="only 1 of 2 ranks reported when they began"):
        measured(lambda job: stamps(1.0))
    with pytest.raises(LaunchError, match=r"seems to run \d+\.\d+ s before its launcher"):
        measured(lambda job: stamps(-5.0, 1.0))


@pytest.mark.parametrize("seconds", [3600.0, -3600.0])
def test_a_job_during_which_the_clock_was_set_is_started_again(seconds, monkeypatch):
    real = time.time
    steps: list[float] = []
    monkeypatch.setattr(time, "time", lambda: real() + sum(steps))

    def answer(job: int) -> list[dict[str, Any]]:
        if job == 1:
            steps.append(seconds)
        return stamps(1.0, 2.0)

    line = measured(answer)
    assert line["samples"]["seconds"] == pytest.approx([2, 2, 2], abs=0.5)

    def always(_: int) -> list[dict[str, Any]]:
        steps.append(seconds)
        return stamps(1.0, 2.0)

    with pytest.raises(LaunchError, match=f"clock of this host was set by {seconds:.3f} s"):
        measured(always)


def test_stamps_are_read_from_files_where_the_launcher_writes_files(tmp_path):
    """As under Fujitsu's mpiexec -stdout-proc: a folder of files, nothing on stdout."""
    ranks = tmp_path / "ranks.sh"
    ranks.write_text(
        "#!/bin/sh\nout=$1.output.77/0; last=$(($2 - 1)); shift 2; mkdir -p $out\n"
        'for rank in $(seq 0 $last); do "$@" > $out/stdout.1.$rank || exit 1; done\n'
    )
    ranks.chmod(0o755)
    launcher = launchers.choose(f"{ranks} {{output}} {{ranks}}", Capacity(1, 2))
    line = launch.measure("plain", 0, SHAPE, launcher, os.environ, tmp_path / "logs", samples=1)
    line_from_json(line)
    assert len(line["ranks"]["median"]) == 2
    assert list((tmp_path / "logs").iterdir()) == []


def test_a_job_that_does_not_start_names_the_cause_and_an_unknown_mode_the_known(tmp_path):
    launcher = Template(Capacity(1, 2), "mpich", "sh", ("sh", "-c", "echo 'oh dear' >&2; exit 7"))
    with pytest.raises(LaunchError, match="a job of 2 ranks did not start: sh exited with 7"):
        launch.measure("plain", 0, SHAPE, launcher, os.environ, tmp_path / "logs", samples=1)
    (log,) = (tmp_path / "logs").iterdir()
    assert log.read_text() == "oh dear\n"
    assert launch.cases({}) == ["launch/plain", "launch/init"]
    assert launch.cases({"stamp": "init"}) == ["launch/init"]
    with pytest.raises(UsageError, match="unknown stamp 'cold'; known: plain, init"):
        launch.cases({"stamp": "cold"})
