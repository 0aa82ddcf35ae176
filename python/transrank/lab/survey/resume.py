# SPDX-License-Identifier: BSD-3-Clause
"""Continue a run that did not finish: exactly the (launch, case) pairs that it lacks."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from transrank.errors import RecordError, UsageError
from transrank.lab.launch import launchers
from transrank.lab.machine.facts import Facts, differences
from transrank.lab.store import records
from transrank.lab.store.records import PlannedLaunch, Run
from transrank.lab.store.settings import RUNNER_OPTIONS
from transrank.lab.study import launch as launch_study
from transrank.lab.survey import estimate
from transrank.lab.survey.lines import event_line
from transrank.lab.survey.probe import Probe

# What a plan may ask of transrank-run: no option that names a file, or makes it do something else.
_COUNT, _NUMBER, _WORDS = r"\d{1,19}", r"[\d.]{1,20}(?:e[+-]?\d{1,3})?", r"[^\x00-\x1f]+"
_OF_TYPE = {int: _COUNT, float: _NUMBER, str: r"[\w-]+"}
PLANNED = {
    **dict.fromkeys(("--study", "--sizes", "--axis"), _WORDS),
    **{one.option: _OF_TYPE[one.type] for one in RUNNER_OPTIONS.values()},
}


def open_run(path: Path) -> tuple[Run, str | None]:
    """Repair a record file if need be, and read it; say what was repaired.

    Raises RecordError: it cannot be read, or has no plan to finish, or one that transrank does not
    write.
    """
    repaired = records.repair(path)
    if repaired:
        records.append_line(path, event_line("repaired", repaired))
    run = records.read_run(path)
    if not run.header.plan or run.header.options is None:
        raise RecordError(
            f"{path} has no plan that could be finished",
            "it was imported; measure anew with: transrank survey",
        )
    for planned in run.plan:
        if not _is_ours(planned):
            raise RecordError(
                f"{path}: launch {planned.launch} is not one that transrank plans: "
                f"{' '.join(planned.arguments)[:200]}",
                "the file was changed or damaged; measure anew with: transrank survey",
            )
    return run, repaired


def _is_ours(planned: PlannedLaunch) -> bool:
    words = planned.arguments
    pairs = list(zip(words[::2], words[1::2], strict=False))
    if len(words) % 2 or not all(re.fullmatch(PLANNED.get(o, "$^"), v) for o, v in pairs):
        return False
    if not estimate.is_launch_study(planned):
        return True
    known = launch_study.cases({})
    return "--count" in words[::2] and all(case in known for case in planned.cases)


def launcher_of(run: Run, command: str) -> str | None:
    """Return the launcher of a run where a record may name it: one of this installation.

    Raises UsageError: it is another one, so `command` has to give it again: a file supplies no
    command line.
    """
    assert run.header.options is not None
    named = run.header.options.launcher
    if named is None or launchers.is_ours(named):
        return named
    raise UsageError(
        f"{run.path.stem} was measured with the launcher '{named}', which is not taken from a file",
        f"if it is the right one, give it again: {command} --launcher {shlex.quote(named)}",
    )


def check_same_machine(run: Run, facts: Facts, probed: Probe, force: bool) -> list[str]:
    """Refuse to mix machines or MPI libraries in one run; with `force`, return what differs.

    Raises UsageError: something differs and `force` is not given.
    """
    changed = differences(run.header.machine, facts.as_json())
    if run.header.mpi is not None and run.header.mpi.library != probed.mpi["library"]:
        changed.append(f"MPI was {run.header.mpi.library}, is {probed.mpi['library']}")
    if changed and not force:
        raise UsageError(
            f"{run.path.stem} was measured elsewhere: {'; '.join(changed)}",
            "resume it where it began, or mix both with --force",
        )
    return changed
