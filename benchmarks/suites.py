# SPDX-License-Identifier: BSD-3-Clause
"""The programs of OSU and IMB that measure what transrank measures, and what they print.

They are not part of transrank: the user builds them against the MPI that transrank was built with.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from native import printed_at_two_ranks

from transrank.lab.store.suites import imb, osu
from transrank.lab.units import format_percent, format_seconds

LARGEST = 4 << 20
# Bytes from a page boundary to where a suite's buffers begin.
BUFFER_OFFSETS: Mapping[str, int] = {"IMB": 16, "OSU": 0}


@dataclass(frozen=True)
class Operation:
    """What transrank measures, and the suites' programs that measure the same."""

    ours: Sequence[str]
    osu: Sequence[str]
    imb: str | None = None
    # Compared is a share of time instead of a time.
    overlap: bool = False
    # Bytes of OSU's smallest size.
    smallest: int = 1
    # How often OSU reads the clock in the time of one operation.
    clock_readings: float = 0


@dataclass(frozen=True)
class Sizes:
    """Which sizes OSU's programs and transrank measure; IMB's measure theirs."""

    smallest: int = 0
    largest: int = LARGEST

    def of(self, operation: Operation, dots: str) -> str:
        """Return those of an operation as an argument, with `dots` between first and last."""
        return f"{max(self.smallest, operation.smallest)}{dots}{self.largest}"


def _one_sided(operation: str, in_flight: int, *program: str) -> Operation:
    axes = (f"--operation={operation}", "--epoch=flush", f"--in_flight={in_flight}")
    return Operation(("one-sided", *axes), program, clock_readings=2 / in_flight)


def _collective(operation: str, imb: str | None) -> Operation:
    axes = (f"--operation={operation}", "--form=blocking", "--datatype=float")
    return Operation(("collectives", *axes), (f"osu_{operation}", "-T", "mpi_float"), imb)


# {graph} is the file of a graph of two neighbors.
OPERATIONS: Mapping[str, Operation] = {
    "pingpong": Operation(["pingpong"], ["osu_latency"], "PingPong", smallest=0),
    "allreduce": _collective("allreduce", "Allreduce"),
    "put-latency": _one_sided("put", 1, "osu_put_latency"),
    "get-latency": _one_sided("get", 1, "osu_get_latency"),
    # After the two windows of warm-up that it has by itself, it is slower than after 40.
    "put-bandwidth": _one_sided("put", 64, "osu_put_bw", "-x", "40"),
    "reduce_scatter": _collective("reduce_scatter", None),
    "overlap": Operation(
        ["overlap", "--operation=allreduce", "--form=nonblocking"],
        ["osu_iallreduce", "-T", "mpi_float"],
        overlap=True,
        smallest=4096,
    ),
    "neighbor_alltoallv": Operation(
        ["neighborhood", "--topology=ring", "--operation=neighbor_alltoallv", "--form=blocking"],
        ["osu_neighbor_alltoallv", "-N", "graph:{graph}"],
    ),
    "multi-pingpong": Operation(["multi-pingpong"], ["osu_multi_lat"]),
}
# Compared unless others are asked for.
DEFAULT = ("pingpong", "allreduce")
PARTS = ("alone", "computation", "together")
Values = dict[int, float]


def shares(times: Mapping[tuple[int, str], float]) -> Values:
    """Return by bytes what both at once take of what they take one after the other."""
    found = {}
    for size in {size for size, _ in times}:
        if all((size, part) in times for part in PARTS):
            alone, computation, together = (times[size, part] for part in PARTS)
            found[size] = together / (alone + computation)
    return found


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
    # A library loaded before the program's.
    preloaded: Path | None = None

    @property
    def compared(self) -> str:
        """Return what is compared, in words."""
        return "shares of time" if self.overlap else "means"

    @property
    def printed_rates(self) -> bool:
        """Return whether the suite prints no times."""
        return self.command[0].endswith("_bw")

    @property
    def overlap(self) -> bool:
        """Return whether a share is compared."""
        return OPERATIONS[self.operation].overlap

    def text(self, value: float) -> str:
        """Print a value of it for people."""
        return format_percent(value) if self.overlap else format_seconds(value)

    @property
    def own(self) -> Own:
        """Return what it is compared with."""
        return Own(self.operation, BUFFER_OFFSETS[self.suite])

    @property
    def own_aligned(self) -> Own:
        """Return the same from buffers that begin at a page boundary."""
        return Own(self.operation, 0)

    def launch(self) -> dict[int, float]:
        """Return seconds by bytes, as one launch prints them."""
        reader = imb if self.suite == "IMB" else osu
        times: dict[tuple[int, str], float] = {}
        variables = None if self.preloaded is None else {"LD_PRELOAD": str(self.preloaded)}
        for reading in reader.read(printed_at_two_ranks(self.command, variables)).readings:
            seconds = reading.seconds
            if seconds is None and reading.bytes is not None and reading.bytes_per_second:
                seconds = reading.bytes / reading.bytes_per_second
            if reading.bytes is not None and seconds is not None:
                times[reading.bytes, reading.part or ""] = seconds
        if self.overlap:
            return shares(times)
        return {size: seconds for (size, part), seconds in times.items() if not part}


def peers(
    names: Sequence[str],
    imb_program: Path | None,
    osu_folder: Path | None,
    sizes: Sizes,
    folder: Path,
    preloaded: Path | None = None,
) -> list[Peer]:
    """Return the programs to compare with; files that they read are written to `folder`.

    OSU's are launched with the library `preloaded`.
    """
    graph = folder / "graph.txt"
    graph.write_text("0,1\n1,0\n")
    found = []
    for name in names:
        operation = OPERATIONS[name]
        if imb_program is not None and operation.imb is not None:
            found.append(Peer("IMB", name, (str(imb_program), operation.imb)))
        if osu_folder is not None:
            program, *options = operation.osu
            path = next((p for p in osu_folder.rglob(program) if p.is_file()), None)
            if path is None:
                raise SystemExit(f"no {program} below {osu_folder}")
            filled = (option.format(graph=graph) for option in options)
            command = (str(path), *filled, "-m", sizes.of(operation, ":"))
            found.append(Peer("OSU", name, command, preloaded))
    return found


def add_suites(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where the suites' programs are."""
    parser.add_argument("--imb", type=Path, metavar="FILE", help="IMB-MPI1")
    parser.add_argument("--osu", type=Path, metavar="DIR", help="above OSU's programs")
