# SPDX-License-Identifier: BSD-3-Clause
"""Study `launch`: how long it takes from starting the launcher until the ranks run.

Timed: from the clock reading just before the launcher is started, on the host where transrank
runs, to the first clock reading of every rank: at its entry to main() (`plain`, a program that
never touches MPI), or after MPI_Init (`init`). A sample is one job; its time is that of the last
rank, and the first rank's is kept beside it, as in the job-start measurements published for Fugaku.

The two readings are taken on different hosts when ranks run elsewhere. Their difference then holds
the offset between the hosts' clocks of day. Under NTP or chrony that is tens of microseconds to a
few milliseconds, little beside a job start of tenths of seconds to seconds; a rank that seems to
run before its launcher was started shows a worse clock, and the launch fails with that message. A
job during which this host's clock was set, seen by its monotonic clock, is started again.

Excluded: the end of the job, and what transrank-run does after its reading.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from transrank.errors import LaunchError, UsageError
from transrank.lab.launch import failure, outputs, process
from transrank.lab.launch.launcher import Launcher
from transrank.lab.store import spread
from transrank.lab.store.records import Shape

NAME = "launch"
SUMMARY = "time from starting the launcher until every rank runs, without and with MPI_Init"
AXIS = "stamp"
MODES = ("plain", "init")
STAMP_OF = {"plain": "entered", "init": "initialised"}
SAMPLES = 5
TIMEOUT_SECONDS = 600.0
WARM_UP = 1
# The two clocks of a host part by this much only where one is set: ntpd slews by 0.5 ms per second.
STEP_SECONDS = 5e-3
ATTEMPTS = 3

Run = Callable[..., process.Outcome]


@dataclass
class Stamps:
    """The seconds from the start of the launcher to each rank, per job: (rank, seconds)."""

    jobs: list[list[tuple[int, float]]] = field(default_factory=list)
    seconds: float = 0.0


def cases(axes: Mapping[str, str]) -> list[str]:
    """Return the case ids that a restriction of the axis leaves; all without one.

    Raises UsageError: a mode that does not exist.
    """
    return [f"{NAME}/{mode}" for mode in modes(axes)]


def modes(axes: Mapping[str, str]) -> list[str]:
    """Return the modes that a restriction of the axis leaves."""
    wanted = [value.strip() for value in axes.get(AXIS, ",".join(MODES)).split(",")]
    for value in wanted:
        if value not in MODES:
            raise UsageError(f"unknown {AXIS} '{value}'; known: {', '.join(MODES)}")
    return [mode for mode in MODES if mode in wanted]


def command(mode: str, launcher: Launcher) -> list[str]:
    """Return what every rank runs."""
    return [str(launcher.runner_path()), "--stamp", mode]


def measure(
    mode: str,
    launch: int,
    shape: Shape,
    launcher: Launcher,
    environment: Mapping[str, str],
    folder: Path,
    samples: int = SAMPLES,
    most_listed: int = spread.MOST_LISTED,
    run: Run = process.run,
) -> dict[str, Any]:
    """Start `samples` jobs, after one that warms up, and return the case line of the record.

    Of more than `most_listed` ranks it has how their times spread. `folder` takes the logs, and the
    ranks' output where the launcher writes files.

    Raises LaunchError: a job fails, or not every rank of it answers.
    """
    stamps = Stamps()
    for job in range(samples + 1):
        before = time.monotonic()
        stamps.jobs.append(
            _start(mode, shape, launcher, environment, folder / f"launch-{launch:03d}-{job}", run)
        )
        stamps.seconds += time.monotonic() - before
    return _case_line(mode, launch, shape, stamps, most_listed)


def _start(
    mode: str,
    shape: Shape,
    launcher: Launcher,
    environment: Mapping[str, str],
    prefix: Path,
    run: Run,
) -> list[tuple[int, float]]:
    for _ in range(ATTEMPTS):
        started, monotonic = time.time(), time.monotonic()
        found, outcome = _start_job(mode, shape, launcher, environment, prefix, run)
        step = (time.time() - started) - (time.monotonic() - monotonic)
        if abs(step) < STEP_SECONDS:
            return _since(started, found, mode, shape, outcome)
    raise LaunchError(
        f"the clock of this host was set by {step:.3f} s while a job started, and before that too",
        "wait until it is right (chrony, ntpd)",
    )


def _start_job(
    mode: str,
    shape: Shape,
    launcher: Launcher,
    environment: Mapping[str, str],
    prefix: Path,
    run: Run,
) -> tuple[list[dict[str, Any]], process.Outcome]:
    """Return the output of the ranks of a job, and how it ended."""
    found: list[dict[str, Any]] = []

    def take(line: str) -> bool:
        stamps = outputs.json_objects(line)
        found.extend(stamps)
        return bool(stamps)

    words = launcher.command(shape, command(mode, launcher), prefix)
    if launcher.writes_files:
        prefix.parent.mkdir(parents=True, exist_ok=True)
    outcome = run(
        words,
        environment=environment,
        timeout_seconds=TIMEOUT_SECONDS,
        take_line=take,
        log=prefix.with_suffix(".log"),
    )
    if launcher.writes_files:
        for line in outputs.lines_of(prefix):
            take(line)
        _remove(prefix)
    if not outcome.ok:
        cause, advice = failure.explain(outcome)
        raise LaunchError(
            f"a job of {shape.ranks} ranks did not start: {cause}{failure.where(outcome)}", advice
        )
    return found, outcome


def _since(
    started: float,
    found: Sequence[Mapping[str, Any]],
    mode: str,
    shape: Shape,
    outcome: process.Outcome,
) -> list[tuple[int, float]]:
    name = STAMP_OF[mode]
    stamps = [
        (stamp.get("rank", -1), stamp[name] - started)
        for stamp in found
        if isinstance(stamp.get(name), float | int)
    ]
    if len(stamps) != shape.ranks:
        raise LaunchError(
            f"only {len(stamps)} of {shape.ranks} ranks reported when they began"
            f"{failure.where(outcome)}",
            "does the launcher pass the ranks' stdout on? Otherwise put {output} into --launcher",
        )
    first = min(seconds for _, seconds in stamps)
    if first < 0:
        raise LaunchError(
            f"a rank seems to run {-first:.3f} s before its launcher was started",
            "the clocks of the hosts differ: synchronise them (chrony, ntpd)",
        )
    return sorted(stamps)


def _case_line(
    mode: str, launch: int, shape: Shape, stamps: Stamps, most_listed: int
) -> dict[str, Any]:
    # A program without MPI may not know its rank: its times are then in the order of their size.
    times = np.array([[seconds for _, seconds in job] for job in stamps.jobs])
    counted = times[1:]
    return {
        "kind": "case",
        "study": NAME,
        "case": f"{NAME}/{mode}",
        "axes": {AXIS: mode},
        "launch": launch,
        "shape": {"ranks": shape.ranks, "ranks_per_node": shape.ranks_per_node},
        "status": "ok",
        "stop": "one-shot",
        "timing": "one-shot",
        "clocks": "all",
        "batch": 1,
        "bytes_counted": 0,
        "measuring_seconds": stamps.seconds,
        "samples": {
            "seconds": times.max(axis=1).tolist(),
            "fastest": times.min(axis=1).tolist(),
            "flags": [WARM_UP] + [0] * (len(times) - 1),
            "rounds": [len(times)],
        },
        **spread.members(
            {
                "median": np.median(counted, axis=0),
                "minimum": counted.min(axis=0),
                "mean": counted.mean(axis=0),
            },
            most_listed,
        ),
    }


def _remove(prefix: Path) -> None:
    for path in prefix.parent.glob(f"{prefix.name}*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path.suffix != ".log":
            path.unlink(missing_ok=True)
