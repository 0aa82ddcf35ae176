# SPDX-License-Identifier: BSD-3-Clause
"""transrank export: results or samples of a run as CSV or Parquet."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transrank.errors import RecordError, UsageError
from transrank.lab.cli import domains, options, output, results
from transrank.lab.stats.domains import STUDIES, domain_times
from transrank.lab.stats.rows import sample_rows
from transrank.lab.stats.summary import CaseResult, summarise
from transrank.lab.store import writing
from transrank.lab.store.records import Run
from transrank.lab.view.csv_text import as_csv
from transrank.lab.view.results import records

FORMATS = ("csv", "parquet")
EPILOG = """\
examples:
  transrank export latest > latest.csv
  transrank export latest --samples -o samples.parquet
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.description = (
        "Write the results of a run as CSV or Parquet, with one row per case, unless --samples or "
        "--domains is given. Times are in seconds, sizes in bytes."
    )
    parser.epilog = EPILOG
    parser.add_argument("run", metavar="RUN", help="a run: latest, an ID, a label or a record file")
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--samples",
        action="store_true",
        help="write one row per sample, including warm-up and disturbed samples; the column "
        "`counted` marks the samples from which the median is computed",
    )
    what.add_argument(
        "--domains",
        action="store_true",
        help="for the studies locality and contention: write one row per case and memory domain "
        "(NUMA node), with the mean and standard deviation over all launches and all ranks "
        "of the domain",
    )
    results.add_case_option(parser)
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="output format (default: parquet if FILE ends in .parquet, otherwise csv)",
    )
    options.add_output_options(parser, formats=())


def run(arguments: argparse.Namespace) -> int:
    """Write one run."""
    target: Path | None = arguments.output
    chosen = arguments.format or _format_of(target)
    if chosen == "parquet" and target is None:
        raise UsageError(
            "Parquet is a binary format and is not written to stdout",
            "name a file: -o FILE.parquet",
        )
    rows = _rows(arguments)
    if chosen == "parquet":
        assert target is not None
        _write_parquet(rows, target)
    else:
        output.write(as_csv(rows), target)
    if target is not None:
        output.note(f"{len(rows)} rows written to {target}")
    return 0


def _format_of(target: Path | None) -> str:
    ending = target.suffix if target is not None else ""
    if ending in ("", ".csv", ".txt"):
        return "csv"
    if ending == ".parquet":
        return ending[1:]
    raise UsageError(
        f"{target}: the suffix {ending} is neither that of CSV nor of Parquet",
        "choose with --format csv or --format parquet",
    )


def _rows(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    record = results.open_run(arguments.run, arguments.store)
    chosen = results.select_cases(summarise(record), arguments.case)
    if arguments.domains:
        return _domain_rows(record, chosen)
    if not arguments.samples:
        return list(records(chosen))
    names = {(result.case, result.shape) for result in chosen}
    kept = [case for case in record.cases if (case.case, case.shape) in names]
    return list(sample_rows(record, kept))


def _domain_rows(record: Run, chosen: Sequence[CaseResult]) -> list[dict[str, Any]]:
    rows = domains.as_rows(domain_times(record.cases, chosen))
    if not rows:
        raise UsageError(
            f"{record.name} has no times of memory domains",
            f"only the studies {' and '.join(STUDIES)} measure them",
        )
    return rows


def _write_parquet(rows: Sequence[dict[str, Any]], target: Path) -> None:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise UsageError(
            "Parquet needs pyarrow, which is not installed", "pip install 'transrank[parquet]'"
        ) from None
    columns = list(dict.fromkeys(name for row in rows for name in row))
    table = pa.table({name: [row.get(name) for row in rows] for name in columns})
    try:
        # An open file: given a name, pyarrow removes an existing file when the disk is full.
        with writing.replacing(target) as file:
            parquet.write_table(table, file)
    except OSError as error:
        raise RecordError(
            f"cannot write {target}: {error.strerror or error}", "name another file with -o"
        ) from None
