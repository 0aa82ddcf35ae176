# SPDX-License-Identifier: BSD-3-Clause
"""`transrank measure` as a user types it, and what its record says."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support import commands
from support.bounded import Finished
from transrank.lab.store.records import Run, read_run


def measure(line: str, *more: str | Path, store: Path, **options: object) -> Finished:
    return commands.transrank(f"measure {line}", *more, store=store, **options)  # type: ignore[arg-type]


def only_run(store: Path) -> Run:
    (path,) = store.glob("*.jsonl")
    return read_run(path)


def happened(run: Run) -> list[str]:
    """The events but for what was found out of the cores."""
    return [event.event for event in run.events if event.event != "cores"]


def planned(run: Run) -> set[tuple[int, str]]:
    return {(one.launch, case) for one in run.plan for case in one.cases}


def paste(text: str, folder: Path) -> None:
    """Run every line in a shell, as if it were pasted there."""
    for line in text.splitlines():
        subprocess.run(
            ["bash", "-c", line], check=True, cwd=folder, timeout=60, capture_output=True
        )
