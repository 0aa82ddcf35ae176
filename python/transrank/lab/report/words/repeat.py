# SPDX-License-Identifier: BSD-3-Clause
"""The commands that repeat the run and this page."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from transrank.lab.launch.launcher import MPICH_YIELDS, OPENMPI_AS_ROOT, THREAD_VARIABLES
from transrank.lab.machine.environment import portable
from transrank.lab.report.measured import Measured
from transrank.lab.report.words.method import Part
from transrank.lab.store.records import Run
from transrank.lab.store.repetition import BY_HAND, prepared, repeated
from transrank.lab.store.runs import name_of

# The variables that transrank sets for the launches that need them.
OWN_SETTINGS = {**dict.fromkeys(THREAD_VARIABLES, "1"), **MPICH_YIELDS, **OPENMPI_AS_ROOT}


def describe_repetition(runs: Sequence[Measured]) -> list[Part]:
    """Per run the command that measures it again and its launches by hand; then the page's own."""
    parts = [
        part for run in runs for part in _of_run(run.run, heading=run.name if len(runs) > 1 else "")
    ]
    page = shlex.join(["transrank", "report", *(name_of(run.run.path) for run in runs)])
    return [*parts, Part("", ("This page:",), (page,))]


def _of_run(run: Run, heading: str) -> Iterator[Part]:
    if run.header.imported:
        text = "These numbers were not measured by transrank; they were stored by:"
        yield Part(heading, (text,), (shlex.join(run.header.command),))
        return
    again = shlex.join(repeated(run.header.command, run.header.seed))
    text = "The same cases in the same order, on a machine of the same kind:"
    yield Part(heading, (text,), (*_exports(run), again))
    lines = _by_hand(run)
    if lines:
        text = (
            "The same without transrank as a driver: the first line writes the record file "
            f"`{BY_HAND}` in the current folder, and each of the others is a launch "
            "that adds to it."
        )
        yield Part("", (text,), lines, folded="Every launch as a command line")


def _exports(run: Run) -> tuple[str, ...]:
    """The environment variables that affect MPI, except those that transrank sets."""
    return tuple(
        f"export {name}={shlex.quote(value)}"
        for name, value in portable(run.header.environment).items()
        if OWN_SETTINGS.get(name) != value
    )


def _by_hand(run: Run) -> tuple[str, ...]:
    """The command line of every launch in the plan; empty for records without these."""
    header = run.header
    lines = [line for planned in header.plan for line in planned.lines]
    if not lines or header.options is None:
        return ()
    options = header.options
    first = prepared(
        header.command,
        header.seed,
        options.launches,
        options.max_time_seconds,
        options.memory_bytes,
    )
    return (shlex.join(first), *lines)
