# SPDX-License-Identifier: BSD-3-Clause
"""Short surveys by the transrank command, for the programs of this folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from transrank.stats.core_state import core_states
from transrank.stats.cores import core_latency
from transrank.stats.summary import CaseResult, summarise
from transrank.store.records import Case, Run, read_run


def measure(store: Path, label: str, arguments: Sequence[str]) -> list[CaseResult]:
    """Run `transrank measure` with `arguments`, keep its record in `store` and summarise it."""
    return summarise(run(store, label, arguments))


def run(store: Path, label: str, arguments: Sequence[str]) -> Run:
    """Run `transrank measure` with `arguments`, keep its record in `store` and read it."""
    command = [sys.executable, "-m", "transrank.cli", "measure", *arguments]
    subprocess.run(
        [*command, "-qq", "--label", label, "--store", str(store)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    newest = max(store.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    return read_run(newest)


def core_latency_now(store: Path) -> float:
    """Return the seconds that a cache line takes just now between the cores of two ranks.

    Raises
    ------
    RuntimeError
        it cannot be measured here: the ranks share no node, or have no core each.
    """
    options = ["pingpong", "--sizes=0", "--ranks=2", "--launches=1", "--count=1"]
    found = core_latency(run(store, "cores", options).cases)
    if found is None:
        raise RuntimeError("two ranks need a core each, on one node")
    return found.median


# Surveys whose cores were farther apart than by this factor measured different machines.
SAME_DISTANCE = 1.3
# What the sweeps of spread.py and disturbed.py consist of.
POINT_TO_POINT = ["pingpong", "sendrecv"]
COLLECTIVES = [
    "collectives",
    "--axis=operation=allreduce,alltoall,bcast,barrier",
    "--axis=form=blocking",
]


def run_operations(store: Path, label: str, options: Sequence[str]) -> list[Run]:
    """Measure the operations whose repeatability is judged."""
    return [
        run(store, f"{label}-point-to-point", [*POINT_TO_POINT, *options]),
        run(store, f"{label}-collectives", [*COLLECTIVES, *options]),
    ]


def results_of(runs: Sequence[Run]) -> list[CaseResult]:
    """Return what was measured; a collective of 0 bytes, which returns at once, is left out."""
    return [result for run in runs for result in summarise(run) if _moves_something(result)]


def _moves_something(result: CaseResult) -> bool:
    nothing = "operation" in result.axes and result.axes.get("bytes") == 0
    return result.headline is not None and not nothing


def operation_of(case: CaseResult | Case) -> str:
    """Name what is swept over sizes: the study, and the operation where the study has several."""
    operation = case.axes.get("operation")
    return str(operation) if operation is not None else case.study


@dataclass(frozen=True)
class Survey:
    """What one survey found, and by operation the state of the cores, where it was measured.

    `core_seconds` is what a cache line took between them, `work_seconds` what a fixed piece of work
    took on the slower one when nobody disturbed it.
    """

    results: Sequence[CaseResult]
    core_seconds: Mapping[str, float]
    work_seconds: Mapping[str, float]


def read_survey(runs: Sequence[Run]) -> Survey:
    """Summarise the runs of one survey."""
    distance: dict[str, float] = {}
    work: dict[str, float] = {}
    for run in runs:
        operations = set(map(operation_of, run.cases))
        for state in core_states(run.cases).values():
            if state.latency is not None:
                distance |= dict.fromkeys(operations, state.latency.usual.median)
            if state.speed is not None:
                work |= dict.fromkeys(operations, state.speed.fast)
    return Survey(results_of(runs), distance, work)


def alike(surveys: Sequence[Survey], operation: str) -> list[Survey]:
    """Return the most surveys whose values of `operation` are of one distance, nearest first."""
    return max(groups_alike(surveys, operation), key=len)


def groups_alike(surveys: Sequence[Survey], operation: str) -> list[list[Survey]]:
    """Return sets of surveys whose values of `operation` are of one distance between the cores.

    All in one set where some survey did not measure it.
    """
    if not all(operation in survey.core_seconds for survey in surveys):
        return [list(surveys)]
    return [
        [
            survey
            for survey in surveys
            if 1 <= survey.core_seconds[operation] / nearest < SAME_DISTANCE
        ]
        for nearest in sorted({survey.core_seconds[operation] for survey in surveys})
    ]
