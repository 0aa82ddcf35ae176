# SPDX-License-Identifier: BSD-3-Clause
"""Do transrank's numbers agree with those of OSU and IMB on the same MPI?

Runs the suites' own binaries (not part of transrank; built by the user against the MPI that
transrank was built with) and transrank in alternation at two ranks: in each round two sets of five
launches of every suite's program, of which the medians count, and one launch of transrank, one
after the other in random order. Buffers lie as the suite's do: OSU's begin at a page boundary,
IMB's, from malloc, 16 bytes past one; transrank is measured both ways. Compared are means, since
means are what the suites print, and beside them stand transrank's medians. At each size the ratio
transrank / suite must lie within the larger of 7 % and the suite's own A/A difference: that of the
medians of its two sets of launches. A size differs when the whole 95 % interval of the ratio lies
beyond; it is unclear when the interval is wider than the tolerance, or the ratio lies beyond but
its interval does not.

Where a hypervisor moves the two CPUs, each launch may meet another machine. So the latency between
the cores is measured between launches, without the MPI, and a pair of launches counts when it was
the same before and after both: that of the distances which most pairs met. Rounds are added until
enough pairs count.
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
from native import build, printed_at_two_ranks
from rich.console import Console
from rich.table import Table
from survey import core_latency_now, measure

from transrank.lab.stats.compare import paired_ratio
from transrank.lab.stats.cores import CoreState
from transrank.lab.stats.estimate import Estimate
from transrank.lab.store.suites import imb, osu
from transrank.lab.units import format_bytes, format_percent, format_seconds

TOLERANCE = 0.07
SMALLEST, LARGEST = 0, 4 << 20
# A suite takes 0.1 ms for its samples of a small size, so that one launch says little.
LAUNCHES = 5
# At most so many times the rounds asked for are taken, and with fewer pairs nothing is compared.
MOST_ROUNDS = 3
LEAST_PAIRS = 3
# Bytes from a page boundary to where a suite's buffers begin.
BUFFER_OFFSETS: Mapping[str, int] = {"IMB": 16, "OSU": 0}
OURS: Mapping[str, Sequence[str]] = {
    "pingpong": ["pingpong"],
    "allreduce": [
        "collectives",
        "--axis=operation=allreduce",
        "--axis=form=blocking",
        "--axis=datatype=float",
    ],
}


@dataclass(frozen=True)
class Own:
    """transrank's measurement of one operation."""

    operation: str
    buffer_offset: int


@dataclass(frozen=True)
class Peer:
    """A suite's program for one operation."""

    suite: str
    operation: str
    command: tuple[str, ...]

    @property
    def own(self) -> Own:
        """Return what it is compared with."""
        return Own(self.operation, BUFFER_OFFSETS[self.suite])

    @property
    def own_aligned(self) -> Own:
        """Return the same from buffers that begin at a page boundary."""
        return Own(self.operation, 0)

    def run(self) -> dict[int, float]:
        """Return seconds by bytes: the medians of what a few launches print."""
        launches = [self.launch() for _ in range(LAUNCHES)]
        return {size: median_at(launches, size) for size in launches[0]}

    def launch(self) -> dict[int, float]:
        """Return seconds by bytes, as one launch prints them."""
        reader = imb if self.suite == "IMB" else osu
        return {
            reading.bytes: reading.seconds
            for reading in reader.read(printed_at_two_ranks(self.command)).readings
            if reading.bytes is not None and reading.seconds is not None
        }


def print_clock_readings() -> None:
    """Print what OSU's way of timing a ping-pong adds to it."""
    message, added = map(float, printed_at_two_ranks([str(build("clock_readings"))]).split())
    print(
        f"osu_latency reads the clock around each round trip, IMB and transrank around a loop: "
        f"that adds {format_seconds(added)} to the {format_seconds(message)} of 8 B here"
    )


@dataclass(frozen=True)
class Launched:
    """What one program found, seconds by bytes, and the cores' latency before and after it.

    `medians` are transrank's.
    """

    means: Mapping[int, float]
    cores: tuple[float, float]
    medians: Mapping[int, float] = field(default_factory=dict)

    def was_at(self, distance: CoreState) -> bool:
        """Whether the cores were at `distance` before it and after it."""
        return bool(distance.at_distance(np.array(self.cores)).all())


