# SPDX-License-Identifier: BSD-3-Clause
"""transrank survey: all studies, and the report of them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from transrank.errors import UsageError
from transrank.lab.cli import output
from transrank.lab.cli.measure import add_run_options, measured
from transrank.lab.store.settings import LAUNCHES

if TYPE_CHECKING:
    from transrank.lab.cli.execution import Wish
    from transrank.lab.store.records import Run

EPILOG = """\
With --quick, the survey measures only the cases on the first screen of the
report. It launches each case eight times. It then repeats the cases whose
intervals are still wide, until the survey has taken two and a half minutes.
Without --quick, the survey first prints an upper limit on its duration. If a
survey is interrupted, all finished cases are kept. To finish it:
  transrank survey --resume latest
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.description = (
        "Run most of the studies (benchmarks) on this machine, store all measured times as one "
        "run, and write a report."
    )
    parser.epilog = EPILOG
    parser.add_argument(
        "--quick", action="store_true", help="measure fewer cases, in under three minutes"
    )
    parser.add_argument(
        "--report",
        metavar="FILE",
        type=Path,
        help="path of the report, an HTML page (default: next to the record file)",
    )
    parser.add_argument("--no-report", action="store_true", help="write no report")
    add_run_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Survey this machine, or finish a survey."""
    from transrank.lab.report.page import write_report
    from transrank.lab.store import runs
    from transrank.lab.store.records import read_run

    if arguments.report and arguments.no_report:
        raise UsageError("--report and --no-report exclude each other", "choose one")
    record = measured(arguments, _wish)
    if record is None:
        return 0
    run = read_run(record)
    _print_numbers(run)
    name = runs.name_of(record, arguments.store)
    output.note(f"done; to print this again: transrank show {name}")
    if not arguments.no_report:
        page = arguments.report or record.with_suffix(".html")
        write_report([run], page)
        output.note(f"report: {page}")
    return 0


def _wish(arguments: argparse.Namespace) -> Wish:
    from transrank.lab.cli.execution import Wish
    from transrank.lab.machine.files import Files
    from transrank.lab.machine.topology import read_topology
    from transrank.lab.survey import presets

    if not arguments.quick:
        return Wish(presets.full(), repeat_small_studies=False)
    return Wish(
        presets.quick(read_topology(Files()).caches),
        max_time_seconds=presets.CASE_SECONDS * LAUNCHES,
        run_seconds=presets.QUICK_SECONDS,
        quick=True,
        repeat_small_studies=False,
        job_starts=presets.QUICK_JOB_STARTS,
    )


def _print_numbers(run: Run) -> None:
    """The first screen of the report: how far to trust the run, and its numbers."""
    from transrank.lab.cli import results
    from transrank.lab.report.measured import measure_up
    from transrank.lab.report.words.verdict import give_verdict
    from transrank.lab.view.kinds import NUMBER, WORDS
    from transrank.lab.view.table import Column, Table

    (measured,) = measure_up([run])
    console = output.data()
    output.paragraph(console, results.trust_text(measured.trust))
    rows = [(each.name, each.value, each.detail) for each in give_verdict([measured]).numbers]
    if rows:
        columns = (Column("", WORDS), Column("", NUMBER), Column("", WORDS))
        output.print_table(console, Table("", columns, rows))
