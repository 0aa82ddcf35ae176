# SPDX-License-Identifier: BSD-3-Clause
"""Do transrank's numbers agree with those of OSU and IMB on the same MPI?

Runs the suites' own binaries (not part of transrank; built by the user against the MPI that
transrank was built with) and transrank in alternation at two ranks: in each round two sets of five
launches of every suite's program and five launches of transrank, of which the medians count, in
random order. Buffers lie as the suite's do: OSU's begin at a page boundary,
IMB's, from malloc, 16 bytes past one; transrank is measured both ways. Compared are means, since
means are what the suites print, and beside them stand transrank's medians; of overlap what both at
once take of what communication and computation take one after the other. OSU's one-sided programs
read the clock before and after each window of operations; that is added to transrank's.
osu_multi_lat sets a barrier before each round trip: --without-barriers loads an MPI_Barrier that
returns at once with OSU's programs, and so shows what the barriers change. At each size the ratio
transrank / suite must lie within the larger of 7 % and the suite's own A/A difference, that of the
medians of its two sets of launches, and half of the last digit that it prints. A size differs when
the whole 95 % interval of the ratio lies beyond; it is unclear when the interval is wider than the
tolerance, or the ratio lies beyond but its interval does not.

Where a hypervisor moves the two CPUs, each launch may meet another machine. So the latency between
the cores is measured, without the MPI, before and after each of the suite's launches, and in each
round of transrank's; a launch counts when it was the same throughout: that of the distances at
which most rounds have launches of both. Rounds are added until enough do.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from bars import Figure, add_check_option, report
from core_states import distances
from native import build, build_preloaded, printed_at_two_ranks
from rich.console import Console
from rich.table import Table
from suites import (
    DEFAULT,
    LARGEST,
    OPERATIONS,
    PARTS,
    Own,
    Peer,
    Sizes,
    add_suites,
    peers,
    shares,
)
from survey import run

from transrank.lab.stats.compare import paired_ratio
from transrank.lab.stats.cores import CoreState
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.summary import summarise_case
from transrank.lab.units import format_bytes, format_percent, format_seconds

TOLERANCE = 0.07
# Seconds of the last digit that suites print of a time.
LAST_DIGIT = 1e-8
# A suite takes 0.1 ms for its samples of a small size, so that one launch says little.
LAUNCHES = 5
# The median of fewer launches of a round is none.
LEAST_LAUNCHES = 2
# At most so many times the rounds asked for are taken, and with fewer pairs nothing is compared.
MOST_ROUNDS = 3
LEAST_PAIRS = 3
# Looks at the cores until they are found; a look during which a rank lost its core tells nothing.
LOOKS = 20


def look_at_clock() -> float:
    """Print what OSU's way of timing a ping-pong adds to it; return the seconds of a reading."""
    printed = printed_at_two_ranks([str(build("clock_readings"))])
    message, added, reading = map(float, printed.split())
    print(
        f"osu_latency reads the clock around each round trip, IMB and transrank around a loop: "
        f"that adds {format_seconds(added)} to the {format_seconds(message)} of 8 B here; "
        f"a reading takes {format_seconds(reading)}"
    )
    return reading


def core_latency_now() -> float:
    """Return the seconds that a cache line takes just now between the cores of two ranks.

    Raises
    ------
    RuntimeError
        it cannot be measured here: the ranks share no node, or have no core each.
    """
    program = build("core_latency")
    for _ in range(LOOKS):
        found = float(printed_at_two_ranks([str(program)]))
        if not math.isnan(found):
            return found
    raise RuntimeError("two ranks need a core each, on one node")


@dataclass(frozen=True)
class Found:
    """What one launch found at one size, and what a cache line took meanwhile.

    `median` is transrank's.
    """

    mean: float
    cores: tuple[float, ...]
    median: float = math.nan

    def was_at(self, distance: CoreState) -> bool:
        """Whether the cores were at `distance` all the time."""
        return bool(self.cores) and bool(distance.at_distance(np.array(self.cores)).all())


