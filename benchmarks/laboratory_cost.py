# SPDX-License-Identifier: BSD-3-Clause
"""What does the laboratory's command line cost: processor time, memory, size of its pages?

Writes records of made-up samples, runs verbs on them, and prints what each took of the processor,
its largest memory, and the size of the report. `--help` is the cost of starting alone. Python has
its compiled modules, in a folder of this program's.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bars import Figure, add_check_option, report

MIB = 1 << 20
LAUNCHES, ROUNDS, IN_ROUND = 3, 4, 10
SIZES = [0, *(1 << power for power in range(3, 22))]
MPI = {"library": "MPICH Version: 5.0.2", "standard": [5, 0], "thread_level": "single"}
PLACEMENT = {"hosts": ["node"], "rank_host": [0, 0], "binding": ["0", "1"], "cores": [0, 1]}
CLOCK = {"name": "CLOCK_MONOTONIC", "resolution_seconds": 1e-9, "cost_seconds": 2e-8}
OPTIONS = {"precision": 0.05, "max_time_seconds": 1.0, "launches": LAUNCHES}
HEADER = {
    "kind": "header",
    "schema": 2,
    "created": "2026-11-20T12:34:56Z",
    "transrank": "0.1.0",
    "command": ["transrank", "measure"],
    "seed": 7,
    "options": {**OPTIONS, "cache": "warm", "synchronisation": "barrier"},
    "plan": [],
    "mpi": MPI,
    "placement": PLACEMENT,
    "clock": CLOCK,
    "machine": {},
    "environment": {},
}


@dataclass(frozen=True)
class Bar:
    """A command, and the most that it may take: seconds, and MiB of memory or MB of output."""

    words: Sequence[str]
    seconds: float = math.inf
    mebibytes: float | None = None
    megabytes: float | None = None


def main() -> int:
    """Write the records, run the verbs and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_check_option(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        few, a, b, many, page = (str(folder / each) for each in ("few", "a", "b", "many", "page"))
        for path, cases in ((few, 10), (a, 5000), (b, 5000), (many, 20_000), (page, 1000)):
            write_record(Path(f"{path}.jsonl"), cases)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
        for bar in (Bar(["show", f"{few}.jsonl"]), Bar(["report", f"{few}.jsonl", "-o", few])):
            measured("", bar)
        found = [
            *measured("--help", Bar(["--help"], 0.3)),
            *measured("show, 20,000 cases", Bar(["show", f"{many}.jsonl"], 10.0, 300.0)),
            *measured("compare, 5,000 cases", Bar(["compare", f"{a}.jsonl", f"{b}.jsonl"], 10.0)),
            *measured(
                "report, 1,000 cases",
                Bar(["report", f"{page}.jsonl", "-o", page], 15.0, megabytes=3.0),
            ),
        ]
    return report(found, arguments.check)


def write_record(path: Path, cases: int) -> None:
    """Write a run of `cases` cases, each in three launches of forty samples."""
    draw = random.Random(path.stem)
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps({**HEADER, "run": path.stem}) + "\n")
        for launch in range(LAUNCHES):
            file.writelines(json.dumps(line) + "\n" for line in _launch(launch, cases, draw))


def _launch(launch: int, cases: int, draw: random.Random) -> Iterator[dict[str, Any]]:
    shape = {"ranks": 2, "ranks_per_node": 0}
    yield {
        "kind": "launch",
        "launch": launch,
        "shape": shape,
        "started": 0,
        "command": [],
        "mpi": MPI,
        "placement": PLACEMENT,
        "clock": CLOCK,
        "synchronisation": {"method": "barrier"},
    }
    for axes in itertools.islice(_axes(), cases):
        usual = 1e-6 + 1e-10 * int(axes["bytes"])
        seconds = [usual * draw.lognormvariate(0, 0.02) for _ in range(ROUNDS * IN_ROUND)]
        yield {
            "kind": "case",
            "study": "collectives",
            "axes": axes,
            "case": "/".join(["collectives", *(_text(value) for value in axes.values())]),
            "launch": launch,
            "shape": shape,
            "status": "ok",
            "reason": "precise",
            "stop": "precise",
            "timing": "bulk",
            "clocks": "all",
            "batch": 20,
            "bytes_counted": axes["bytes"],
            "measuring_seconds": 0.05,
            "verified": 4096,
            "samples": {
                "seconds": seconds,
                "fastest": [0.9 * each for each in seconds],
                "flags": [1] + [0] * (len(seconds) - 1),
                "rounds": [IN_ROUND] * ROUNDS,
            },
            "ranks": {
                name: [min(seconds), max(seconds)]
                for name in ("median", "minimum", "mean", "mean_of_all")
            },
        }


def _axes() -> Iterator[dict[str, str | int]]:
    """Axes of collectives, for as many operations as needed."""
    for number in itertools.count():
        for form, size in itertools.product(("blocking", "nonblocking", "persistent"), SIZES):
            yield {"operation": f"operation{number}", "form": form, "type": "float", "bytes": size}


def _text(value: str | int) -> str:
    return f"{value}B" if isinstance(value, int) else value


def measured(name: str, bar: Bar) -> list[Figure]:
    """Run a command; return its processor time, and its memory and output where these count."""
    program = [sys.executable, "-m", "transrank.lab.cli", *bar.words]
    process = subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    note = f"status {process.returncode}"
    found = [Figure(name, used.ru_utime + used.ru_stime, bar.seconds, "s", note=note)]
    if bar.mebibytes is not None:
        found.append(Figure(f"{name}: memory", used.ru_maxrss * 1024 / MIB, bar.mebibytes, "MiB"))
    if bar.megabytes is not None:
        size = Path(bar.words[-1]).stat().st_size
        found.append(Figure(f"{name}: its page", size / 1e6, bar.megabytes, "MB"))
    return found


if __name__ == "__main__":
    sys.exit(main())
