# SPDX-License-Identifier: BSD-3-Clause
"""How fast is an alltoall beside the MPI library's own?

Runs the study `alltoall-algorithms` at two ranks, one per core, from 8 B to 4 MiB per block, arrays
in memory that both ranks can reach (with --arrays private: of the program's own), every algorithm
in random order within each launch, per call the slowest rank, contents verified. Compared launch by
launch with MPI_Alltoall as the library does it:

* the best of transrank's own algorithms, size by size;
* `auto`, size by size;
* the decade of sizes over which the best own algorithm gains most: its least gain.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from bars import Figure, add_check_option, report
from ratios import excess, speedup
from rich.console import Console
from rich.table import Table
from survey import measure

from transrank.lab.stats.summary import CaseResult
from transrank.lab.units import format_seconds, format_size

DEFAULT = "mpi"
AUTO = "auto"
OWN = ("on-node-direct", "two-process", "linear")
MOST_OF_OWN, MOST_OF_AUTO = 1.15, 1.05
LEAST_GAIN, DECADE = 1.5, 10

Curves = Mapping[str, Mapping[int, CaseResult]]


def curves_of(results: list[CaseResult]) -> Curves:
    """Sort the results by algorithm and size."""
    curves: dict[str, dict[int, CaseResult]] = {}
    for result in results:
        if result.headline is not None:
            curve = curves.setdefault(str(result.axes["algorithm"]), {})
            curve[int(result.axes["bytes"])] = result
    return curves


def best_own(curves: Curves, size: int) -> str:
    """Name the own algorithm with the shortest time at a size."""
    return min(OWN, key=lambda name: _value(curves[name][size]))


def against_default(curves: Curves) -> list[Figure]:
    """Hold the best own algorithm and auto against the library's, at each size."""
    figures = []
    for size, default in curves[DEFAULT].items():
        best = best_own(curves, size)
        words = format_size(size)
        own = excess(f"{words}: own / MPI", curves[best][size], default, MOST_OF_OWN)
        figures.append(replace(own, note=f"own: {best}"))
        figures.append(excess(f"{words}: auto / MPI", curves[AUTO][size], default, MOST_OF_AUTO))
    return figures


def best_decade(curves: Curves) -> Figure:
    """Hold the least gain over the best decade of sizes against its bar."""
    gains = {
        size: speedup("", default, curves[best_own(curves, size)][size], LEAST_GAIN)
        for size, default in curves[DEFAULT].items()
    }
    decades = [
        [size for size in gains if begin <= size <= DECADE * begin]
        for begin in gains
        if DECADE * begin <= max(gains)
    ]
    best = max(decades, key=lambda sizes: min(gains[size].value for size in sizes))
    least = min((gains[size] for size in best), key=lambda gain: gain.value)
    name = f"{format_size(best[0])} to {format_size(best[-1])}: MPI / own, least"
    return replace(least, name=name)


def _value(result: CaseResult) -> float:
    assert result.headline is not None
    return result.headline.value


def print_curves(curves: Curves) -> None:
    """Print every time: the figures are ratios of these."""
    table = Table("block", *curves, box=None, pad_edge=False, title="one alltoall")
    for size in sorted(curves[DEFAULT]):
        times = (format_seconds(_value(curve[size])) for curve in curves.values())
        table.add_row(format_size(size), *times)
    Console(width=max(80, 10 + 18 * len(curves))).print(table)


def main() -> int:
    """Run and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--launches", type=int, default=5, help="(default: 5)")
    parser.add_argument("--max-time", default="200ms", help="per case (default: 200ms)")
    parser.add_argument("--arrays", choices=["shared", "private"], default="shared")
    add_check_option(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = measure(
            Path(folder),
            "alltoall",
            [
                "alltoall-algorithms",
                f"--axis=algorithm={','.join((AUTO, *OWN, DEFAULT))}",
                f"--axis=arrays={arguments.arrays}",
                "--sizes=8..4MiB",
                "--ranks=2",
                f"--launches={arguments.launches}",
                f"--max-time={arguments.max_time}",
            ],
        )
    curves = curves_of(results)
    print_curves(curves)
    return report([*against_default(curves), best_decade(curves)], arguments.check)


if __name__ == "__main__":
    sys.exit(main())
