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
from transrank.lab.cli.output import Column
from transrank.lab.cli.published import print_machine
from transrank.lab.reference.tables import machines
from transrank.lab.report.curves import steps_of
from transrank.lab.report.phrases import ends, step_sentence
from transrank.lab.stats.domains import DomainOfCase, domain_times
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.hidden import Hidden, find_hidden
from transrank.lab.stats.rows import result_row, result_rows
from transrank.lab.stats.summary import CaseResult, Caution, run_warnings, summarise
from transrank.lab.stats.trust import trust_in, without_noise
from transrank.lab.store.records import Run
from transrank.lab.study import launch
from transrank.lab.units import format_bytes, format_percent, format_rate, format_seconds

# The marks of a row, and what they mean.
MARKS = {
    "~": "the interval is wider than the requested precision, or too few launches give one",
    "!": "failed or skipped in some launches",
}
COLUMNS = (
    Column("", right=True),
    Column("median", right=True),
    Column("±", right=True),
    Column("95 % interval", right=True),
    Column("launches", right=True),
    Column("first rank", right=True),
    Column("rate", right=True),
    Column("IMB mean", right=True, optional=True),
    "",
)
# Of all samples after warm-up, with --verbose.
TAIL = [Column(name, right=True) for name in ("", "mean", "P90", "P99", "IMB mean", "counted")]
HIDDEN: list[Column | str] = [
    "",
    "",
    *(Column(name, right=True) for name in ("bytes", "hidden", "95 % interval")),
]
EPILOG = """\
examples:
  transrank show                              the latest run
  transrank show latest~1 --case 'pingpong/*' -v
  transrank show night --format csv -o night.csv
  transrank show fugaku                       a published machine
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and what its help says."""
    parser.description = (
        "Print the numbers of a run: the median over launches with its 95% interval, "
        "the number of launches that count, the rate, and the mean that IMB would print. With -v "
        "also the mean and the 90th and 99th percentile of all samples after warm-up, and the "
        "share of samples that count for the median. --format lines prints a line per case for "
        "test harnesses: case=... value=... low=... high=... unit=s. Of a published machine: how "
        "it was measured, findings from its numbers, and the tables of its source."
    )
    parser.epilog = EPILOG
    parser.add_argument(
        "run",
        metavar="RUN",
        nargs="?",
        default="latest",
        help="latest, latest~N, a run id or its beginning, a label, a file, or a published machine "
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
    chosen = results.select_cases(every, arguments.case)
    times = domain_times(record.cases, chosen)
    if arguments.format == "json":
        output.write(results.as_json(_as_json(record, chosen, times, cautions)), arguments.output)
    elif arguments.format == "csv":
        output.write(results.as_csv(list(result_rows(chosen))), arguments.output)
    elif arguments.format == "lines":
        output.write("".join(f"{_line(result)}\n" for result in chosen), arguments.output)
    else:
        output.print_or_write(
            lambda console: _print(console, record, every, chosen, times), arguments.output
        )
    results.warn(cautions)
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
                **result_row(result),
                "axes": dict(result.axes),
                "launch_seconds": [each.value for each in result.launch_medians],
                "warnings": [{"text": c.text, "hint": c.hint} for c in result.warnings],
            }
            for result in chosen
        ],
        "steps": [
            {
                "curve": what,
                "from_bytes": step.lower,
                "to_bytes": step.upper,
                "factor": step.factor.value,
                "factor_low": step.factor.low,
                "factor_high": step.factor.high,
            }
            for what, step in steps_of(chosen)
        ],
        "hidden": [
            {
                "operation": hidden.operation,
                "form": hidden.form,
                "bytes": hidden.bytes,
                "ranks": hidden.shape.ranks,
                "ranks_per_node": hidden.shape.ranks_per_node,
                "share": hidden.share.value,
                "share_low": hidden.share.low,
                "share_high": hidden.share.high,
            }
            for hidden in find_hidden(result for result in chosen if result.measured)
            if hidden.share is not None
        ],
        "domains": [domains.flat(one) for one in times],
        "warnings": [{"text": caution.text, "hint": caution.hint} for caution in cautions],
    }


