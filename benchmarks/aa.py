# SPDX-License-Identifier: BSD-3-Clause
"""Does `compare` cry wolf? Surveys of one machine, all pairs of them compared.

Runs the same survey of 44 cases at two ranks again and again, spread over --minutes, and compares
all ordered pairs. Nothing has changed between them, so that a gate that exits with 1, or a verdict
of slower or faster, is wrong. Pairs without a verdict (a machine that was busy, cores in different
states) are counted, too. Printed are the share of the intervals that hold another survey's value
(perfect ones of two surveys of normal launches do in 83 %) and that hold the median of all surveys,
of those of the same state of the cores, and the width of the intervals. No survey is left out.
Intervals of cases that get no verdict, since the memory was not equally fast, are among them.

With --loops busy loops run beside every survey.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bars import Figure, add_check_option, report
from busy import busy_loops
from survey import run, state_of

from transrank.lab.stats.compare import compare_results, summarise_family
from transrank.lab.stats.conditions import reason_against, summarise_both
from transrank.lab.stats.cores import CoreState
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.summary import CaseResult, summarise
from transrank.lab.store.records import Run, read_run

THRESHOLD = 0.05
CASES = [
    *("pingpong", "sendrecv", "collectives", "--sizes=4..4MiB:x4", "--ranks=2"),
    *("--axis=operation=allreduce,alltoall", "--axis=form=blocking", "--precision=10%"),
]


@dataclass(frozen=True)
class Survey:
    """One survey, and what it says."""

    run: Run
    results: Sequence[CaseResult]

    @property
    def state(self) -> CoreState:
        """The state of the cores that its values are of."""
        return state_of(self.run)

    def values(self) -> dict[str, Estimate]:
        """Return the value of each case that has an interval."""
        return {
            result.case: result.headline
            for result in self.results
            if result.headline is not None and result.headline.low is not None
        }


def holds(interval: Estimate, value: float) -> bool:
    """Whether the value lies in the interval."""
    assert interval.low is not None
    assert interval.high is not None
    return interval.low <= value <= interval.high


def like_pairs(surveys: Sequence[Survey]) -> Iterator[tuple[Survey, Survey]]:
    """Return the ordered pairs of surveys whose cores were in the same state."""
    for one, other in itertools.permutations(surveys, 2):
        if one.state.like(other.state):
            yield one, other


def covered(surveys: Sequence[Survey]) -> tuple[float, float]:
    """Return the shares of intervals that hold another survey's value, and the median of all."""
    others, medians = [], []
    for one, other in like_pairs(surveys):
        theirs = other.values()
        mine = one.values()
        others += [holds(mine[case], theirs[case].value) for case in mine.keys() & theirs.keys()]
    for one in surveys:
        alike = [other.values() for other in surveys if other.state.like(one.state)]
        for case, own in one.values().items():
            values = [each[case].value for each in alike if case in each]
            medians.append(holds(own, float(np.median(values))))
    return _percent(others), _percent(medians)


def verdicts(surveys: Sequence[Survey]) -> tuple[float, float, float]:
    """Return the shares of pairs without verdicts, of gates that exit with 1, of wrong verdicts."""
    unclear, gates, wrong = [], [], []
    for one, other in itertools.permutations(surveys, 2):
        why = reason_against(one.run, other.run)
        found = compare_results(*summarise_both(one.run, other.run), THRESHOLD, why)
        unclear.append(why is not None)
        gates.append(summarise_family(found, THRESHOLD).counts["slower"] > 0)
        wrong += [verdict.verdict in ("slower", "faster") for verdict in found]
    return _percent(unclear), _percent(gates), _percent(wrong)


def _percent(answers: Sequence[bool]) -> float:
    return 100 * float(np.mean(answers)) if answers else float("nan")


def widths(surveys: Sequence[Survey]) -> dict[str, list[float]]:
    """Return the widths of the intervals of each case, in percent of the value."""
    found = defaultdict(list)
    for survey in surveys:
        for case, estimate in survey.values().items():
            found[case].append(100 * (estimate.relative_width or 0.0))
    return found


def figures(surveys: Sequence[Survey], loops: int) -> list[Figure]:
    """Hold what the surveys say of each other against the bars."""
    without, gates, wrong = verdicts(surveys)
    found = [Figure("gates that exit with 1", gates, 5, "%")]
    if loops:
        return [*found, Figure("pairs without a verdict", without, 100, "%")]
    others, medians = covered(surveys)
    return [
        *found,
        Figure("pairs without a verdict", without, 20, "%"),
        Figure("wrong verdicts", wrong, 2, "%"),
        Figure("intervals that hold another survey's value", others, 80, "%", at_least=True),
        Figure("intervals that hold the median of all", medians, 90, "%", at_least=True),
    ]


def take_surveys(arguments: argparse.Namespace, store: Path) -> list[Survey]:
    """Run the surveys, at equal intervals of time."""
    begin = time.monotonic()
    surveys = []
    for number in range(arguments.surveys):
        wait = begin + 60 * arguments.minutes * number / arguments.surveys - time.monotonic()
        time.sleep(max(wait, 0))
        with busy_loops(arguments.loops) if arguments.loops else contextlib.nullcontext():
            found = run(store, f"aa-{number}", [*CASES, f"--time={arguments.time}"])
        surveys.append(Survey(found, summarise(found)))
        print(f"{number + 1} surveys done; cores {surveys[-1].state}", file=sys.stderr)
    return surveys


def main() -> int:
    """Run the surveys and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--surveys", type=int, default=10, help="(default: 10)")
    parser.add_argument("--minutes", type=float, default=60, help="spread over (default: 60)")
    parser.add_argument("--time", default="45s", help="of a survey (default: 45s)")
    parser.add_argument("--loops", type=int, default=0, help="busy loops (default: none)")
    parser.add_argument("--store", type=Path, help="keep the records there (default: nowhere)")
    parser.add_argument("--records", type=Path, nargs="+", help="compare these, measure nothing")
    add_check_option(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as passing:
        if arguments.records:
            runs = [read_run(path) for path in arguments.records]
            surveys = [Survey(each, summarise(each)) for each in runs]
        else:
            surveys = take_surveys(arguments, arguments.store or Path(passing))
    every = [width for case in widths(surveys).values() for width in case]
    print(
        f"{len(surveys)} surveys; width of the intervals: {np.median(every):.1f} % in the median, "
        f"{100 * float(np.mean(np.array(every) > 10)):.0f} % of them wider than 10 %"
    )
    return report(figures(surveys, arguments.loops), arguments.check)


if __name__ == "__main__":
    sys.exit(main())