@dataclass
class Rounds:
    """The launches of every program, one per round."""

    first: dict[Peer, list[Launched]] = field(default_factory=lambda: defaultdict(list))
    second: dict[Peer, list[Launched]] = field(default_factory=lambda: defaultdict(list))
    own: dict[Own, list[Launched]] = field(default_factory=lambda: defaultdict(list))
    cores: list[list[float]] = field(default_factory=list)

    def distances(self) -> Sequence[CoreState]:
        """Return the distances that the cores were found at, the nearest first."""
        return distances(np.concatenate(self.cores))

    def best(self, peers: Sequence[Peer]) -> CoreState:
        """Return the distance at which most pairs were taken: that of the launches that count."""
        return max(self.distances(), key=lambda distance: self.fewest(peers, distance))

    def fewest(self, peers: Sequence[Peer], distance: CoreState) -> int:
        """Return how many pairs with each of the peers were taken at `distance`, at least."""
        return min(len(self.pairs(peer, distance)) for peer in peers)

    def pairs(self, peer: Peer, distance: CoreState) -> list[tuple[Launched, Launched]]:
        """Return the launches of `peer` and of transrank, of one round each, at `distance`."""
        return [
            (theirs, ours)
            for theirs, ours in zip(self.first[peer], self.own[peer.own], strict=True)
            if theirs.was_at(distance) and ours.was_at(distance)
        ]


def peers(imb_program: Path | None, osu_folder: Path | None) -> list[Peer]:
    """Return the programs to compare with."""
    found = []
    if imb_program is not None:
        found += [
            Peer("IMB", name.lower(), (str(imb_program), name))
            for name in ("PingPong", "Allreduce")
        ]
    if osu_folder is not None:
        sizes = ("-m", f"{SMALLEST}:{LARGEST}")
        found.append(Peer("OSU", "pingpong", (str(osu_folder / "osu_latency"), *sizes)))
        reduction = (str(osu_folder / "osu_allreduce"), "-T", "mpi_float", *sizes)
        found.append(Peer("OSU", "allreduce", reduction))
    return found


def measure_own(store: Path, own: Own, max_time: str) -> tuple[dict[int, float], dict[int, float]]:
    """Measure one launch; return means and medians."""
    options = ["--launches=1", "--ranks=2", f"--max-time={max_time}"]
    options.append(f"--buffer-offset={own.buffer_offset}")
    results = measure(store, own.operation, [*OURS[own.operation], *options])
    means, medians = {}, {}
    for result in results:
        if result.headline is not None and result.imb is not None:
            size = int(result.axes["bytes"])
            medians[size] = result.headline.value
            means[size] = result.imb.mean
    return means, medians


def take_rounds(arguments: argparse.Namespace, programs: Sequence[Peer], store: Path) -> Rounds:
    """Run everything in alternation, until enough pairs of launches count or the time is over."""
    end = time.monotonic() + 60 * arguments.minutes
    rounds = Rounds()
    order = random.Random(arguments.seed)
    paired = {peer.own for peer in programs}
    groups: list[list[tuple[str, Peer | Own]]] = [
        [("first", peer), ("second", peer), ("own", peer.own)] for peer in programs
    ]
    groups += [
        [("own", own)]
        for own in dict.fromkeys(peer.own_aligned for peer in programs)
        if own not in paired
    ]
    for number in range(MOST_ROUNDS * arguments.rounds):
        order.shuffle(groups)
        for group in groups:
            order.shuffle(group)
        cores = [core_latency_now(store)]
        for which, what in itertools.chain.from_iterable(groups):
            medians: Mapping[int, float] = {}
            if isinstance(what, Own):
                means, medians = measure_own(store, what, arguments.max_time)
                into = rounds.own[what]
            else:
                means = what.run()
                into = rounds.first[what] if which == "first" else rounds.second[what]
            cores.append(core_latency_now(store))
            into.append(Launched(means, (cores[-2], cores[-1]), medians))
        rounds.cores.append(cores)
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
    ratio: Estimate

    @property
    def tolerance(self) -> float:
        """Return how far the ratio may lie from one."""
        return max(TOLERANCE, self.own_difference)

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


def median_at(launches: Sequence[Mapping[int, float]], size: int) -> float:
    """Return the median over launches of what they say at `size`."""
    return float(np.median([launch[size] for launch in launches]))


