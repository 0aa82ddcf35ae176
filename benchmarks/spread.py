# SPDX-License-Identifier: BSD-3-Clause
"""How far do repeated surveys of one machine lie apart?

Runs the same short survey several times at two ranks and prints, per operation, the spread
(max - min) / median of the reported value: its median over sizes and the worst size, beside the
measuring time that one survey spent on that operation's whole sweep. A collective of 0 bytes, which
returns at once, is left out. Beside it stands the machine's own spread, whatever the MPI does: of
the time that a cache line took between the two cores, and of the time that a fixed piece of work
took on the slower one when nobody disturbed it. What runs on them cannot repeat better.

Where a hypervisor moves the two CPUs, surveys may meet different machines, and each says which one
its values are of. So surveys are added until as many as were asked for are of one distance between
the cores, or three times as many are done. Those are judged; below stands the spread of all.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from bars import Figure, Part, add_check_option, report
from survey import Survey, alike, run_survey

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
# At most so many times the surveys asked for are done.
MOST_SURVEYS = 3


def run_surveys(store: Path, arguments: argparse.Namespace) -> list[Survey]:
    """Run surveys until enough of them are of one distance between the cores."""
    options = [f"--max-time={arguments.max_time}", f"--launches={arguments.launches}"]
    surveys: list[Survey] = []
    while len(surveys) < MOST_SURVEYS * arguments.surveys:
        number = len(surveys)
        surveys.append(run_survey(store, f"survey-{number}", options))
        count = len(alike(surveys))
        print(f"{number + 1} surveys done, {count} alike", file=sys.stderr)
        if count >= arguments.surveys:
            break
    return surveys


def spread(values: Sequence[float]) -> float:
    """(max - min) / median, in percent."""
    return 100 * (max(values) - min(values)) / float(np.median(values))


def spreads(surveys: Sequence[Survey], operation: str) -> dict[str, float]:
    """Return per case the relative spread of the reported values, in percent."""
    values: dict[str, list[float]] = defaultdict(list)
    for survey in surveys:
        for result in survey.of(operation):
            if result.headline is not None:
                values[result.case].append(result.headline.value)
    return {case: spread(each) for case, each in values.items()}


def spread_of_cores(surveys: Sequence[Survey]) -> str:
    """Say how far the machine's own values lie apart."""
    found = []
    for what, own in (
        ("distance", [survey.core_seconds for survey in surveys]),
        ("speed", [survey.work_seconds for survey in surveys]),
    ):
        known = [each for each in own if each is not None]
        if len(known) == len(surveys):
            found.append(f"{what} {spread(known):.1f} %")
    return f"the cores' own: {', '.join(found)}" if found else ""


def longest_sweep(surveys: Sequence[Survey], operation: str) -> float:
    """Return the most measuring seconds that any survey spent on `operation`."""
    return max(
        sum(result.measuring_seconds for result in survey.of(operation)) for survey in surveys
    )


def figures(judged: Sequence[Survey], surveys: Sequence[Survey]) -> list[Figure]:
    """Hold the spreads of the `judged` ones of the `surveys` against their bars."""
    found = []
    for operation, (over_sizes, worst_bar) in BARS.items():
        cases = spreads(judged, operation)
        worst = max(cases, key=lambda case: cases[case])
        median = float(np.median(list(cases.values())))
        parts = []
        if len(judged) < len(surveys):
            everything = list(spreads(surveys, operation).values())
            parts.append(Part("of all surveys", float(np.median(everything))))
        found.append(Figure(f"{operation}, median size", median, over_sizes, "%", parts=parts))
        if worst_bar is not None:
            found.append(
                Figure(f"{operation}, worst size", cases[worst], worst_bar, "%", note=worst)
            )
        seconds = longest_sweep(judged, operation)
        found.append(Figure(f"{operation}, measuring", seconds, SECONDS_BAR, "s"))
    return found


def main() -> int:
    """Run the surveys and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--surveys", type=int, default=5, help="(default: 5)")
    parser.add_argument("--launches", type=int, default=25, help="per survey (default: 25)")
    parser.add_argument("--max-time", default="48ms", help="per case (default: 48ms)")
    parser.add_argument("--store", type=Path, help="keep the records there (default: nowhere)")
    add_check_option(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as passing:
        surveys = run_surveys(arguments.store or Path(passing), arguments)
    judged = alike(surveys)[: arguments.surveys]
    print(f"{len(judged)} of {len(surveys)} surveys are judged; {spread_of_cores(judged)}")
    if len(judged) < len(surveys):
        print(f"of all {len(surveys)}, {spread_of_cores(surveys)}")
    return report(figures(judged, surveys), arguments.check)


if __name__ == "__main__":
    sys.exit(main())
