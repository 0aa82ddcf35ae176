# SPDX-License-Identifier: BSD-3-Clause
"""Which alltoall algorithm should win on a torus, counted without one?

An algorithm's messages are a pure function of the rank, so what each asks of the eleven published
node shapes of Fugaku, up to 12,288 nodes with a process each, is counted: messages, blocks, hops,
and blocks through the most loaded link, in all and summed over steps that do not overlap. From
these a time is put together with four constants:

    T(n) = messages in turn * o + hops in turn * h + blocks in turn * n / link + copied * n / memory

o, 1.07 µs, is what a short message takes in the published PingPong; link, 6.8 GB/s, one link of
Tofu-D in one direction; h, 0.1 µs, a hop (assumed); memory, 13 GB/s, a copy, for what is forwarded
must be put together before. It is no prediction of an MPI library's times: it says which algorithm
a machine with these links favours, and the published findings are held against that.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lab_needed  # noqa: F401
import vl_convert
from native import build
from rich.console import Console
from rich.table import Table

from transrank.lab.reference.tables import read_table
from transrank.lab.units import format_size

OVERHEAD, HOP = 1.07e-6, 0.1e-6
LINK, MEMORY = 6.8e9, 13e9
# Those that the source forces, and what they are called here.
PUBLISHED = {
    "pairwise": "pairwise",
    "modified_bruck": "bruck",
    "doublespread": "double-spread",
    "blacc3d": "torus-3d",
    "blacc6d": "torus-6d",
}
FURTHER = ("linear", "recursive-doubling")
SIZES = [2**power for power in range(21)]
SMALL, LARGE = 8, 2**20
COLOURS = ["#4269d0", "#ff725c", "#3ca951", "#efb118", "#a463f2", "#9c6b4e", "#6cc5b0"]


@dataclass(frozen=True)
class Traffic:
    """What one algorithm asks of one torus; see programs/traffic.hpp."""

    torus: str
    algorithm: str
    direct: bool
    steps: int
    messages: int
    blocks: int
    block_hops: int
    busiest_link: int
    messages_in_turn: int
    hops_in_turn: int
    blocks_in_turn: int

    @property
    def nodes(self) -> int:
        """Nodes of the torus, with a rank each."""
        count = 1
        for length in self.torus.split("x"):
            count *= int(length)
        return count

    def seconds(self, size: int) -> float:
        """Time of an alltoall of blocks of `size` bytes by the model of this file."""
        copied = 0.0 if self.direct else self.blocks / self.nodes
        return (
            self.messages_in_turn * OVERHEAD
            + self.hops_in_turn * HOP
            + self.blocks_in_turn * size / LINK
            + copied * size / MEMORY
        )


# Labels of axes, in Vega's language.
BYTES = (
    "datum.value < 1024 ? datum.value + ' B'"
    " : datum.value < 1048576 ? datum.value / 1024 + ' KiB' : '1 MiB'"
)
TIME = (
    "datum.value < 1000 ? datum.value + ' µs'"
    " : datum.value < 1e6 ? datum.value / 1000 + ' ms' : datum.value / 1e6 + ' s'"
)

Counts = Mapping[str, Sequence[Traffic]]  # by torus


def published_shapes() -> list[str]:
    """Return the node shapes of the source, the smallest first."""
    return [row["form"] for row in read_table("fugaku_alltoall_forms.csv")]


def count(shapes: Sequence[str]) -> Counts:
    """Ask programs/torus.cpp, an algorithm at a time on as many cores as there are."""
    algorithms = (*PUBLISHED.values(), *FURTHER)
    program = build("torus")

    def ask(algorithm: str) -> list[Traffic]:
        command = [str(program), algorithm, *shapes]
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return [Traffic(**json.loads(line)) for line in answer.splitlines()]

    with ThreadPoolExecutor() as pool:
        counted = [each for some in pool.map(ask, algorithms) for each in some]
    return {shape: [each for each in counted if each.torus == shape] for shape in shapes}


def fastest(some: Sequence[Traffic], size: int) -> Traffic:
    """Return the one with the shortest time at a size."""
    return min(some, key=lambda each: each.seconds(size))


def published(some: Sequence[Traffic]) -> list[Traffic]:
    """Return the algorithms that the source compares."""
    return [each for each in some if each.algorithm in PUBLISHED.values()]


def ranges(some: Sequence[Traffic]) -> Iterator[tuple[str, int, int]]:
    """Yield the fastest published algorithm and the first and last size for which it is that."""
    begin = SIZES[0]
    for size, following in zip(SIZES, [*SIZES[1:], None], strict=True):
        name = fastest(published(some), size).algorithm
        if following is None or fastest(published(some), following).algorithm != name:
            yield name, begin, size
            begin = following or size


def print_counts(counts: Counts) -> None:
    """Print what each algorithm asks of each torus, per rank where ranks are alike."""
    table = Table(
        *("torus", "algorithm", "steps", "messages/rank", "blocks/rank", "hops/block"),
        *("busiest link", "messages in turn", "hops in turn", "blocks in turn"),
        box=None,
        pad_edge=False,
    )
    for shape, some in counts.items():
        for each in some:
            table.add_row(
                shape,
                each.algorithm,
                f"{each.steps:,}",
                f"{each.messages / each.nodes:,.4g}",
                f"{each.blocks / each.nodes:,.6g}",
                f"{each.block_hops / each.blocks:.3g}",
                f"{each.busiest_link:,}",
                f"{each.messages_in_turn:,}",
                f"{each.hops_in_turn:,}",
                f"{each.blocks_in_turn:,}",
            )
    Console(width=150).print(table)


def print_winners(counts: Counts) -> None:
    """Print for each torus which of the published algorithms should be fastest, and where."""
    table = Table("torus", "nodes", "fastest, by bytes per block", box=None, pad_edge=False)
    for shape, some in counts.items():
        words = ", ".join(
            f"{name} {format_size(begin)} to {format_size(end)}"
            for name, begin, end in ranges(some)
        )
        table.add_row(shape, f"{some[0].nodes:,}", words)
    Console(width=150).print(table)


def throughput(some: Sequence[Traffic], size: int) -> float:
    """Return size times nodes by time of the fastest published algorithm, in bytes per second."""
    best = fastest(published(some), size)
    return size * best.nodes / best.seconds(size)


def crossing(some: Sequence[Traffic]) -> int | None:
    """Return the first size from which a direct algorithm is the fastest published one."""
    return next((size for size in SIZES if fastest(published(some), size).direct), None)


def of(some: Sequence[Traffic], algorithm: str) -> Traffic:
    """Return what the algorithm of this name asks."""
    return next(each for each in some if each.algorithm == algorithm)


def print_beside_published(counts: Counts) -> None:
    """Print what the counts say of each finding of the source, and whether that fits."""
    shapes = list(counts.values())
    most = len(shapes)
    small, large = (
        [fastest(published(some), size).algorithm for some in shapes] for size in (SMALL, LARGE)
    )
    excess = [
        of(some, "torus-6d").seconds(SMALL) / of(some, "bruck").seconds(SMALL) for some in shapes
    ]
    crossings = [size for some in shapes if (size := crossing(some)) is not None]
    rates = [throughput(some, LARGE) / some[0].nodes for some in shapes]
    falls = sum(later < earlier for earlier, later in itertools.pairwise(rates))
    links = [of(some, "linear").busiest_link / some[0].nodes for some in shapes]
    torus_wins = sum(name.startswith("torus") for name in large)
    rows = [
        (
            "modified Bruck is fastest for small data",
            f"at 8 B on {small.count('bruck')} of {most} shapes",
            small.count("bruck") > most / 2,
        ),
        (
            "blacc6d is slow for small data",
            f"torus-6d takes {min(excess):.2f} to {max(excess):.2f} times bruck's time at 8 B",
            min(excess) > 1,
        ),
        (
            "double spread is fastest for large data",
            f"at 1 MiB on {large.count('double-spread')} of {most} shapes",
            large.count("double-spread") == most,
        ),
        (
            "algorithms tuned for the torus are not always fastest",
            f"at 1 MiB on {torus_wins} of {most} shapes",
            torus_wins < most,
        ),
        (
            "the threshold moves with the number of nodes",
            f"double-spread wins from {format_size(min(crossings))} on or from "
            f"{format_size(max(crossings))} on",
            min(crossings) < max(crossings),
        ),
        (
            "throughput per node falls with the number of nodes",
            f"from one shape to the next on {falls} of {most - 1}",
            falls > (most - 1) / 2,
        ),
        (
            "cubic shapes have the better bisection",
            "blocks through the busiest link per node: "
            + ", ".join(f"{shape} {link:.3g}" for shape, link in zip(counts, links, strict=True)),
            None,
        ),
    ]
    table = Table("published finding", "counted", "fits", box=None, pad_edge=False)
    for finding, counted, fits in rows:
        table.add_row(finding, counted, "" if fits is None else "yes" if fits else "no")
    Console(width=150).print(table)


def drawing(counts: Counts) -> dict[str, Any]:
    """Return the time over the size of each algorithm, a panel for each torus."""
    values = [
        {"torus": f"{shape}: {each.nodes:,} nodes", "algorithm": each.algorithm}
        | {"bytes": size, "µs": 1e6 * each.seconds(size)}
        for shape, some in counts.items()
        for each in some
        for size in SIZES
    ]
    names = [*PUBLISHED.values(), *FURTHER]
    scale = {"domain": names, "range": COLOURS}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": values},
        "facet": {
            "field": "torus",
            "type": "nominal",
            "sort": list(dict.fromkeys(value["torus"] for value in values)),
            "title": None,
        },
        "columns": 4,
        "spec": {
            "width": 220,
            "height": 170,
            "mark": {"type": "line", "strokeWidth": 1.6},
            "encoding": {
                "x": {
                    "field": "bytes",
                    "type": "quantitative",
                    "scale": {"type": "log", "base": 2},
                    "axis": {"values": [1, 32, 1024, 32768, 1048576], "labelExpr": BYTES},
                    "title": "bytes per block",
                },
                "y": {
                    "field": "µs",
                    "type": "quantitative",
                    "scale": {"type": "log"},
                    "axis": {"values": [10**power for power in range(10)], "labelExpr": TIME},
                    "title": None,
                },
                "color": {
                    "field": "algorithm",
                    "type": "nominal",
                    "scale": scale,
                    "legend": {"orient": "bottom", "title": None},
                },
            },
        },
        "resolve": {"scale": {"y": "independent"}},
    }


def main() -> int:
    """Count, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "shapes", nargs="*", metavar="4x6x16", help="(default: the eleven published node shapes)"
    )
    parser.add_argument("--figure", type=Path, help="draw the times there, as SVG")
    arguments = parser.parse_args()
    counts = count(arguments.shapes or published_shapes())
    print_counts(counts)
    print_winners(counts)
    if arguments.figure is not None:
        arguments.figure.write_text(vl_convert.vegalite_to_svg(drawing(counts)), encoding="utf-8")
    print_beside_published(counts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
