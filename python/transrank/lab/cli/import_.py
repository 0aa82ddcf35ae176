# SPDX-License-Identifier: BSD-3-Clause
"""transrank import: output of OSU and IMB as a run, so that old results can be compared."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from transrank import __version__
from transrank.lab import units
from transrank.lab.cli import options, output
from transrank.lab.store import records, runs
from transrank.lab.store.importing import ImportedRun, import_files
from transrank.lab.store.lines import Shape

EPILOG = """\
Each title line of OSU, and each banner of IMB, marks the beginning of a launch
(start of mpiexec). If a launch prints several values for one case, their mean
is stored. A case has a 95% interval if at least three launches measured it.

examples:
  transrank import osu_latency.txt
  transrank import run*/osu_allreduce.txt -n 64 --ranks-per-node 16 --label old
  transrank compare old latest
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.description = (
        "Store the text output of OSU Micro-Benchmarks or Intel MPI Benchmarks as a run, and "
        "print the run's ID."
    )
    parser.epilog = EPILOG
    parser.add_argument(
        "files", metavar="FILE", nargs="+", type=Path, help="files with the text output"
    )
    parser.add_argument("--label", metavar="NAME", help="name by which other commands find the run")
    parser.add_argument(
        "-n",
        "--ranks",
        metavar="N",
        type=options.checked(units.parse_count),
        help="number of ranks, if the output does not state it (as in OSU's collectives)",
    )
    parser.add_argument(
        "--ranks-per-node",
        metavar="N",
        type=options.checked(units.parse_count),
        help="number of ranks on each node",
    )
    options.add_output_options(parser, formats=(), output=None)


def run(arguments: argparse.Namespace) -> int:
    """Store the files as one run and print its id."""
    name = runs.new_run_id()
    path = runs.run_path(name, arguments.store)
    imported = import_files(
        arguments.files,
        name,
        ["transrank", *sys.argv[1:]],
        __version__,
        arguments.label,
        Shape(arguments.ranks or 0, arguments.ranks_per_node or 0),
    )
    for number, line in enumerate(imported.lines, start=1):  # before there is a file
        records.convert(path, number, line)
    records.write_lines(path, imported.lines)
    _report(imported, len(arguments.files), path)
    output.write(f"{name}\n")
    return 0


def _report(imported: ImportedRun, files: int, path: Path) -> None:
    launches = units.counted(len(imported.lines[0]["imported"]), "launch", "launches")
    output.note(
        f"{imported.cases} results of {imported.suite} from {units.counted(files, 'file')} "
        f"({launches}) stored in {path}"
    )
    if imported.lost:
        output.warning(
            f"{len(imported.lost)} lines of tables were not understood and are left out, the "
            f"first: {imported.lost[0]!r}",
            "look at them: each row of a table has as many numbers as its heading has names",
        )
    for benchmark, count in imported.unknown.items():
        output.warning(
            f"{count} results of '{benchmark}' are left out", "no study of transrank measures this"
        )
