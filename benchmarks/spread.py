# SPDX-License-Identifier: BSD-3-Clause
"""How far do repeated surveys of one machine lie apart?

Runs the same short survey several times at two ranks and prints, per operation, the spread
(max - min) / median of the reported value: its median over sizes and the worst size, beside the
measuring time that one survey spent on that operation's whole sweep. A collective of 0 bytes, which
returns at once, is left out.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from bars import Figure, add_check_option, report
from survey import measure_operations, operation_of

from transrank.stats.summary import CaseResult

# The most that the spread may be, in percent: median over sizes, worst size.
BARS: Mapping[str, tuple[float, float | None]] = {
    "pingpong": (5, 15),
    "sendrecv": (5, 15),
    "allreduce": (5, 15),
    "alltoall": (5, 15),
    "bcast": (10, None),
    "barrier": (10, None),
}
SECONDS_BAR = 2.0


def run_surveys(store: Path, arguments: argparse.Namespace) -> list[list[CaseResult]]:
    """Run every survey and return its results."""
    common = [f"--max-time={arguments.max_time}", f"--launches={arguments.launches}", "--ranks=2"]
    surveys = []
    for number in range(arguments.surveys):
        surveys.append(measure_operations(store, f"survey-{number}", common))
        print(f"survey {number + 1} of {arguments.surveys} done", file=sys.stderr)
    return surveys


def spreads(surveys: Sequence[Sequence[CaseResult]]) -> dict[str, dict[str, float]]:
    """Return per operation and case the relative spread of the reported values, in percent."""
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for survey in surveys:
        for result in survey:
            if result.headline is not None:
                values[operation_of(result)][result.case].append(result.headline.value)
    return {
        operation: {
            case: 100 * (max(each) - min(each)) / float(np.median(each))
            for case, each in cases.items()
        }
        for operation, cases in values.items()
    }


def longest_sweep(surveys: Sequence[Sequence[CaseResult]], operation: str) -> float:
    """Return the most measuring seconds that any survey spent on `operation`."""
    return max(
        sum(result.measuring_seconds for result in survey if operation_of(result) == operation)
        for survey in surveys
    )


def figures(surveys: Sequence[Sequence[CaseResult]]) -> list[Figure]:
    """Hold the spreads against their bars."""
    found = []
    for operation, cases in spreads(surveys).items():
        over_sizes, worst_bar = BARS[operation]
        worst = max(cases, key=lambda case: cases[case])
        median = float(np.median(list(cases.values())))
        found.append(Figure(f"{operation}, median size", median, over_sizes, "%"))
        if worst_bar is not None:
            found.append(
                Figure(f"{operation}, worst size", cases[worst], worst_bar, "%", note=worst)
            )
        seconds = longest_sweep(surveys, operation)
        found.append(Figure(f"{operation}, measuring", seconds, SECONDS_BAR, "s"))
    return found


def main() -> int:
    """Run the surveys and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--surveys", type=int, default=5, help="(default: 5)")
    parser.add_argument("--launches", type=int, default=10, help="per survey (default: 10)")
    parser.add_argument("--max-time", default="50ms", help="per case (default: 50ms)")
    parser.add_argument("--store", type=Path, help="keep the records there (default: nowhere)")
    add_check_option(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as passing:
        surveys = run_surveys(arguments.store or Path(passing), arguments)
    return report(figures(surveys), arguments.check)


if __name__ == "__main__":
    sys.exit(main())
