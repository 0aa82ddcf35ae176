# SPDX-License-Identifier: BSD-3-Clause
"""transrank show: the numbers of a run, or of a published machine."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from transrank.lab.cli import domains, options, output, results
from transrank.lab.cli.published import print_machine
from transrank.lab.findings.table import find
from transrank.lab.findings.values import numbers_of_run
from transrank.lab.findings.words import as_json, sentences
from transrank.lab.reference.tables import machines
from transrank.lab.stats.domains import DomainOfCase, domain_times
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.hidden import find_hidden
from transrank.lab.stats.summary import CaseResult, Caution, run_warnings, summarise
from transrank.lab.stats.trust import Trust, trust_in, without_noise
from transrank.lab.store.records import Run
from transrank.lab.units import counted, format_percent
from transrank.lab.view.kinds import BYTES, NUMBER, SHARE, WORDS, ends
from transrank.lab.view.results import MARKS, TERMINAL, VERBOSE, columns, marks, records
from transrank.lab.view.results import record as one_record
from transrank.lab.view.table import Column, Table, field, labelled

HIDDEN = (
    field("operation", lambda hidden: hidden.operation),
    field("form", lambda hidden: hidden.form),
    Column("", WORDS, lambda hidden: f"{hidden.operation}/{hidden.form}"),
    Column("", WORDS, lambda hidden: str(hidden.shape)),
    Column("bytes", BYTES, lambda hidden: hidden.bytes, "bytes"),
    field("ranks", lambda hidden: hidden.shape.ranks),
    field("ranks_per_node", lambda hidden: hidden.shape.ranks_per_node),
    Column("hidden", SHARE, lambda hidden: hidden.share.value, "share"),
    Column("95 % interval", NUMBER, lambda hidden: ends(hidden.share, format_percent)),
    field("share_low", lambda hidden: hidden.share.low),
    field("share_high", lambda hidden: hidden.share.high),
)
EPILOG = """\
For each case, the table shows
  the median of all launches (starts of mpiexec), with its 95% interval
  the number of launches used for this median
  the data rate
  the mean, computed in the same way as in Intel MPI Benchmarks (IMB)
With -v, the table also shows
  the mean and the 90th and 99th percentiles of all samples after warm-up
  the percentage of samples used for the median
  the time from the end of the fastest rank to the end of the slowest rank
For test harnesses, --format lines prints one line per case:
  case=... value=... low=... high=... unit=s

examples:
  transrank show                              the latest run
  transrank show latest~1 --case 'pingpong/*' -v
  transrank show night --format csv -o night.csv
  transrank show fugaku                       published results of a machine
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.description = (
        "Print the results of a run. If RUN names a machine with published results, print these "
        "results instead: how they were measured, what they show, and the tables of the "
        "publication."
    )
    parser.epilog = EPILOG
    parser.add_argument(
        "run",
        metavar="RUN",
        nargs="?",
        default="latest",
        help="a run: latest, latest~N (the Nth run before the latest), an ID or its beginning, a "
        "label or a record file; or, instead of a run, a machine from `transrank list machines` "
        "(default: latest)",
    )
    results.add_case_option(parser)
    options.add_output_options(parser, ("table", "json", "csv", "lines"))


def run(arguments: argparse.Namespace) -> int:
    """Print one run, or one published machine."""
    published = {machine.name: machine for machine in machines()}
    if arguments.run in published:
        return print_machine(arguments, published[arguments.run])
    record = results.open_run(arguments.run, arguments.store)
    every = summarise(record)
    cautions = run_warnings(record, every)
    trust = trust_in(record, every)
    chosen = results.select_cases(every, arguments.case)
    times = domain_times(record.cases, chosen)
    if arguments.format == "lines":
        output.write("".join(f"{_line(result)}\n" for result in chosen), arguments.output)
    else:
        output.answer(
            arguments,
            lambda: _as_json(record, chosen, times, cautions),
            lambda: list(records(chosen)),
            lambda console: _print(console, record, trust, chosen, times),
        )
    # A table begins with the grade of the run, and why it has it.
    told = trust.why if arguments.format == "table" else None
    results.warn(caution for caution in cautions if caution.text != told)
    return 0


