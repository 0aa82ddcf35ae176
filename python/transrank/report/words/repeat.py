# SPDX-License-Identifier: BSD-3-Clause
"""The exact commands that make the run and this page again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from transrank.report.measured import Measured
from transrank.report.words.method import Part


def describe_repetition(runs: Sequence[Measured]) -> list[Part]:
    """Per run the command it was started with, its environment and the runner's own commands."""
    parts = []
    for run in runs:
        heading = run.name if len(runs) > 1 else ""
        parts.append(
            Part(
                heading,
                ("The same cases in the same order, on the same kind of machine:",),
                _command(run),
            )
        )
        launched = tuple(dict.fromkeys(shlex.join(launch.command) for launch in run.run.launches))
        if launched:
            text = "On every rank, under the MPI launcher (`--dry-run` prints whole command lines):"
            parts.append(Part("", (text,), launched))
    ids = shlex.join(["transrank", "report", *(run.run.header.run for run in runs)])
    parts.append(Part("", ("This page:",), (ids,)))
    return parts


def _command(run: Measured) -> tuple[str, ...]:
    header = run.run.header
    settings = [
        f"{name}={shlex.quote(value)}" for name, value in sorted(header.environment.items())
    ]
    exports = tuple(f"export {setting}" for setting in settings)
    seeded = any(word.startswith("--seed") for word in header.command)
    seed = () if seeded or header.seed is None else ("--seed", str(header.seed))
    return (*exports, shlex.join([*header.command, *seed]))