def _print(
    console: Console,
    record: Run,
    every: Sequence[CaseResult],
    chosen: Sequence[CaseResult],
    times: Sequence[DomainOfCase],
) -> None:
    if not output.settings.verbose:
        chosen = without_noise(chosen)

    output.paragraph(console, _heading(record))
    output.paragraph(console, results.trust_text(trust_in(record, every)))
    axes = {result.case: result.axes for result in chosen}
    measured = [result for result in chosen if result.measured]
    of_domains = domains.by_case(times)
    for table in results.tabulate(measured, axes):
        console.print()
        output.paragraph(console, Text(f"{table.title}, {table.shape}", style="bold"))
        rows = [_row(*row) for row in table.rows]
        columns = _columns(table.rows[0][1].statistic)
        console.print(output.table(*results.without_empty(columns, rows)))
        tails = [_tail_row(*row) for row in table.rows if row[1].tail is not None]
        if output.settings.verbose and tails:
            console.print(Text("all samples after warm-up"))
            console.print(output.table(TAIL, tails))
        domains.print_domains(console, table, of_domains)
    for what, step in steps_of(measured):
        console.print()
        output.paragraph(console, f"{what}: {step_sentence(step)}")
    if hidden := [each for each in find_hidden(measured) if each.share is not None]:
        console.print()
        output.paragraph(console, "hidden by computation: (alone + computation - together) / alone")
        console.print(output.table(HIDDEN, [_hidden_row(each) for each in hidden]))
    _print_marks(console, measured)
    _print_unmeasured(console, [result for result in chosen if not result.measured])


def _hidden_row(hidden: Hidden) -> tuple[str, ...]:
    assert hidden.share is not None
    name = f"{hidden.operation}/{hidden.form}"
    size = "" if hidden.bytes is None else format_bytes(hidden.bytes)
    share = format_percent(hidden.share.value)
    return (name, str(hidden.shape), size, share, ends(hidden.share, format_percent))


def _heading(record: Run) -> Text:
    header = record.header
    parts = [header.run, header.label, header.mpi.library if header.mpi else None]
    parts += [f"{file.suite} {file.version}" for file in header.imported[:1]]
    return Text(output.one_line(", ".join(part for part in parts if part)))


def _columns(statistic: str) -> list[Column | str]:
    columns: list[Column | str] = list(COLUMNS)
    if statistic == "mean":
        columns[1] = Column("mean", right=True)
        columns[7] = Column("over ranks", right=True)
    return columns


def _row(label: str, result: CaseResult) -> list[str | Text]:
    assert result.headline is not None
    return [
        label,
        format_seconds(result.headline.value),
        results.error_text(result.headline),
        results.interval_text(result.headline) or _range_text(result),
        str(len(result.launches)),
        _first_rank_text(result),
        format_rate(result.rate) if result.rate else "",
        _imb_text(result),
        marks(result),
    ]


def _tail_row(label: str, result: CaseResult) -> list[str | Text]:
    assert result.tail is not None
    values = (result.tail.mean, result.tail.p90, result.tail.p99)
    return [
        label,
        *map(format_seconds, values),
        format_seconds(result.imb.mean) if result.imb else "",
        format_percent(result.kept),
    ]


def _range_text(result: CaseResult) -> str:
    """The range of launches that are too few for an interval, in brackets."""
    if result.range is None or result.statistic == "mean":
        return ""
    low, high = result.range
    assert result.headline is not None
    return f"({results.interval_text(Estimate(result.headline.value, low, high))})"


def _first_rank_text(result: CaseResult) -> str:
    """When the first rank ran: of the study whose value is when the last one did."""
    if result.study != launch.NAME or result.first_rank is None:
        return ""
    return format_seconds(result.first_rank)


def _imb_text(result: CaseResult) -> str:
    """The mean as IMB prints it; the range over ranks if the headline is that mean."""
    if result.imb is None:
        return ""
    if result.statistic == "median":
        return format_seconds(result.imb.mean)
    if result.imb.low == result.imb.high:
        return ""
    return results.interval_text(Estimate(result.imb.mean, result.imb.low, result.imb.high))


def marks(result: CaseResult) -> str:
    """Return the letters of MARKS that apply to a result."""
    applies = {
        "~": result.status == "wide",
        "!": result.reason is not None,
    }
    return "".join(mark for mark, holds in applies.items() if holds)


def _print_marks(console: Console, measured: Sequence[CaseResult]) -> None:
    used = [mark for mark in MARKS if any(mark in marks(result) for result in measured)]
    if used:
        console.print()
    for mark in used:
        count = sum(mark in marks(result) for result in measured)
        cases = "1 case" if count == 1 else f"{count} cases"
        output.paragraph(console, f"{mark}  {MARKS[mark]} ({cases})", indent=3)


def _print_unmeasured(console: Console, unmeasured: Sequence[CaseResult]) -> None:
    by_reason: dict[tuple[str, str], list[str]] = {}
    for result in unmeasured:
        key = (result.status, result.reason or "no reason is recorded")
        by_reason.setdefault(key, []).append(f"{result.case} ({result.shape})")
    if by_reason:
        console.print()
    for (status, reason), cases in by_reason.items():
        style = "bold red" if status == "failed" else ""
        line = Text.assemble((f"{status}:", style), f" {reason}: {results.some_of(cases)}")
        output.paragraph(console, line)
