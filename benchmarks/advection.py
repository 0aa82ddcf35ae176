# SPDX-License-Identifier: BSD-3-Clause
"""What does the halo cost an application, and does the application run at the speed of memory?

Runs the study `advection` at two ranks, one per core, each with its own block: steps of the
first-order upwind scheme without communication, with the halo updated by the engine, and copies of
as many bytes, in random order within each launch. Compared are launch by launch

* the steps without communication and the faster of the two copies of the same size;
* the steps with the engine's halo and those without communication, not divided for overlap, for
  strips of rows (the halo between the ranks is contiguous) and of columns (it is strided).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bars import Figure, add_check_option, report
from ratios import excess, speedup
from rich.console import Console
from rich.table import Table
from survey import measure

from transrank.lab.stats.summary import CaseResult
from transrank.lab.units import format_seconds

# The least part of the fastest copy's speed, by points per dimension and rank.
COPY_BARS = {256: 0.70, 1024: 0.70, 4096: 0.75}
# The most times of the steps without communication.
HALO_BARS = {256: 1.25, 1024: 1.05, 4096: 1.02}
# Steps of one sample: about a millisecond or more, so that what a common start costs is nothing
# beside them.
ITERATIONS = {256: 100, 1024: 10, 4096: 10}
PROCESSES = ("rows", "columns")
COPIES = ("memcpy", "nontemporal")

Steps = Mapping[str, CaseResult]


def run_advection(store: Path, points: int, options: list[str]) -> Steps:
    """Measure one size; return the results by `processes/transport`."""
    arguments = [
        "advection",
        "--ranks=2",
        "--axis=scheme=first-order",
        f"--axis=points={points}",
        f"--axis=iterations={ITERATIONS[points]}",
        f"--axis=processes={','.join(PROCESSES)}",
        f"--axis=transport=none,auto,{','.join(COPIES)}",
        "--axis=overlap=no",
        *options,
    ]
    return {
        f"{result.axes['processes']}/{result.axes['transport']}": result
        for result in measure(store, str(points), arguments)
        if result.headline is not None
    }


def figures_of(steps: Steps, points: int) -> list[Figure]:
    """Hold the sweep against the copies, and the halo against the sweep."""
    figures = []
    for processes in PROCESSES:
        name = f"{points} x {points}, {processes}"
        alone = steps[f"{processes}/none"]
        copies = [found for copy in COPIES if (found := steps.get(f"{processes}/{copy}"))]
        fastest = min(copies, key=lambda copy: copy.headline.value if copy.headline else 0.0)
        figures.append(
            speedup(
                f"{name}: copy / steps without communication",
                fastest,
                alone,
                COPY_BARS[points],
                f"copy: {fastest.axes['transport']}",
            )
        )
        figures.append(
            excess(
                f"{name}: with the halo / without communication",
                steps[f"{processes}/auto"],
                alone,
                HALO_BARS[points],
            )
        )
    return figures


def print_steps(steps: Mapping[int, Steps]) -> None:
    """Print the time of one step or copy: the figures below are ratios of these."""
    table = Table("way", *(f"{n} x {n}" for n in steps), box=None, pad_edge=False)
    for key in next(iter(steps.values())):
        cells = []
        for points, by_key in steps.items():
            headline = by_key[key].headline if key in by_key else None
            cells.append(format_seconds(headline.value / ITERATIONS[points]) if headline else "")
        table.add_row(key, *cells)
    Console().print(table)


def main() -> int:
    """Run and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--launches", type=int, default=5, help="(default: 5)")
    parser.add_argument("--max-time", default="500ms", help="per case (default: 500ms)")
    add_check_option(parser)
    arguments = parser.parse_args()
    options = [f"--launches={arguments.launches}", f"--max-time={arguments.max_time}"]
    with tempfile.TemporaryDirectory() as folder:
        steps = {points: run_advection(Path(folder), points, options) for points in COPY_BARS}
    print_steps(steps)
    figures = [figure for points, found in steps.items() for figure in figures_of(found, points)]
    return report(figures, arguments.check)


if __name__ == "__main__":
    sys.exit(main())
