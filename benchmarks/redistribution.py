# SPDX-License-Identifier: BSD-3-Clause
"""How fast is a redistribution beside memcpy, and beside what a program does with MPI alone?

Runs the study `redistribute` at two ranks, one per core, from 2x1 to 1x2 parts, the part that stays
on its rank included, every way in random order within each launch. Before each run the owners
rewrite their fields (mode `rewritten`), and what arrived is read afterwards, within the time (mode
`used`) or by the check of its contents; the copies that it is held against likewise. Compared are
launch by launch

* 8 fields of doubles on 512x1024x16 cells: the library's choice and the fastest copy of as many
  bytes: memcpy in one call, memcpy per field, a copy past the caches (memcpy itself goes past them
  above some length of a call); packed messages and MPI_Alltoallw of subarrays and the library's
  choice;
* grids that the caches hold: the library's choice and memcpy of the same runs between the same
  ranks, straight from their owners' arrays, which must wait for each other likewise; also with the
  rewriting within the time (mode `cycle`), to which a copy may leave its costs. The table also
  has the same runs copied from a rank's own memory: what two cores add to that is no library's.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bars import Figure, add_check_option, report
from ratios import excess, speedup
from rich.console import Console
from rich.table import Table
from survey import measure

from transrank.lab.stats.summary import CaseResult
from transrank.lab.units import format_percent, format_rate, format_seconds

LARGE = "512x1024x16"
SMALL = ("32x64x4", "64x128x16")
AUTO, CACHED, STREAMED = "auto", "direct-cached", "direct-streamed"
FLOORS = ("memcpy-once", "memcpy-per-field", "nontemporal")
MPI_ALONE = ("mpi-packed", "mpi-alltoallw")
LOCAL_RUNS, PEERS_RUNS = "memcpy-runs", "memcpy-from-peers"
REWRITTEN, USED, CYCLE = "rewritten", "used", "cycle"
# Two bundles of 256 MiB per rank, in memory of two kinds, and buffers.
MEMORY = "2GiB"
MOST_TIMES_THE_COPY = 1.1
LEAST_SPEEDUP = 3.0

Ways = Mapping[str, CaseResult]


def run_ways(
    store: Path, grid: str, modes: Sequence[str], ways: Sequence[str], options: Sequence[str]
) -> dict[str, Ways]:
    """Measure these ways of moving one grid; return the results by mode and way."""
    results = measure(
        store,
        grid,
        [
            "redistribute",
            f"--axis=grid={grid}",
            "--axis=layouts=blocks",
            "--axis=phase=run",
            f"--axis=mode={','.join(modes)}",
            f"--axis=way={','.join(ways)}",
            f"--memory={MEMORY}",
            *options,
        ],
    )
    found: dict[str, dict[str, CaseResult]] = {mode: {} for mode in modes}
    for result in results:
        if result.axes["scale"] != 1:
            raise SystemExit(f"{grid} was scaled down: too little memory")
        if result.headline is not None:
            found[str(result.axes["mode"])][str(result.axes["way"])] = result
    return dict(found)


def value(result: CaseResult) -> float:
    assert result.headline is not None
    return result.headline.value


def copy_figure(mode: str, ways: Ways) -> Figure:
    auto = ways[AUTO]
    floor = min((name for name in FLOORS if name in ways), key=lambda name: value(ways[name]))
    return excess(
        f"{mode}: auto / fastest copy ({floor})",
        auto,
        ways[floor],
        MOST_TIMES_THE_COPY,
        note=f"{format_percent(auto.kept)} of the samples kept",
    )


def large_figures(ways: Ways) -> list[Figure]:
    auto = ways[AUTO]
    figures = [speedup(f"{name} / auto", ways[name], auto, LEAST_SPEEDUP) for name in MPI_ALONE]
    better = min((CACHED, STREAMED), key=lambda name: value(ways[name]))
    figures.append(
        excess(f"auto / {better}, the better stores", auto, ways[better], MOST_TIMES_THE_COPY)
    )
    return figures


def print_ways(grid: str, mode: str, ways: Ways) -> None:
    """Print every time, and every ratio to the library's choice."""
    title = f"{grid}, {mode}"
    table = Table("way", "time", "rate", "/ auto", "kept", box=None, pad_edge=False, title=title)
    for name, result in sorted(ways.items(), key=lambda item: value(item[1])):
        table.add_row(
            name,
            format_seconds(value(result)),
            format_rate(result.rate) if result.rate else "",
            f"{value(result) / value(ways[AUTO]):.2f}",
            format_percent(result.kept),
        )
    Console().print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--launches", type=int, default=5, help="(default: 5)")
    parser.add_argument("--max-time", default="1s", help="per case (default: 1s)")
    add_check_option(parser)
    arguments = parser.parse_args()
    options = [
        "--ranks=2",
        f"--launches={arguments.launches}",
        f"--max-time={arguments.max_time}",
    ]
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder)
        ways = (AUTO, CACHED, STREAMED, *FLOORS, *MPI_ALONE)
        for mode, large in run_ways(store, LARGE, (REWRITTEN, USED), ways, options).items():
            print_ways(LARGE, mode, large)
            figures.append(copy_figure(mode, large))
            # Reading takes as long whatever has been faster before: it would only blur the others.
            figures += large_figures(large) if mode == REWRITTEN else []
        for grid in SMALL:
            every = (AUTO, CACHED, LOCAL_RUNS, PEERS_RUNS)
            for mode, small in run_ways(
                store, grid, (REWRITTEN, USED, CYCLE), every, options
            ).items():
                print_ways(grid, mode, small)
                figures.append(
                    excess(
                        f"{grid}, {mode}: auto / memcpy of the same runs from peers",
                        small[AUTO],
                        small[PEERS_RUNS],
                        1.0,
                    )
                )
    return report(figures, arguments.check)


if __name__ == "__main__":
    sys.exit(main())
