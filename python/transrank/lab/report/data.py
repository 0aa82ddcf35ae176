# SPDX-License-Identifier: BSD-3-Clause
"""The page's numbers as JSON, unrounded: what figures and tables were made from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from transrank.lab.report.measured import Measured
from transrank.lab.stats.result import CaseResult
from transrank.lab.view.results import record


def page_data(runs: Sequence[Measured]) -> dict[str, Any]:
    """Every case of every run as a table: names of the columns, then a row per case and shape.

    The columns are those of `transrank export`, and the launches with their medians.
    """
    rows = [[_row(result) for result in run.every_result] for run in runs]
    columns = list(dict.fromkeys(name for each in rows for row in each for name in row))
    return {
        "columns": columns,
        "runs": [
            {**_facts(run), "rows": [[row[name] for name in columns] for row in each]}
            for run, each in zip(runs, rows, strict=True)
        ],
    }


def _facts(run: Measured) -> dict[str, Any]:
    header = run.run.header
    return {
        "run": header.run,
        "name": run.name,
        "created": header.created,
        "command": list(header.command),
        "mpi": header.mpi.library if header.mpi else None,
        "machine": dict(header.machine),
    }


def _row(result: CaseResult) -> dict[str, Any]:
    return {
        **record(result),
        "launches": list(result.launches),
        "launch_seconds": [launch.value for launch in result.launch_medians],
    }