def _line(result: CaseResult) -> str:
    """`case=pingpong/8B ranks=2 ... value=1.43e-06 low=... high=... unit=s`, for harnesses."""
    value = result.headline or Estimate(math.nan)
    numbers = {"value": value.value, "low": value.low, "high": value.high}
    texts = [f"{name}={math.nan if n is None else n:.6g}" for name, n in numbers.items()]
    shape = [f"ranks={result.shape.ranks}", f"ranks_per_node={result.shape.ranks_per_node}"]
    return " ".join([f"case={result.case}", *shape, f"status={result.status}", *texts, "unit=s"])


def _as_json(
    record: Run,
    chosen: Sequence[CaseResult],
    times: Sequence[DomainOfCase],
    cautions: Sequence[Caution],
) -> Any:
    header = record.header
    return {
        "run": header.run,
        "label": header.label,
        "created": header.created,
        "mpi": header.mpi.library if header.mpi else None,
        "results": [
            {
                **one_record(result),
                "axes": dict(result.axes),
                "launch_seconds": [each.value for each in result.launch_medians],
                "warnings": [{"text": c.text, "hint": c.hint} for c in result.warnings],
            }
            for result in chosen
        ],
        "findings": as_json(find(numbers_of_run(record, chosen))),
        "hidden": _hidden(chosen).records(),
        "domains": domains.as_rows(times),
        "warnings": [{"text": caution.text, "hint": caution.hint} for caution in cautions],
    }


def _print(
    console: Console,
    record: Run,
    trust: Trust,
    chosen: Sequence[CaseResult],
    times: Sequence[DomainOfCase],
) -> None:
    if not output.settings.verbose:
        chosen = without_noise(chosen)

    output.paragraph(console, _heading(record))
    output.paragraph(console, results.trust_text(trust))
    axes = {result.case: result.axes for result in chosen}
    measured = [result for result in chosen if result.measured]
    of_domains = domains.by_case(times)
    for group in results.tabulate(measured, axes):
        console.print()
        of_group = [result for _, result in group.rows]
        output.print_table(console, group.table(columns(TERMINAL, of_group)))
        tails = [row for row in group.rows if row[1].tail is not None]
        if output.settings.verbose and tails:
            console.print(Text("all samples after warm-up"))
            of_all = columns(VERBOSE, of_group)
            output.print_table(console, labelled("", Column(""), of_all, tails).shown())
        domains.print_domains(console, group, of_domains)
    if (hidden := _hidden(measured)).items:
        console.print()
        output.paragraph(console, "hidden by computation: (alone + computation - together) / alone")
        output.print_table(console, hidden)
    for sentence in sentences(find(numbers_of_run(record, measured))):
        console.print()
        output.paragraph(console, sentence)
    _print_marks(console, measured)
    _print_unmeasured(console, [result for result in chosen if not result.measured])


def _hidden(results: Sequence[CaseResult]) -> Table:
    found = find_hidden(result for result in results if result.measured)
    return Table("", HIDDEN, [hidden for hidden in found if hidden.share is not None])


def _heading(record: Run) -> Text:
    header = record.header
    parts = [header.run, header.label, header.mpi.library if header.mpi else None]
    parts += [f"{file.suite} {file.version}" for file in header.imported[:1]]
    return Text(output.one_line(", ".join(part for part in parts if part)))


def _print_marks(console: Console, measured: Sequence[CaseResult]) -> None:
    used = [mark for mark in MARKS if any(mark in marks(result) for result in measured)]
    if used:
        console.print()
    for mark in used:
        count = sum(mark in marks(result) for result in measured)
        cases = counted(count, "case")
        output.paragraph(console, f"{mark}  {MARKS[mark]} ({cases})", indent=3)


def _print_unmeasured(console: Console, unmeasured: Sequence[CaseResult]) -> None:
    found = [(each.status, each.reason or "no reason is recorded", each) for each in unmeasured]
    if found:
        console.print()
    for status, text in results.reasons(found):
        style = "bold red" if status == "failed" else ""
        output.paragraph(console, Text.assemble((f"{status}:", style), f" {text}"))
