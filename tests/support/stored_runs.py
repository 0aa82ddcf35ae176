# SPDX-License-Identifier: BSD-3-Clause
"""A store with small runs, and the command line run against it within this process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support import recorded
from support.bounded import Finished
from support.commands import transrank

CALM = [1.00, 1.01, 0.99, 1.00, 1.02, 0.98, 1.00, 1.01, 1.00, 0.99]


@dataclass
class Store:
    """A folder of runs."""

    path: Path

    def keep(self, run: str, *lines: recorded.Line, **changes: Any) -> Path:
        header = recorded.header(run=run, created=f"2026-11-{run[6:8]}T00:00:00Z", **changes)
        return recorded.write(self.path / f"{run}.jsonl", [header, *lines])

    def beside(self, name: str) -> Path:
        """A file that stands beside the folder."""
        return self.path.with_name(name)

    def run(self, line: str, *more: str | Path, env: Mapping[str, str] | None = None) -> Finished:
        return transrank(line, *more, store=self.path, env=env, cwd=Path())


def pingpong(
    size: int, microseconds: float, launches: int = 3, **changes: Any
) -> list[recorded.Line]:
    """One case in several launches that differ by two thousandths."""
    return [
        recorded.case(
            size,
            launch=launch,
            seconds=[1e-6 * microseconds * (1 + 0.002 * launch) * value for value in CALM],
            **changes,
        )
        for launch in range(launches)
    ]
