# SPDX-License-Identifier: BSD-3-Clause
"""Does a busy machine change the reported numbers?

Measures at two ranks on the machine as it is and with busy loops beside it, in alternation, and
prints per operation how far the reported values lie apart. Samples during which a rank lost its
core are recognised by involuntary context switches and left out; what share was kept is printed.

Where a hypervisor moves the two CPUs, surveys may meet different machines: pairs are added until as
many surveys of each kind as were asked for are of one state of the cores (distance and speed), or
three times as many pairs are done. Those are compared.

Some MPIs give up their core (sched_yield) whenever they wait for a message and find none. Alone on
its core a rank gets it back at once; beside others the kernel first settles accounts, and the
message takes so much longer although no rank lost its core. --without-yields loads a sched_yield
before the MPI's that returns at once, and so shows what is left.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from bars import Figure, add_check_option, report
from busy import busy_loops
from native import build_preloaded
from survey import Survey, groups_alike, operation_of, run_survey

from transrank.lab.stats.summary import CaseResult

BAR_PERCENT = 10.0
# At most so many times the pairs asked for are done.
MOST_PAIRS = 3


def by_case(surveys: Sequence[Survey], operation: str) -> dict[str, list[CaseResult]]:
    """Return the results of each case of an operation over the surveys."""
    found: dict[str, list[CaseResult]] = defaultdict(list)
    for survey in surveys:
        for result in survey.of(operation):
            found[result.case].append(result)
    return found


def headline(results: Sequence[CaseResult]) -> float:
    """Return the median of the reported values."""
    return float(np.median([result.headline.value for result in results if result.headline]))


@dataclass
class Surveys:
    """Surveys of the machine as it is, and beside busy loops."""

    quiet: list[Survey] = field(default_factory=list)
    busy: list[Survey] = field(default_factory=list)

    def alike(self) -> Surveys:
        """Return as many of both kinds as possible of one state of the cores."""
        groups = [
            Surveys(
                [survey for survey in group if any(survey is each for each in self.quiet)],
                [survey for survey in group if any(survey is each for each in self.busy)],
            )
            for group in groups_alike([*self.quiet, *self.busy])
        ]
        return max(groups, key=lambda group: group.pairs)

    @property
    def pairs(self) -> int:
        """How many there are of each kind."""
        return min(len(self.quiet), len(self.busy))


def figures(surveys: Surveys) -> list[Figure]:
    """Compare the two conditions, operation by operation."""
    found = []
    chosen = surveys.alike()
    for operation in operations_of(surveys):
        quiet, busy = by_case(chosen.quiet, operation), by_case(chosen.busy, operation)
        change = {
            case: 100 * abs(headline(busy[case]) / headline(quiet[case]) - 1)
            for case in quiet.keys() & busy.keys()
        }
        if not change:
            note = "no surveys of both kinds met the cores in one state: take more"
            found.append(Figure(f"{operation}, median size", math.nan, BAR_PERCENT, "%", note=note))
            continue
        worst = max(change, key=lambda case: change[case])
        kept = np.mean([result.kept for results in busy.values() for result in results])
        note = f"{chosen.pairs} of each; kept {100 * float(kept):.0f} % of the samples"
        median = float(np.median(list(change.values())))
        found.append(Figure(f"{operation}, median size", median, BAR_PERCENT, "%", note=note))
        found.append(
            Figure(f"{operation}, worst size", change[worst], BAR_PERCENT, "%", note=worst)
        )
    return found


def operations_of(surveys: Surveys) -> list[str]:
    """Return the operations, in the order of their first appearance."""
    results = (result for survey in surveys.quiet for result in survey.results)
    return list(dict.fromkeys(map(operation_of, results)))


def main() -> int:
    """Measure in alternation and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loops", type=int, default=3, help="busy loops (default: 3)")
    parser.add_argument("--surveys", type=int, default=3, help="of each kind (default: 3)")
    parser.add_argument("--launches", type=int, default=5, help="per survey (default: 5)")
    parser.add_argument("--max-time", default="150ms", help="per case (default: 150ms)")
    parser.add_argument(
        "--without-yields", action="store_true", help="ranks do not give up their cores"
    )
    add_check_option(parser)
    arguments = parser.parse_args()
    if arguments.without_yields:
        os.environ["LD_PRELOAD"] = str(build_preloaded("no_yield"))
    options = [f"--max-time={arguments.max_time}", f"--launches={arguments.launches}"]
    surveys = Surveys()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder)
        for number in range(MOST_PAIRS * arguments.surveys):
            surveys.quiet.append(run_survey(store, f"quiet-{number}", options))
            with busy_loops(arguments.loops):
                surveys.busy.append(run_survey(store, f"busy-{number}", options))
            alike = surveys.alike().pairs
            print(f"{number + 1} pairs done, {alike} alike", file=sys.stderr)
            if alike >= arguments.surveys:
                break
    return report(figures(surveys), arguments.check)


if __name__ == "__main__":
    sys.exit(main())
