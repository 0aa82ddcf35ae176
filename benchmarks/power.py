# SPDX-License-Identifier: BSD-3-Clause
"""Do `versus` and `compare` see a slowdown of a tenth?

A library that is loaded before the MPI spins after each call for a tenth of the call's own time.
How much slower that makes a case is measured by a program of its own, which in one launch takes
turns with blocks of calls through the library and past it: the true slowdown, which is more than a
tenth where ranks wait for each other's spins. Then `transrank versus` is asked, with the library as
variant B, and `transrank compare`, of one survey without and one with the library; both get the
same --time. Printed are the true slowdown of every case beside what both say.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bars import WIDTH, Figure, add_check_option, report
from native import build, build_preloaded, printed_at_two_ranks
from rich.console import Console
from rich.table import Table
from survey import run

from transrank.lab.units import format_percent, format_size, parse_duration

SIZES = (8, 4096, 65536, 1048576)
# Pairs of blocks of the program that measures the true slowdown.
BLOCKS = 150
THRESHOLD = 0.05

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Truth:
    """A case, and how much slower its calls are: 0.1 for a tenth."""

    case: str
    slowdown: float


def cases(sizes: Sequence[int]) -> list[str]:
    """Return the arguments that measure what the program knows."""
    return [
        *("pingpong", "collectives", f"--sizes={','.join(map(str, sizes))}", "--ranks=2"),
        *("--axis=operation=allreduce,alltoall", "--axis=form=blocking", "--axis=datatype=float"),
        # Times differ between launches: rather more than longer ones.
        "--max-time=400ms",
    ]


def true_slowdowns(library: Path, sizes: Sequence[int]) -> list[Truth]:
    """Measure them, apart from all that is judged here."""
    command = ["env", f"LD_PRELOAD={library}", str(build("power")), str(BLOCKS)]
    printed = printed_at_two_ranks([*command, *map(str, sizes)])
    found = []
    for line in printed.splitlines():
        case, ratio = line.split()
        name, _, size = case.rpartition("/")
        found.append(Truth(f"{name}/{format_size(int(size))}", float(ratio) - 1))
    return found


def versus(store: Path, library: Path, seconds: float, sizes: Sequence[int]) -> Document:
    """Let both variants take turns."""
    return _answer(
        *("versus", *cases(sizes), f"--time={seconds}s", f"--b=LD_PRELOAD={library}"),
        f"--store={store}",
    )


def compare(store: Path, library: Path, seconds: float, sizes: Sequence[int]) -> Document:
    """Compare two surveys, with half the time for each."""
    options = [*cases(sizes), f"--time={seconds / 2}s"]
    run(store, "without", options)
    os.environ["LD_PRELOAD"] = str(library)
    try:
        run(store, "with", options)
    finally:
        del os.environ["LD_PRELOAD"]
    return _answer("compare", "without", "with", f"--store={store}")


def _answer(*arguments: str) -> Document:
    command = [sys.executable, "-m", "transrank.lab.cli", *arguments]
    options = ["-qq", "--format=json", "--fail-on=never", f"--threshold={100 * THRESHOLD:g}%"]
    told = subprocess.run([*command, *options], check=True, stdout=subprocess.PIPE, text=True)
    found: Document = json.loads(told.stdout)
    return found


def figures(truths: Sequence[Truth], paired: Document, apart: Document) -> list[Figure]:
    """Hold what was found against the bars."""
    slow = [one.case for one in truths if one.slowdown > THRESHOLD]
    return [
        Figure(
            "found by versus, of the cases that are slower",
            _found(slow, paired),
            90,
            "%",
            at_least=True,
            note=f"{len(slow)} of {len(truths)} are slower by {format_percent(THRESHOLD)} or more",
        ),
        _of_compare(truths, apart),
    ]


def _of_compare(truths: Sequence[Truth], apart: Document) -> Figure:
    name = "found by compare, of what is larger than it says that it sees"
    # It says what it would have found in half of the cases.
    bar, seen = 50, apart["visible_alone"]
    larger = [one.case for one in truths if seen is not None and one.slowdown > seen]
    if not larger:
        said = f"it sees {format_percent(seen)}" if seen else apart["verdicts"][0]["reason"]
        # It claims nothing, so that nothing can be held against it.
        return Figure(name, math.nan, bar, "%", 0, 100, at_least=True, note=said)
    note = f"{len(larger)} of {len(truths)} are slower by more than {format_percent(seen)}"
    return Figure(name, _found(larger, apart), bar, "%", at_least=True, note=note)


def _found(cases: Sequence[str], document: Document) -> float:
    slower = {one["case"] for one in document["verdicts"] if one["verdict"] == "slower"}
    return 100 * len(slower & set(cases)) / len(cases) if cases else math.nan


def print_cases(truths: Sequence[Truth], paired: Document, apart: Document) -> None:
    """Print the true slowdown of each case beside what both say of it."""
    sides = [{one["case"]: one for one in document["verdicts"]} for document in (paired, apart)]
    table = Table("case", "true", "versus", "", "compare", "", box=None, pad_edge=False)
    for truth in truths:
        cells = [cell for side in sides for cell in _cells(side[truth.case])]
        table.add_row(truth.case, f"{1 + truth.slowdown:.3f}", *cells)
    Console(width=WIDTH).print(table)


def _cells(verdict: Mapping[str, Any]) -> tuple[str, str]:
    value, low, high = (verdict[name] for name in ("ratio", "ratio_low", "ratio_high"))
    interval = f" ({low:.3f} to {high:.3f})" if low is not None and high is not None else ""
    return "" if value is None else f"{value:.3f}{interval}", verdict["verdict"]


def main() -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--time", default="90s", help="for each of the two (default: 90s)")
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=SIZES, help="bytes (default: four sizes)"
    )
    add_check_option(parser)
    arguments = parser.parse_args()
    seconds = parse_duration(arguments.time)
    library = build_preloaded("slow_calls")
    truths = true_slowdowns(library, arguments.sizes)
    with tempfile.TemporaryDirectory() as folder:
        asked = (Path(folder), library, seconds, arguments.sizes)
        paired = versus(*asked)
        apart = compare(*asked)
    print_cases(truths, paired, apart)
    return report(figures(truths, paired, apart), arguments.check)


if __name__ == "__main__":
    sys.exit(main())
