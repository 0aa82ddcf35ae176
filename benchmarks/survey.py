# SPDX-License-Identifier: BSD-3-Clause
"""Short surveys by the transrank command, for the programs of this folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from transrank.lab.stats.cores import commonest_state
from transrank.lab.stats.summary import CaseResult, summarise
from transrank.lab.store.records import Run, read_run


def measure(store: Path, label: str, arguments: Sequence[str]) -> list[CaseResult]:
    """Run `transrank measure` with `arguments`, keep its record in `store` and summarise it."""
    return summarise(run(store, label, arguments))


def run(store: Path, label: str, arguments: Sequence[str]) -> Run:
    """Run `transrank measure` with `arguments`, keep its record in `store` and read it."""
    command = [sys.executable, "-m", "transrank.lab.cli", "measure", *arguments]
    subprocess.run(
        [*command, "-qq", "--label", label, "--store", str(store)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    newest = max(store.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    return read_run(newest)


# Surveys whose cores were farther apart than by this factor measured different machines.
SAME_DISTANCE = 1.3
# What the sweeps of spread.py and disturbed.py consist of, and how.
OPERATIONS = [
    *("pingpong", "sendrecv", "collectives"),
    "--axis=operation=allreduce,alltoall,bcast,barrier",
    "--axis=form=blocking",
    "--ranks=2",
]


@dataclass(frozen=True)
class Survey:
    """What one survey found, and the state of the cores, where it was measured.

    `core_seconds` is what a cache line took between them, `work_seconds` what a fixed piece of work
    took on the slower one when nobody disturbed it. A collective of 0 bytes, which returns at once,
    is not among the `results`.
    """

    results: Sequence[CaseResult]
    core_seconds: float | None
    work_seconds: float | None

    def of(self, operation: str) -> list[CaseResult]:
        """Return the results of an operation."""
        return [result for result in self.results if operation_of(result) == operation]


def run_survey(store: Path, label: str, options: Sequence[str]) -> Survey:
    """Measure the operations whose repeatability is judged."""
    found = run(store, label, [*OPERATIONS, *options])
    state = commonest_state(found.cases)
    return Survey(
        [result for result in summarise(found) if _moves_something(result)],
        state.latency_seconds,
        state.work_seconds,
    )


def _moves_something(result: CaseResult) -> bool:
    nothing = "operation" in result.axes and result.axes.get("bytes") == 0
    return result.headline is not None and not nothing


def operation_of(case: CaseResult) -> str:
    """Name what is swept over sizes: the study, and the operation where the study has several."""
    operation = case.axes.get("operation")
    return str(operation) if operation is not None else case.study


def alike(surveys: Sequence[Survey]) -> list[Survey]:
    """Return the most surveys whose values are of one distance, nearest first."""
    return max(groups_alike(surveys), key=len)


def groups_alike(surveys: Sequence[Survey]) -> list[list[Survey]]:
    """Return sets of surveys whose values are of one distance between the cores.

    All in one set where some survey did not measure it.
    """
    known = [(survey, survey.core_seconds) for survey in surveys if survey.core_seconds is not None]
    if len(known) < len(surveys):
        return [list(surveys)]
    return [
        [survey for survey, seconds in known if 1 <= seconds / nearest < SAME_DISTANCE]
        for nearest in sorted({seconds for _, seconds in known})
    ]