# The launches of one program in one round, by size.
Launches = Mapping[int, Sequence[Found]]


def means_at(launches: Launches, size: int, distance: CoreState) -> float | None:
    """Return the median over the launches at `distance`, None if they are too few."""
    counted = [found.mean for found in launches.get(size, ()) if found.was_at(distance)]
    return float(np.median(counted)) if len(counted) >= LEAST_LAUNCHES else None


@dataclass
class Rounds:
    """The launches of every program, round by round."""

    first: dict[Peer, list[Launches]] = field(default_factory=lambda: defaultdict(list))
    second: dict[Peer, list[Launches]] = field(default_factory=lambda: defaultdict(list))
    own: dict[Own, list[Launches]] = field(default_factory=lambda: defaultdict(list))

    def looks(self) -> np.ndarray:
        """Return what a cache line took, all looks at it."""
        every = itertools.chain(*self.first.values(), *self.second.values(), *self.own.values())
        founds = itertools.chain.from_iterable(launches.values() for launches in every)
        return np.array([each for found in founds for one in found for each in one.cores])

    def distances(self) -> Sequence[CoreState]:
        """Return the distances that the cores were found at, the nearest first."""
        return distances(self.looks())

    def best(self, peers: Sequence[Peer]) -> CoreState:
        """Return the distance at which most pairs were taken: that of the launches that count."""
        return max(self.distances(), key=lambda distance: self.fewest(peers, distance))

    def fewest(self, peers: Sequence[Peer], distance: CoreState) -> int:
        """Return how many pairs were taken at `distance`, at least, with each peer at each size."""
        return min(
            len(self.pairs(peer, size, distance)) for peer in peers for size in self.sizes(peer)
        )

    def sizes(self, peer: Peer) -> list[int]:
        """Return the sizes that both have."""
        theirs, ours = (
            {*itertools.chain.from_iterable(launches)}
            for launches in (self.first[peer], self.own[peer.own])
        )
        return sorted(theirs & ours)

    def pairs(self, peer: Peer, size: int, distance: CoreState) -> list[tuple[float, float]]:
        """Return what `peer` and transrank found at `distance`, round by round."""
        both = (
            (means_at(theirs, size, distance), means_at(ours, size, distance))
            for theirs, ours in zip(self.first[peer], self.own[peer.own], strict=True)
        )
        return [(theirs, ours) for theirs, ours in both if theirs is not None and ours is not None]


def launch_own(store: Path, own: Own, max_time: str, sizes: Sizes) -> Launches:
    """Measure a few launches of transrank."""
    operation = OPERATIONS[own.operation]
    options = [f"--launches={LAUNCHES}", "--ranks=2", f"--max-time={max_time}"]
    options += [f"--buffer-offset={own.buffer_offset}", f"--sizes={sizes.of(operation, '..')}"]
    launched: dict[int, dict[tuple[int, str], Found]] = defaultdict(dict)
    for case in run(store, own.operation, [*operation.ours, *options]).cases:
        result = summarise_case([case])
        if result.headline is None or result.imb is None or result.bytes is None:
            continue
        looks = case.samples.core_latency_seconds if case.samples is not None else None
        cores = () if looks is None else tuple(looks[looks > 0])
        key = result.bytes, str(result.axes.get("part", ""))
        launched[case.launch][key] = Found(result.imb.mean, cores, result.headline.value)
    found = defaultdict(list)
    for parts in launched.values():
        for size, one in (shared(parts) if operation.overlap else whole(parts)).items():
            found[size].append(one)
    return found


def whole(parts: Mapping[tuple[int, str], Found]) -> dict[int, Found]:
    """Return what a launch found, by size."""
    return {size: found for (size, _), found in parts.items()}


def shared(parts: Mapping[tuple[int, str], Found]) -> dict[int, Found]:
    """Return what a launch found of the time of communication and computation, by size."""
    means = shares({key: found.mean for key, found in parts.items()})
    medians = shares({key: found.median for key, found in parts.items()})
    cores = {
        size: tuple(itertools.chain(*(parts[size, part].cores for part in PARTS))) for size in means
    }
    return {size: Found(means[size], cores[size], medians[size]) for size in means}


