# SPDX-License-Identifier: BSD-3-Clause
"""Continue a run that did not finish: exactly the (launch, case) pairs that it lacks."""

from __future__ import annotations

from pathlib import Path

from transrank.errors import RecordError, UsageError
from transrank.lab.machine.facts import Facts, differences
from transrank.lab.store import records
from transrank.lab.store.records import Run
from transrank.lab.survey.lines import event_line
from transrank.lab.survey.probe import Probe


def open_run(path: Path) -> tuple[Run, str | None]:
    """Repair a record file if need be, and read it; say what was repaired.

    Raises
    ------
    RecordError
        it cannot be read, or has no plan to finish.
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
    return run, repaired


def check_same_machine(run: Run, facts: Facts, probed: Probe, force: bool) -> list[str]:
    """Refuse to mix machines or MPI libraries in one run; with `force`, return what differs.

    Raises
    ------
    UsageError
        something differs and `force` is not given.
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
