# SPDX-License-Identifier: BSD-3-Clause
"""transrank report: one offline HTML page of one run, or of several side by side."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from transrank.errors import UsageError
from transrank.lab.cli import options, output, results
from transrank.lab.reference.tables import machines
from transrank.lab.report.machine_run import run_of
from transrank.lab.report.page import render_report, write_report
from transrank.lab.store.records import Run

EPILOG = """\
examples:
  transrank report                            the latest run
  transrank report night -o night.html
  transrank report before after               two runs on one page
  transrank report fugaku                     published results of a machine
  transrank report latest fugaku              a run and published results
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.description = (
        "Write one HTML page with a summary, figures, tables, a description of the method, and "
        "the commands that repeat the measurement. The page can be viewed offline and without "
        "JavaScript. Its path is printed."
    )
    parser.epilog = EPILOG
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="*",
        default=["latest"],
        help="a run: latest, latest~N (the Nth run before the latest), an ID or its beginning, a "
        "label or a record file; or, instead of a run, a machine from `transrank list machines` "
        "(default: latest)",
    )
    options.add_output_options(
        parser,
        formats=(),
        output="write the page to FILE, or to stdout if FILE is - (default: RUN.html)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the page and print its path."""
    runs = [_open(text, arguments.store) for text in arguments.runs]
    _check_different(runs)
    # Of the files' names: what stands in them may name any place.
    page = arguments.output or Path("-".join(run.path.stem for run in runs) + ".html")
    if str(page) == "-":
        output.write(render_report(runs))
        return 0
    write_report(runs, page)
    output.write(f"{page}\n")
    return 0


def _open(text: str, store: Path | None) -> Run:
    """A run, or a published machine as one."""
    published = {machine.name: machine for machine in machines()}
    machine = published.get(text.lower())
    return run_of(machine) if machine else results.open_run(text, store)


def _check_different(runs: Sequence[Run]) -> None:
    seen: set[str] = set()
    for run in runs:
        if run.header.run in seen:
            raise UsageError(
                f"run {run.header.run} is given twice", "name each run of a report once"
            )
        seen.add(run.header.run)