def compare(peer: Peer, rounds: Rounds, distance: CoreState) -> list[Size]:
    """Compare the launches at `distance` at every size that all of them have."""
    pairs = rounds.pairs(peer, distance)
    first, own = [theirs.means for theirs, _ in pairs], [ours for _, ours in pairs]
    second, aligned = (
        [each.means for each in launches if each.was_at(distance)]
        for launches in (rounds.second[peer], rounds.own[peer.own_aligned])
    )
    if min(len(pairs), len(second), len(aligned)) < LEAST_PAIRS:
        return []
    common = set.intersection(*map(set, [*first, *second, *(each.means for each in own)]))
    sizes = []
    for size in sorted(common):
        a, b = median_at(first, size), median_at(second, size)
        ratio = paired_ratio([each[size] for each in first], [each.means[size] for each in own])
        sizes.append(
            Size(
                bytes=size,
                theirs=a,
                own_mean=median_at([each.means for each in own], size),
                own_median=median_at([each.medians for each in own], size),
                aligned_mean=median_at(aligned, size),
                own_difference=max(a, b) / min(a, b) - 1,
                ratio=ratio,
            )
        )
    return sizes


def print_sizes(peer: Peer, sizes: Sequence[Size]) -> None:
    """Print the comparison with one program."""
    columns = ["size", peer.suite, "mean", "median", "aligned", "ratio", "95 %", "allowed"]
    table = Table(
        *columns,
        "verdict",
        box=None,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        title=f"{peer.operation}: transrank, {peer.suite}; ratio of the means, and what is allowed",
    )
    for size in sizes:
        table.add_row(
            format_bytes(size.bytes),
            format_seconds(size.theirs),
            format_seconds(size.own_mean),
            format_seconds(size.own_median),
            format_seconds(size.aligned_mean),
            f"{size.ratio.value:.3f}",
            f"{size.ratio.low:.2f}–{size.ratio.high:.2f}",
            f"{100 * size.tolerance:.0f} %",
            size.verdict,
        )
    Console().print(table)


def figure(peer: Peer, sizes: Sequence[Size], pairs: int) -> Figure:
    """Count the sizes that differ; none compared counts as one that does."""
    name = f"{peer.operation} against {peer.suite}: differing sizes"
    if not sizes:
        note = f"only {pairs} pairs met the cores equally far apart: take more rounds"
        return Figure(name, 1, 0, note=note)
    differing = [size for size in sizes if size.verdict == "differs"]
    unclear = sum(size.verdict == "unclear" for size in sizes)
    note = f"of {len(sizes)}, {unclear} unclear; {pairs} pairs"
    if differing:
        note = f"{', '.join(format_bytes(size.bytes) for size in differing)}; {note}"
    return Figure(name, len(differing), 0, note=note)


def main() -> int:
    """Run in alternation and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--imb", type=Path, metavar="FILE", help="IMB-MPI1")
    parser.add_argument("--osu", type=Path, metavar="DIR", help="where osu_latency lies")
    parser.add_argument("--rounds", type=int, default=5, help="pairs that shall count (default: 5)")
    parser.add_argument(
        "--minutes",
        type=float,
        default=math.inf,
        help="compare what there is after so many (default: no limit)",
    )
    parser.add_argument("--max-time", default="100ms", help="per case and launch (default: 100ms)")
    parser.add_argument("--seed", type=int, default=1, help="order within a round (default: 1)")
    add_check_option(parser)
    arguments = parser.parse_args()
    programs = peers(arguments.imb, arguments.osu)
    if not programs:
        print("skipped: name the suites' programs with --imb and --osu", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory() as store:
        rounds = take_rounds(arguments, programs, Path(store))
    best = rounds.best(programs)
    for distance in rounds.distances():
        counts = ": counts" if distance == best else ""
        share = float(distance.at_distance(np.concatenate(rounds.cores)).mean())
        print(f"cores {distance} in {format_percent(share)} of the looks{counts}")
    if arguments.osu is not None:
        print_clock_readings()
    figures = []
    for peer in programs:
        sizes = compare(peer, rounds, best)
        print_sizes(peer, sizes)
        figures.append(figure(peer, sizes, len(rounds.pairs(peer, best))))
    return report(figures, arguments.check)


if __name__ == "__main__":
    sys.exit(main())
