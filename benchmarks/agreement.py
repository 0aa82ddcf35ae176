# SPDX-License-Identifier: BSD-3-Clause
"""Do transrank's numbers agree with those of OSU and IMB on the same MPI?

Runs the suites' own binaries (not part of transrank; built by the user against the MPI that
transrank was built with) and transrank in alternation at two ranks: in each round every suite twice
and transrank once, in random order. Buffers lie as the suite's do: OSU's begin at a page boundary,
IMB's, from malloc, 16 bytes past one; transrank is measured both ways. Compared are means, since
means are what the suites print, and beside them stand transrank's medians. At each size the ratio
transrank / suite must lie within the larger of 7 % and the suite's own A/A difference: that of the
medians of its two sets of launches. A size differs when the whole 95 % interval of the ratio lies
beyond; it is unclear when the interval is wider than the tolerance, or the ratio lies beyond but
its interval does not.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from bars import Figure, add_check_option, report
from rich.console import Console
from rich.table import Table
from survey import measure

from transrank.launch import launchers
from transrank.launch.launcher import Capacity
from transrank.stats.compare import paired_ratio
from transrank.stats.estimate import Estimate
from transrank.store.records import Shape
from transrank.store.suites import imb, osu
from transrank.units import format_bytes, format_seconds

TOLERANCE = 0.07
SHAPE = Shape(ranks=2, ranks_per_node=0)
SMALLEST, LARGEST = 0, 4 << 20
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
        """Return seconds by bytes, as this launch prints them."""
        launcher = launchers.default_launcher(Capacity(cores_per_node=2))
        command = launcher.command(SHAPE, list(self.command))
        environment = {**os.environ, **launcher.settings(SHAPE)}
        printed = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True, timeout=300
        ).stdout
        reader = imb if self.suite == "IMB" else osu
        return {
            reading.bytes: reading.seconds
            for reading in reader.read(printed).readings
            if reading.bytes is not None and reading.seconds is not None
        }


@dataclass
class Rounds:
    """Seconds by bytes, a dictionary per round; of transrank the mean and the median."""

    first: dict[Peer, list[dict[int, float]]] = field(default_factory=lambda: defaultdict(list))
    second: dict[Peer, list[dict[int, float]]] = field(default_factory=lambda: defaultdict(list))
    means: dict[Own, list[dict[int, float]]] = field(default_factory=lambda: defaultdict(list))
    medians: dict[Own, list[dict[int, float]]] = field(default_factory=lambda: defaultdict(list))


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


def measure_own(store: Path, own: Own, max_time: str, rounds: Rounds) -> None:
    """Measure one launch."""
    options = ["--launches=1", "--ranks=2", f"--max-time={max_time}"]
    options.append(f"--buffer-offset={own.buffer_offset}")
    results = measure(store, own.operation, [*OURS[own.operation], *options])
    means, medians = {}, {}
    for result in results:
        if result.headline is not None and result.imb is not None:
            size = int(result.axes["bytes"])
            medians[size] = result.headline.value
            means[size] = result.imb.mean
    rounds.means[own].append(means)
    rounds.medians[own].append(medians)


def take_rounds(arguments: argparse.Namespace, programs: Sequence[Peer], store: Path) -> Rounds:
    """Run everything in alternation."""
    rounds = Rounds()
    order = random.Random(arguments.seed)
    ours = dict.fromkeys(own for peer in programs for own in (peer.own, peer.own_aligned))
    for number in range(arguments.rounds):
        tasks: list[tuple[str, Peer | Own]] = [("own", own) for own in ours]
        tasks += [(which, peer) for peer in programs for which in ("first", "second")]
        order.shuffle(tasks)
        for which, what in tasks:
            if isinstance(what, Own):
                measure_own(store, what, arguments.max_time, rounds)
            elif which == "first":
                rounds.first[what].append(what.run())
            else:
                rounds.second[what].append(what.run())
        print(f"round {number + 1} of {arguments.rounds} done", file=sys.stderr)
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


def compare(peer: Peer, rounds: Rounds) -> list[Size]:
    """Compare at every size that all launches have."""
    first, second = rounds.first[peer], rounds.second[peer]
    own = rounds.means[peer.own]
    common = set.intersection(*(set(launch) for launch in [*first, *second, *own]))
    sizes = []
    for size in sorted(common):
        a, b = median_at(first, size), median_at(second, size)
        sizes.append(
            Size(
                bytes=size,
                theirs=a,
                own_mean=median_at(own, size),
                own_median=median_at(rounds.medians[peer.own], size),
                aligned_mean=median_at(rounds.means[peer.own_aligned], size),
                own_difference=max(a, b) / min(a, b) - 1,
                ratio=paired_ratio([each[size] for each in first], [each[size] for each in own]),
            )
        )
    return sizes


def print_sizes(peer: Peer, sizes: Sequence[Size]) -> None:
    """Print the comparison with one program."""
    columns = ["size", peer.suite, "mean", "median", "mean, aligned", "mean/suite", "95 %"]
    columns += ["allowed", "verdict"]
    table = Table(
        *columns, box=None, pad_edge=False, title=f"{peer.operation}: transrank, {peer.suite}"
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


def figure(peer: Peer, sizes: Sequence[Size]) -> Figure:
    """Count the sizes that differ."""
    differing = [size for size in sizes if size.verdict == "differs"]
    unclear = sum(size.verdict == "unclear" for size in sizes)
    note = f"of {len(sizes)}, {unclear} unclear"
    if differing:
        note = f"{', '.join(format_bytes(size.bytes) for size in differing)}; {note}"
    name = f"{peer.operation} against {peer.suite}: differing sizes"
    return Figure(name, len(differing), 0, note=note)


def main() -> int:
    """Run in alternation and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--imb", type=Path, metavar="FILE", help="IMB-MPI1")
    parser.add_argument("--osu", type=Path, metavar="DIR", help="where osu_latency lies")
    parser.add_argument("--rounds", type=int, default=5, help="(default: 5)")
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
    figures = []
    for peer in programs:
        sizes = compare(peer, rounds)
        print_sizes(peer, sizes)
        figures.append(figure(peer, sizes))
    return report(figures, arguments.check)


if __name__ == "__main__":
    sys.exit(main())