def launch_peer(peer: Peer) -> tuple[Launches, Launches]:
    """Launch a suite's program, for two sets of launches in turns."""
    found: tuple[dict[int, list[Found]], ...] = defaultdict(list), defaultdict(list)
    before = core_latency_now()
    for launch in range(2 * LAUNCHES):
        printed = peer.launch()
        after = core_latency_now()
        for size, mean in printed.items():
            found[launch % 2][size].append(Found(mean, (before, after)))
        before = after
    return found[0], found[1]


def take_rounds(
    arguments: argparse.Namespace, programs: Sequence[Peer], sizes: Sizes, store: Path
) -> Rounds:
    """Run everything in alternation, until enough pairs count or the time is over."""
    end = time.monotonic() + 60 * arguments.minutes
    rounds = Rounds()
    order = random.Random(arguments.seed)
    own = [*dict.fromkeys(each for peer in programs for each in (peer.own, peer.own_aligned))]
    every: list[Peer | Own] = [*programs, *own]
    for number in range(MOST_ROUNDS * arguments.rounds):
        order.shuffle(every)
        for what in every:
            if isinstance(what, Own):
                found = launch_own(store, what, arguments.max_time, sizes)
                rounds.own[what].append(found)
            else:
                first, second = launch_peer(what)
                rounds.first[what].append(first)
                rounds.second[what].append(second)
        fewest = rounds.fewest(programs, rounds.best(programs))
        print(f"round {number + 1} done; {fewest} or more pairs count", file=sys.stderr)
        if fewest >= arguments.rounds or time.monotonic() > end:
            break
    return rounds


@dataclass(frozen=True)
class Size:
    """The comparison at one size."""

    bytes: int
    theirs: float
    own_mean: float
    own_median: float
    aligned_mean: float
    own_difference: float
    resolution: float
    ratio: Estimate
    pairs: int

    @property
    def tolerance(self) -> float:
        """Return how far the ratio may lie from one."""
        return max(TOLERANCE, self.own_difference) + self.resolution

    @property
    def verdict(self) -> str:
        """Judge the interval of the ratio against the tolerance."""
        low, high = self.ratio.low, self.ratio.high
        assert low is not None
        assert high is not None
        least, most = 1 / (1 + self.tolerance), 1 + self.tolerance
        if low > most or high < least:
            return "differs"
        wide = max(high / self.ratio.value, self.ratio.value / low) > most
        return "unclear" if wide or not least <= self.ratio.value <= most else "agrees"


def compare(peer: Peer, rounds: Rounds, distance: CoreState, reading: float) -> list[Size]:
    """Compare what was found at `distance` at every size at which enough pairs count."""
    sizes = []
    readings = reading * OPERATIONS[peer.operation].clock_readings if peer.suite == "OSU" else 0.0
    for size in rounds.sizes(peer):
        pairs = rounds.pairs(peer, size, distance)
        again = [
            mean
            for launches in rounds.second[peer]
            if (mean := means_at(launches, size, distance)) is not None
        ]
        if min(len(pairs), len(again)) < LEAST_PAIRS:
            continue
        theirs, ours = zip(*pairs, strict=True)
        a, b = float(np.median(theirs)), float(np.median(again))
        sizes.append(
            Size(
                bytes=size,
                theirs=a,
                own_mean=float(np.median(ours)),
                own_median=median_at(rounds.own[peer.own], size, distance, "median"),
                aligned_mean=median_at(rounds.own[peer.own_aligned], size, distance, "mean"),
                own_difference=max(a, b) / min(a, b) - 1,
                resolution=0.0 if peer.overlap or peer.printed_rates else LAST_DIGIT / 2 / a,
                ratio=paired_ratio(theirs, [each + readings for each in ours]),
                pairs=len(pairs),
            )
        )
    return sizes


