# SPDX-License-Identifier: BSD-3-Clause
"""What does it cost to make the route of a ghost update, and does it grow with the ranks?

Runs programs/route_creation.cpp several times: the local work of making the route of 6144 ghosts
(six faces of a block of 32 x 32 x 32 rows, 2114 runs) for a rank among 2 to 1,000,000, beside
std::sort of 6144 random 64-bit integers in the same process. Owners are known by a `formula`, by a
`table` that the caller has, or by `lookup` among the ranks, none of which knows them all.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from bars import Figure, add_check_option, pairs, report
from native import build

from transrank.lab.stats.compare import paired_ratio
from transrank.lab.units import format_seconds

# Times the sort, and times the route of the fewest ranks.
MOST_TIMES_THE_SORT = 1.0
MOST_GROWTH = 1.25
FEW, MANY = 2, 1_000_000

Case = tuple[str, int]
Seconds = dict[Case, list[float]]


def measure(program: Path, launches: int) -> tuple[Seconds, Seconds]:
    """Return the seconds of each case and of the sort beside it, launch by launch."""
    routes: Seconds = defaultdict(list)
    sorts: Seconds = defaultdict(list)
    for _ in range(launches):
        lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        for line in lines.splitlines():
            found = json.loads(line)
            case = found["owners"], found["ranks"]
            routes[case].append(found["seconds"])
            sorts[case].append(found["sort_seconds"])
    return routes, sorts


def figure(name: str, baseline: list[float], candidate: list[float], bar: float) -> Figure:
    found = paired_ratio(baseline, candidate)
    note = f"{format_seconds(min(candidate))} to {format_seconds(max(candidate))}"
    return Figure(name, found.value, bar, "x", found.low, found.high, note=note)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add_check_option(parser)
    parser.add_argument("--launches", type=pairs, default=7, help="processes to run (default 7)")
    options = parser.parse_args()
    routes, sorts = measure(build("route_creation"), options.launches)
    figures = [
        figure(
            f"{owners}, {ranks:,} ranks / sort", sorts[owners, ranks], seconds, MOST_TIMES_THE_SORT
        )
        for (owners, ranks), seconds in sorted(routes.items())
    ]
    figures += [
        figure(
            f"{owners}, {MANY:,} ranks / {FEW} ranks",
            routes[owners, FEW],
            routes[owners, MANY],
            MOST_GROWTH,
        )
        for owners in sorted({owners for owners, _ in routes})
    ]
    return report(figures, options.check)


if __name__ == "__main__":
    sys.exit(main())
