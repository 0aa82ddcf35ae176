# SPDX-License-Identifier: BSD-3-Clause
"""Does the route of a redistribution cost more on more ranks?

Runs the study `plan-scaling` on one process, without any of the ranks that are planned for, several
launches: the route of one rank, boundary tables of irregular blocks included, on grids of which two
or three dimensions are divided; and programs/plan_scaling.cpp for the memory that it takes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bars import Figure, add_check_option, report
from native import build
from survey import measure

from transrank.lab.stats.growth import exponent_of
from transrank.lab.stats.summary import CaseResult

# Ranks, and the most seconds that a route may take there.
BARS = {2048: 3e-6, 1_000_000: 6e-6}
MOST_EXPONENT = 0.25
FEW, MANY = 64, 1_000_000
# A route holds no more on many ranks than on few, give or take a peer.
MOST_MEMORY_GROWTH = 1.5


def figures_of(name: str, results: Sequence[CaseResult]) -> list[Figure]:
    by_ranks = {int(result.axes["plan_ranks"]): result for result in results}
    figures = []
    for ranks, bar in BARS.items():
        headline = by_ranks[ranks].headline
        assert headline is not None
        low, high = headline.low, headline.high
        figures.append(
            Figure(
                f"{name}, {ranks:,} ranks",
                1e6 * headline.value,
                1e6 * bar,
                "us",
                None if low is None else 1e6 * low,
                None if high is None else 1e6 * high,
            )
        )
    growth = exponent_of(
        [
            (float(ranks), result.headline.value)
            for ranks, result in by_ranks.items()
            if result.headline is not None
        ]
    )
    figures.append(
        Figure(f"{name}: exponent", growth.value, MOST_EXPONENT, "", growth.low, growth.high)
    )
    return figures


def memory_figures(program: Path) -> list[Figure]:
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    found = {
        (line["dimensions"], line["blocks"], line["ranks"]): line
        for line in map(json.loads, lines.splitlines())
    }
    figures = []
    for dimensions, blocks in dict.fromkeys(key[:2] for key in found):
        few, many = (found[dimensions, blocks, ranks] for ranks in (FEW, MANY))
        figures.append(
            Figure(
                f"{dimensions} dimensions, {blocks}: route at {MANY:,} / {FEW} ranks",
                many["route_bytes"] / few["route_bytes"],
                MOST_MEMORY_GROWTH,
                "x",
                note=f"{many['route_bytes']} bytes, at most {many['peak_bytes']} while it is made",
            )
        )
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--launches", type=int, default=5, help="(default: 5)")
    parser.add_argument("--max-time", default="100ms", help="per case (default: 100ms)")
    add_check_option(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = measure(
            Path(folder),
            "plan-scaling",
            [
                "plan-scaling",
                "--axis=routes=one",
                "--ranks=1",
                f"--launches={arguments.launches}",
                f"--max-time={arguments.max_time}",
            ],
        )
    figures = []
    for dimensions in (2, 3):
        for blocks in ("regular", "irregular"):
            same = [
                result
                for result in results
                if (result.axes["dimensions"], result.axes["blocks"]) == (dimensions, blocks)
            ]
            figures += figures_of(f"{dimensions} dimensions, {blocks}", same)
    figures += memory_figures(build("plan_scaling"))
    return report(figures, arguments.check)


if __name__ == "__main__":
    sys.exit(main())
