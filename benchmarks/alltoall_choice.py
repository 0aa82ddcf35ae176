# SPDX-License-Identifier: BSD-3-Clause
"""Does `auto` find the best alltoall of arrays that transrank did not allocate?

Runs programs/alltoall_choice.cpp at two ranks, launch after launch: blocks of 8 B to 4 MiB, equal
and unequal, of arrays that stay as they are and of arrays that are rewritten and read. Which way is
the best is found in one half of the launches, and `auto` is held against that in the other half;
then the halves change places. Launches are told apart by how far their two cores are from each
other, since the best way depends on it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter

import numpy as np
from bars import Figure, add_check_option, report
from native import build, printed_at_two_ranks
from rich.console import Console
from rich.table import Table

from transrank.lab.units import format_seconds, format_size

WAYS = ("on-node-direct", "linear", "mpi")
MODES = ("rewritten", "unmodified")
MOST_MEDIAN, MOST_TWICE = 1.10, 1.25
# A line takes 50 to 65 ns between cores that share a cache, and 100 ns or more between others.
NEAR = 85e-9
LEAST_LAUNCHES = 4

Found = dict[str, float]


def times(launches: list[Found], case: str, way: str) -> float:
    """Return the median of the launches."""
    return float(np.median([each[f"{case} {way}"] for each in launches]))


def against_best(launches: list[Found], case: str) -> tuple[float, float]:
    """Hold auto against the best of the other half of the launches, in each half."""
    halves = launches[::2], launches[1::2]
    found = []
    for here, elsewhere in (halves, halves[::-1]):
        best = min(WAYS, key=lambda way: times(elsewhere, case, way))
        found.append(times(here, case, "auto") / times(here, case, best))
    return found[0], found[1]


def figures(launches: list[Found], where: str) -> list[Figure]:
    """Hold the launches against the bars: all lengths together, and the worst."""
    made = []
    for kind in ("equal", "unequal"):
        for mode in MODES:
            lengths = [int(key.split()[1]) for key in launches[0] if key.startswith(f"{kind} ")]
            by_length = {
                length: against_best(launches, f"{kind} {length} {mode}")
                for length in sorted(set(lengths))
            }
            name = f"{where}, {kind}, {mode}: auto / best"
            median = float(np.median([value for both in by_length.values() for value in both]))
            worst = max(by_length, key=lambda length: min(by_length[length]))
            made += [
                Figure(f"{name}, median of lengths", median, MOST_MEDIAN, "x"),
                Figure(
                    f"{name}, worst of both halves",
                    min(by_length[worst]),
                    MOST_TWICE,
                    "x",
                    note=format_size(worst),
                ),
            ]
    return made


def print_times(launches: list[Found], where: str) -> None:
    """Print what the figures are ratios of."""
    table = Table("blocks", "auto", *WAYS, "chosen", box=None, pad_edge=False)
    table.title = f"{where}, {len(launches)} launches: rewritten / unmodified"
    for case in [key for key in launches[0] if len(key.split()) == 2]:
        kind, length = case.split()
        cells = (
            " / ".join(format_seconds(times(launches, f"{case} {mode}", way)) for mode in MODES)
            for way in ("auto", *WAYS)
        )
        chosen = Counter(each[case] for each in launches)
        names = ", ".join(f"{name} {count}" for name, count in chosen.most_common())
        table.add_row(f"{kind} {format_size(int(length))}", *cells, names)
    Console(width=140).print(table)


def main() -> int:
    """Run and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_check_option(parser)
    parser.add_argument("--launches", type=int, default=10, help="(default: 10)")
    options = parser.parse_args()
    program = str(build("alltoall_choice"))
    by_distance: dict[str, list[Found]] = {"near cores": [], "far cores": []}
    for number in range(options.launches):
        found = json.loads(printed_at_two_ranks([program]))
        line = found.get("line", float("nan"))
        by_distance["near cores" if line < NEAR else "far cores"].append(found)
        print(
            f"launch {number + 1} of {options.launches}: a line takes {format_seconds(line)}",
            file=sys.stderr,
        )
    made = []
    for where, launches in by_distance.items():
        if launches:
            print_times(launches, where)
        if len(launches) >= LEAST_LAUNCHES:
            made += figures(launches, where)
    return report(made, options.check)


if __name__ == "__main__":
    sys.exit(main())
