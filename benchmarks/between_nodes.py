# SPDX-License-Identifier: BSD-3-Clause
"""What does one message per pair of nodes gain over one per pair of ranks?

Builds two hosts out of network namespaces (needs root, iproute2 and /dev/net/tun), joined by a line
of 50 µs and 1 Gbit/s, with four ranks on each. Ranks exchange blocks with their neighbors on a
periodic grid, a block of its own with every other rank, and one block with all, by persistent
messages of MPI between all pairs of ranks and by transrank, in turns. Counts what is handed to MPI
for the other host, and holds the times against those of MPI, round by round.

The hosts share the cores of this machine, also with the program that is their line: what is
compared is how much there is to do, not how fast a network is.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bars import Figure, add_check_option, report
from native import build

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support import launched_hosts, virtual_hosts
from support.launched_hosts import Site
from support.virtual_hosts import VirtualHosts

DELAY_SECONDS = 50e-6
BITS_PER_SECOND = 1e9
RANKS_PER_HOST = 4
SIZES = (8, 512, 4096)
SMALL = 512  # longer blocks may go in pieces
LARGE = 65536
FASTER, NOT_SLOWER, PAYLOAD = 1.5, 1.05, 1.05
# Distinct blocks that cross, both directions together.
CROSSING = {"halo": 2 * 12, "alltoall": 2 * 16, "to all": 2 * 4}
OURS = dict.fromkeys(CROSSING, "node-staged")


@dataclass(frozen=True)
class Found:
    """One line of programs/between_nodes.cpp: messages and payload are those to the other host."""

    pattern: str
    bytes: int
    way: str
    messages: int
    payload: int
    right: bool
    explanation: str
    seconds: Sequence[float]


def measure(folder: Path, rounds: int, sizes: Sequence[int]) -> list[Found]:
    """Run the program on two hosts."""
    program = build("between_nodes")
    with VirtualHosts(2, DELAY_SECONDS, BITS_PER_SECOND) as hosts:
        site = Site(hosts, slots=RANKS_PER_HOST)
        said = site.run(folder, 2 * RANKS_PER_HOST, program, str(rounds), *map(str, sizes))
    return [Found(**json.loads(line)) for line in said.splitlines() if line.startswith("{")]


def print_all(found: Sequence[Found]) -> None:
    """Print every way with its median time and its ratio to MPI's."""
    for each in found:
        faster = ratio(reference(found, each), each)
        print(
            f"{each.pattern:9} {each.bytes:6} B  {each.way:22} "
            f"{1e6 * statistics.median(each.seconds):8.0f} us  {faster[1]:5.2f} x MPI's speed  "
            f"{each.messages:3} messages, {each.payload} bytes"
        )


def reference(found: Sequence[Found], of: Found) -> Found:
    """Return MPI's way of the same pattern and length."""
    return next(
        each
        for each in found
        if (each.pattern, each.bytes, each.way) == (of.pattern, of.bytes, "mpi")
    )


def ratio(slow: Found, fast: Found) -> tuple[float, float, float]:
    """Return the quartiles and the median, in the middle, of the rounds' ratios."""
    ratios = [one / other for one, other in zip(slow.seconds, fast.seconds, strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    return low, middle, high


def figures(found: Sequence[Found]) -> list[Figure]:
    """Hold what `node-staged` does against the bars."""
    all_right = float(all(each.right for each in found))
    made = [Figure("all data right", all_right, 1, at_least=True)]
    for each in found:
        if each.way != OURS[each.pattern]:
            continue
        name = f"{each.pattern}, {each.bytes} B"
        low, middle, high = ratio(reference(found, each), each)
        bar = FASTER if each.bytes <= max(SIZES) else 1 / NOT_SLOWER
        made.append(Figure(f"{name}: speed", middle, bar, "x", low, high, at_least=True))
        if each.bytes <= SMALL:
            made.append(Figure(f"{name}: messages", each.messages, 2))
        if each.bytes <= max(SIZES):
            distinct = CROSSING[each.pattern] * each.bytes
            made.append(Figure(f"{name}: payload", each.payload / distinct, PAYLOAD, "x"))
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_check_option(parser)
    parser.add_argument("--rounds", type=int, default=9, help="of all ways in turns")
    arguments = parser.parse_args()
    reason = launched_hosts.reason_against() or virtual_hosts.reason_against_delay()
    if reason:
        print(f"between_nodes: {reason}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), arguments.rounds, (*SIZES, LARGE))
    print_all(found)
    return report(figures(found), arguments.check)


if __name__ == "__main__":
    sys.exit(main())
