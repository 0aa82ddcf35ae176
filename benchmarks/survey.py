# SPDX-License-Identifier: BSD-3-Clause
"""Short surveys by the transrank command, for the programs of this folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from transrank.lab.stats.cores import CoreState, commonest_state, states_of
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


# What the sweeps of spread.py and disturbed.py consist of, and how.
OPERATIONS = [
    *("pingpong", "sendrecv", "collectives"),
    "--axis=operation=allreduce,alltoall,bcast,barrier",
    "--axis=form=blocking",
    "--ranks=2",
]


@dataclass(frozen=True)
class Survey:
    """What one survey found, and the state of the cores that its values are of.

    A collective of 0 bytes, which returns at once, is not among the `results`.
    """

    results: Sequence[CaseResult]
    state: CoreState

    def of(self, operation: str) -> list[CaseResult]:
        """Return the results of an operation."""
        return [result for result in self.results if operation_of(result) == operation]


def run_survey(store: Path, label: str, options: Sequence[str]) -> Survey:
    """Measure the operations whose repeatability is judged."""
    found = run(store, label, [*OPERATIONS, *options])
    results = [result for result in summarise(found) if _moves_something(result)]
    return Survey(results, state_of(found))


def state_of(found: Run) -> CoreState:
    """Return the state that the values of a run of one shape are of."""
    (shape,) = {case.shape for case in found.cases}
    return states_of(found).get(shape) or commonest_state(found.cases)


def _moves_something(result: CaseResult) -> bool:
    nothing = "operation" in result.axes and result.axes.get("bytes") == 0
    return result.headline is not None and not nothing


def operation_of(case: CaseResult) -> str:
    """Name what is swept over sizes: the study, and the operation where the study has several."""
    operation = case.axes.get("operation")
    return str(operation) if operation is not None else case.study


def alike(surveys: Sequence[Survey]) -> list[Survey]:
    """Return the most surveys of one state of the cores."""
    return max(groups_alike(surveys), key=len)


def groups_alike(surveys: Sequence[Survey]) -> list[list[Survey]]:
    """Return for each survey those of the same state of the cores."""
    return [[each for each in surveys if each.state.like(one.state)] for one in surveys]