def median_at(rounds: Sequence[Launches], size: int, distance: CoreState, what: str) -> float:
    """Return the median of what transrank's launches at `distance` found."""
    every = itertools.chain.from_iterable(launches.get(size, ()) for launches in rounds)
    return float(np.median([getattr(found, what) for found in every if found.was_at(distance)]))


def print_sizes(peer: Peer, sizes: Sequence[Size]) -> None:
    """Print the comparison with one program."""
    columns = ["size", peer.suite, "mean", "median", "aligned", "ratio", "95 %", "allowed"]
    table = Table(
        *columns,
        "verdict",
        box=None,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        title=f"{peer.operation}: transrank, {peer.suite}; ratio of {peer.compared}",
    )
    for size in sizes:
        table.add_row(
            format_bytes(size.bytes),
            peer.text(size.theirs),
            peer.text(size.own_mean),
            peer.text(size.own_median),
            peer.text(size.aligned_mean),
            f"{size.ratio.value:.3f}",
            f"{size.ratio.low:.2f}–{size.ratio.high:.2f}",
            f"{100 * size.tolerance:.0f} %",
            size.verdict,
        )
    Console().print(table)


def figure(peer: Peer, sizes: Sequence[Size]) -> Figure:
    """Count the sizes that differ; none compared counts as one that does."""
    name = f"{peer.operation} against {peer.suite}: differing sizes"
    if not sizes:
        note = "too few pairs met the cores equally far apart: take more rounds"
        return Figure(name, 1, 0, note=note)
    differing = [size for size in sizes if size.verdict == "differs"]
    unclear = sum(size.verdict == "unclear" for size in sizes)
    pairs = min(size.pairs for size in sizes)
    note = f"of {len(sizes)}, {unclear} unclear; {pairs} pairs or more"
    if differing:
        note = f"{', '.join(format_bytes(size.bytes) for size in differing)}; {note}"
    return Figure(name, len(differing), 0, note=note)


def main() -> int:
    """Run in alternation and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_suites(parser)
    parser.add_argument(
        "--operation",
        action="append",
        choices=[*OPERATIONS],
        help=f"compare this; may be repeated (default: {' and '.join(DEFAULT)})",
    )
    parser.add_argument("--smallest", type=int, default=0, help="bytes (default: OSU's)")
    parser.add_argument("--largest", type=int, default=LARGEST, help="bytes (default: 4 MiB)")
    parser.add_argument("--rounds", type=int, default=5, help="pairs that shall count (default: 5)")
    parser.add_argument(
        "--minutes",
        type=float,
        default=math.inf,
        help="compare what there is after so many (default: no limit)",
    )
    parser.add_argument("--max-time", default="100ms", help="per case and round (default: 100ms)")
    parser.add_argument("--seed", type=int, default=1, help="order within a round (default: 1)")
    parser.add_argument(
        "--without-barriers", action="store_true", help="OSU's programs meet in no barrier"
    )
    add_check_option(parser)
    arguments = parser.parse_args()
    names = arguments.operation or DEFAULT
    sizes = Sizes(arguments.smallest, arguments.largest)
    with tempfile.TemporaryDirectory() as store, tempfile.TemporaryDirectory() as folder:
        preloaded = build_preloaded("no_barrier") if arguments.without_barriers else None
        programs = peers(names, arguments.imb, arguments.osu, sizes, Path(folder), preloaded)
        if not programs:
            print("skipped: name the suites' programs with --imb and --osu", file=sys.stderr)
            return 0
        rounds = take_rounds(arguments, programs, sizes, Path(store))
    best = rounds.best(programs)
    for distance in rounds.distances():
        counts = ": counts" if distance == best else ""
        share = float(distance.at_distance(rounds.looks()).mean())
        print(f"cores {distance} in {format_percent(share)} of the looks{counts}")
    reading = look_at_clock() if arguments.osu is not None else 0.0
    figures = []
    for peer in programs:
        compared = compare(peer, rounds, best, reading)
        print_sizes(peer, compared)
        figures.append(figure(peer, compared))
    return report(figures, arguments.check)


if __name__ == "__main__":
    sys.exit(main())
