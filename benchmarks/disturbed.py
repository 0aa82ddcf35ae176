# SPDX-License-Identifier: BSD-3-Clause
"""Does a busy machine change the reported numbers?

Measures at two ranks on the machine as it is and with busy loops beside it, in alternation, and
prints per operation how far the reported values lie apart. Samples during which a rank lost its
core are recognised by involuntary context switches and left out; what share was kept is printed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from bars import Figure, add_check_option, report
from survey import operation_of, results_of, run_operations

from transrank.stats.summary import CaseResult

BAR_PERCENT = 10.0


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Keep `count` processes computing for as long as the context lasts."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def by_case(surveys: Sequence[Sequence[CaseResult]]) -> dict[str, list[CaseResult]]:
    """Return the results of each case over the surveys."""
    found: dict[str, list[CaseResult]] = defaultdict(list)
    for survey in surveys:
        for result in survey:
            if result.headline is not None:
                found[result.case].append(result)
    return found


def headline(results: Sequence[CaseResult]) -> float:
    """Return the median of the reported values."""
    return float(np.median([result.headline.value for result in results if result.headline]))


def figures(
    quiet: Sequence[Sequence[CaseResult]], busy: Sequence[Sequence[CaseResult]]
) -> list[Figure]:
    """Compare the two conditions, operation by operation."""
    quiet_cases, busy_cases = by_case(quiet), by_case(busy)
    change: dict[str, dict[str, float]] = defaultdict(dict)
    kept: dict[str, list[float]] = defaultdict(list)
    for case in quiet_cases.keys() & busy_cases.keys():
        operation = operation_of(busy_cases[case][0])
        ratio = headline(busy_cases[case]) / headline(quiet_cases[case])
        change[operation][case] = 100 * abs(ratio - 1)
        kept[operation] += [result.kept for result in busy_cases[case]]
    found = []
    for operation, cases in change.items():
        worst = max(cases, key=lambda case: cases[case])
        share = f"kept {100 * float(np.mean(kept[operation])):.0f} % of the samples"
        median = float(np.median(list(cases.values())))
        found.append(Figure(f"{operation}, median size", median, BAR_PERCENT, "%", note=share))
        found.append(Figure(f"{operation}, worst size", cases[worst], BAR_PERCENT, "%", note=worst))
    return found


def main() -> int:
    """Measure in alternation and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loops", type=int, default=3, help="busy loops (default: 3)")
    parser.add_argument("--surveys", type=int, default=3, help="of each kind (default: 3)")
    parser.add_argument("--launches", type=int, default=5, help="per survey (default: 5)")
    parser.add_argument("--max-time", default="150ms", help="per case (default: 150ms)")
    add_check_option(parser)
    arguments = parser.parse_args()
    options = [f"--max-time={arguments.max_time}", f"--launches={arguments.launches}", "--ranks=2"]
    quiet, busy = [], []
    with tempfile.TemporaryDirectory() as store:
        for number in range(arguments.surveys):
            quiet.append(results_of(run_operations(Path(store), f"quiet-{number}", options)))
            with busy_loops(arguments.loops):
                busy.append(results_of(run_operations(Path(store), f"busy-{number}", options)))
            print(f"pair {number + 1} of {arguments.surveys} done", file=sys.stderr)
    return report(figures(quiet, busy), arguments.check)


if __name__ == "__main__":
    sys.exit(main())
