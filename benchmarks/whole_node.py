# SPDX-License-Identifier: BSD-3-Clause
"""How much faster is transrank than MPI alone with a rank on every core of a node?

Measures the studies `neighborhood` (a block to each of four neighbors), `alltoall-algorithms`,
`ghost` (6 doubles a row) and `redistribute`, each way in random order within each launch, contents
verified. Each time of transrank is held, launch by launch, against the fastest way with MPI alone.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from bars import Figure, add_check_option, report
from ratios import speedup
from survey import run

from transrank.lab.stats.summary import CaseResult, summarise
from transrank.lab.store.records import Run, read_run
from transrank.lab.units import format_seconds, format_size

# Times as fast as the fastest way with MPI alone.
LEAST = 1.0
SIZES = "8,4KiB,64KiB,1MiB"
STUDIES = {
    "neighborhood": [
        "--axis=topology=torus-2d",
        "--axis=operation=messages,exchange,neighbor_alltoall",
        f"--sizes={SIZES}",
    ],
    "alltoall-algorithms": [
        "--axis=arrays=shared,private",
        "--axis=algorithm=auto,mpi",
        f"--sizes={SIZES}",
    ],
    "ghost": ["--axis=vdim=6", "--axis=mode=used,unmodified"],
    "redistribute": [
        *("--axis=layouts=blocks", "--axis=phase=run", "--axis=mode=used"),
        "--axis=way=auto,mpi-packed,mpi-alltoallw",
    ],
}


def is_ours(result: CaseResult) -> bool | None:
    """Whether transrank moves as it chooses, or MPI alone; None: neither is asked about."""
    axes = result.axes
    if result.study == "neighborhood":
        return axes["operation"] == "exchange" if axes["topology"] == "torus-2d" else None
    way = str(axes.get("algorithm") or axes.get("transport") or axes["way"])
    return way == "auto" or (False if way == "mpi" or way.startswith("mpi-") else None)


def job_of(result: CaseResult) -> str:
    """Name what is moved, however it is moved."""
    axes = result.axes
    if result.study == "ghost":
        return f"ghost update, 6 doubles a row, {axes['mode']}"
    if result.study == "redistribute":
        return f"redistribution, 8 fields of {axes['grid']}"
    size = format_size(int(axes["bytes"]))
    if result.study == "neighborhood":
        return f"{size} to each of 4 neighbors"
    return f"alltoall, {axes['arrays']} arrays, {size}"


def figures_of(results: Sequence[CaseResult]) -> Iterator[Figure]:
    """Hold transrank against the fastest way with MPI alone, job by job."""
    jobs: dict[str, dict[bool, list[CaseResult]]] = {}
    for result in results:
        which = is_ours(result)
        if which is not None and result.headline is not None:
            jobs.setdefault(job_of(result), {}).setdefault(which, []).append(result)
    for job, ways in jobs.items():
        if len(ways) == 2:
            ours, theirs = min(ways[True], key=median), min(ways[False], key=median)
            times = " / ".join(format_seconds(median(each)) for each in (theirs, ours))
            yield replace(speedup(f"{job}: MPI / auto", theirs, ours, LEAST), note=times)


def median(result: CaseResult) -> float:
    assert result.headline is not None
    return result.headline.value


def on_most_ranks(found: Run) -> list[CaseResult]:
    """The results of a run at the largest number of ranks."""
    results = summarise(found)
    most = max(result.shape.ranks for result in results)
    return [result for result in results if result.shape.ranks == most]


def measured(store: Path, options: Sequence[str]) -> list[Run]:
    """Measure every study, unless runs lie in `store` already."""
    if not list(store.glob("*.jsonl")):
        for study, axes in STUDIES.items():
            run(store, study, [study, *axes, *options])
    return [read_run(path) for path in sorted(store.glob("*.jsonl"))]


def main() -> int:
    """Run and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--launches", type=int, default=8, help="(default: 8)")
    parser.add_argument("--max-time", default="200ms", help="per case (default: 200ms)")
    parser.add_argument(
        "--store", type=Path, help="keep the runs in this folder; if it has runs, judge them"
    )
    add_check_option(parser)
    arguments = parser.parse_args()
    options = [
        f"--{name}={getattr(arguments, name.replace('-', '_'))}"
        for name in ("ranks", "launches", "max-time")
    ]
    with TemporaryDirectory() as folder:
        runs = measured(arguments.store or Path(folder), options)
    figures = [figure for each in runs for figure in figures_of(on_most_ranks(each))]
    return report(figures, arguments.check)


if __name__ == "__main__":
    sys.exit(main())
