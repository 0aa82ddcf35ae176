# SPDX-License-Identifier: BSD-3-Clause
"""How far do repeated surveys of one machine lie apart?

Runs the same short survey several times at two ranks and prints, per operation, the spread
(max - min) / median of the reported value: its median over sizes and the worst size, beside the
measuring time that one survey spent on that operation's whole sweep. A collective of 0 bytes, which
returns at once, is left out. Beside it stands the machine's own spread, whatever the MPI does: of
the time that a cache line took between the two cores, and of the time that a fixed piece of work
took on the slower one when nobody disturbed it. What runs on them cannot repeat better.

With --osu or --imb the suites' own programs of the same operations (built by the user, as for
agreement.py) run after each survey, each for the wall-clock time that the survey took per
operation: one launch after the other, of whose printed means the medians are their result. The
first of those launches, which is what most people read, stands beside it. The bar is then a tenth
of the best suite's spread, where that is more.

Where a hypervisor moves the two CPUs, surveys may meet different machines, and each says which one
its values are of. So surveys are added until as many as were asked for are of one state of the
cores (distance and speed), or three times as many are done. Those are judged, and the suites by
what ran after them; below stands the spread of all.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bars import Figure, Part, add_check_option, report
from suites import DEFAULT, Peer, Sizes, add_suites, peers
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

# What a suite's program printed within the time of a survey: seconds by bytes, launch by launch.
Printed = Mapping[Peer, Sequence[Mapping[int, float]]]


@dataclass(frozen=True)
class Round:
    """A survey, and what the suites printed right after it."""

    survey: Survey
    printed: Printed


def run_rounds(store: Path, programs: Sequence[Peer], arguments: argparse.Namespace) -> list[Round]:
    """Run surveys until enough of them are of one state of the cores."""
    options = [f"--max-time={arguments.max_time}", f"--launches={arguments.launches}"]
    rounds: list[Round] = []
    while len(rounds) < MOST_SURVEYS * arguments.surveys:
        begin = time.monotonic()
        survey = run_survey(store, f"survey-{len(rounds)}", options)
        seconds = (time.monotonic() - begin) / len(BARS)
        rounds.append(Round(survey, {peer: launched_for(seconds, peer) for peer in programs}))
        count = len(alike([each.survey for each in rounds]))
        print(f"{len(rounds)} surveys done, {count} alike", file=sys.stderr)
        if count >= arguments.surveys:
            break
    return rounds


def launched_for(seconds: float, peer: Peer) -> list[Mapping[int, float]]:
    """Launch a suite's program until the time is spent; return what each launch printed."""
    end = time.monotonic() + seconds
    launches: list[Mapping[int, float]] = [peer.launch()]
    while time.monotonic() < end:
        launches.append(peer.launch())
    return launches


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


def spreads_printed(rounds: Sequence[Round], peer: Peer, launches: slice) -> list[float]:
    """Return by size how far the medians over some launches of a suite's program lie apart."""
    found = [each.printed[peer][launches] for each in rounds]
    return [
        spread([float(np.median([launch[size] for launch in each])) for each in found])
        for size in found[0][0]
    ]


def spread_of_cores(surveys: Sequence[Survey]) -> str:
    """Say how far the machine's own values lie apart."""
    found = []
    for what, own in (
        ("distance", [survey.state.latency_seconds for survey in surveys]),
        ("speed", [survey.state.work_seconds for survey in surveys]),
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


def figures(judged: Sequence[Round], rounds: Sequence[Round]) -> list[Figure]:
    """Hold the spreads of the `judged` ones of the `rounds` against their bars."""
    found = []
    surveys = [each.survey for each in judged]
    for operation, (bar, worst_bar) in BARS.items():
        cases = spreads(surveys, operation)
        worst = max(cases, key=lambda case: cases[case])
        median = float(np.median(list(cases.values())))
        parts, suites = [], []
        for peer in judged[0].printed:
            if peer.operation == operation:
                theirs = spreads_printed(judged, peer, slice(None))
                first = spreads_printed(judged, peer, slice(1))
                launches = np.mean([len(each.printed[peer]) for each in judged])
                suites.append(float(np.median(theirs)))
                parts.append(Part(f"{peer.suite}, {launches:.0f} launches", suites[-1]))
                parts.append(Part(f"{peer.suite}, worst size", max(theirs)))
                parts.append(Part(f"{peer.suite}, one launch", float(np.median(first))))
        if len(judged) < len(rounds):
            everything = list(spreads([each.survey for each in rounds], operation).values())
            parts.append(Part("of all surveys", float(np.median(everything))))
        over_sizes = max(bar, min(suites, default=0) / 10)
        found.append(Figure(f"{operation}, median size", median, over_sizes, "%", parts=parts))
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
    parser.add_argument("--launches", type=int, default=25, help="per survey (default: 25)")
    parser.add_argument("--max-time", default="48ms", help="per case (default: 48ms)")
    parser.add_argument("--store", type=Path, help="keep the records there (default: nowhere)")
    add_suites(parser)
    add_check_option(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as passing:
        folder = Path(passing)
        programs = peers(DEFAULT, arguments.imb, arguments.osu, Sizes(), folder)
        rounds = run_rounds(arguments.store or folder, programs, arguments)
    surveys = [each.survey for each in rounds]
    same = alike(surveys)[: arguments.surveys]
    judged = [each for each in rounds if any(each.survey is one for one in same)]
    print(f"{len(judged)} of {len(rounds)} surveys are judged; {spread_of_cores(same)}")
    if len(judged) < len(rounds):
        print(f"of all {len(rounds)}, {spread_of_cores(surveys)}")
    return report(figures(judged, rounds), arguments.check)


if __name__ == "__main__":
    sys.exit(main())
