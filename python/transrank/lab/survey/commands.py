# SPDX-License-Identifier: BSD-3-Clause
"""The command lines of planned launches, for programs and for people who paste them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from transrank.lab.launch.launcher import Launcher
from transrank.lab.store.records import PlannedLaunch
from transrank.lab.store.repetition import BY_HAND
from transrank.lab.study import launch as launch_study
from transrank.lab.survey import estimate


def runner_argv(planned: PlannedLaunch, record: Path, launcher: Launcher) -> list[str]:
    """Return the command line of transrank-run for a planned launch."""
    return [
        str(launcher.runner_path()),
        *planned.arguments,
        *("--record", str(record)),
        *("--launch", str(planned.launch)),
        *("--ranks-per-node", str(planned.shape.ranks_per_node)),
    ]


def shell_line(command: Sequence[str], added: Mapping[str, str]) -> str:
    """Return a command line that a shell takes, environment settings included."""
    settings = [f"{name}={value}" for name, value in added.items()]
    return shlex.join(["env", *settings, *command] if settings else list(command))


def by_hand(
    planned: PlannedLaunch, launcher: Launcher, user: Mapping[str, str], cases: Sequence[str] = ()
) -> list[str]:
    """Return the lines that make a launch by hand, into the record file `BY_HAND`.

    `user` is the environment in which they are pasted. With `cases` only these are measured: a
    line before writes them to a file. The launch study starts one job per sample, and one that
    warms up; its jobs record nothing.
    """
    added = launcher.environment(planned.shape, user)
    if estimate.is_launch_study(planned):
        modes = [case.rpartition("/")[2] for case in cases or planned.cases]
        argvs = [launch_study.command(mode, launcher) for mode in modes]
        jobs = estimate.samples_of(planned) + launch_study.WARM_UP
        return [
            shell_line(launcher.command(planned.shape, argv), added)
            for argv in argvs
            for _ in range(jobs)
        ]
    argv = runner_argv(planned, Path(BY_HAND), launcher)
    cases = cases or (planned.cases if planned.part else ())
    if not cases:
        return [shell_line(launcher.command(planned.shape, argv), added)]
    only = f"{Path(BY_HAND).stem}-{planned.launch:03d}.cases"
    return [
        f"printf '%s\\n' {shlex.join(cases)} > {only}",
        shell_line(launcher.command(planned.shape, [*argv, "--only", only]), added),
    ]


def with_lines(
    plan: Sequence[PlannedLaunch], launcher: Launcher, user: Mapping[str, str]
) -> tuple[PlannedLaunch, ...]:
    """Let every launch of a plan say how it is made by hand."""
    return tuple(
        replace(planned, lines=tuple(by_hand(planned, launcher, user))) for planned in plan
    )
