# SPDX-License-Identifier: BSD-3-Clause
"""How `compare` compares a run with a published machine."""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import Console
from rich.text import Text

from transrank.errors import RecordError, UsageError
from transrank.lab.cli import domains, output, results
from transrank.lab.cli.output import Column
from transrank.lab.reference.machine import Machine
from transrank.lab.report.phrases import counted
from transrank.lab.stats.domains import domain_times
from transrank.lab.stats.published import Apart, Beside, Comparison, beside_machine
from transrank.lab.stats.summary import run_warnings, summarise
from transrank.lab.units import format_seconds, three_digits

NO_INTERVAL = "Published numbers are means without an interval, so there is no verdict."
NO_TIMES = (
    "The times of {0} were only plotted, so there is no number to compare with; "
    "`transrank show {0}` prints the facts that were published."
)
COLUMNS = ("", "median", "±", "mean")


def print_beside(arguments: argparse.Namespace, machine: Machine) -> int:
    """Print a run beside `machine`; return status 0, since there is no verdict.

    A study published only for other numbers of ranks has a line that names these; a machine whose
    times were only plotted has one that says so.

    Raises
    ------
    RecordError
        the run has none of the studies that were published for the machine.
    UsageError
        the machine was not measured on that number of nodes.
    """
    known = sorted({point.nodes for point in machine.points})
    if arguments.nodes is not None and arguments.nodes not in known:
        raise UsageError(
            f"{machine.name} was not measured on {arguments.nodes} nodes",
            f"known: {', '.join(map(str, known))}",
        )
    record = results.open_run(arguments.baseline, arguments.store)
    every = summarise(record)
    chosen = results.select_cases(every, arguments.case)
    found = beside_machine(chosen, machine, arguments.nodes)
    if machine.studies and found.unmeasured == machine.studies:
        raise RecordError(
            f"{record.name} has no case of a study that was published for {machine.name}",
            f"measure one: transrank measure {' '.join(machine.studies)}",
        )
    if arguments.format == "json":
        output.write(results.as_json(_as_json(found, machine)), arguments.output)
    elif arguments.format == "csv":
        rows = [_flat(pair, machine) for pair in found.pairs]
        output.write(results.as_csv(rows), arguments.output)
    else:
        times = domains.by_case(domain_times(record.cases, chosen))
        output.print_or_write(
            lambda console: _print(console, found, machine, times), arguments.output
        )
    # A mean includes every disturbance of the machine: the warnings say how far to trust it.
    results.warn(run_warnings(record, every))
    return 0


def _print(console: Console, found: Comparison, machine: Machine, times: domains.Of) -> None:
    axes = {pair.case: pair.result.axes for pair in found.pairs}
    names = (*COLUMNS, machine.name, "ratio of means", "first rank", f"{machine.name}'s")
    columns: list[Column | str] = [Column(n, right=True, optional=n == "±") for n in names]
    columns.append("job shape")
    for table in results.tabulate(found.pairs, axes):
        jobs = sorted({(pair.ranks, pair.nodes) for _, pair in table.rows})
        theirs = results.some_of([_job(*job) for job in jobs])
        title = f"{table.title}, {table.shape}; {machine.name}: {theirs}"
        output.paragraph(console, Text(title, style="bold"))
        rows = [_row(*row) for row in table.rows]
        console.print(output.table(*results.without_empty(columns, rows)))
        domains.print_links(console, table, machine, times)
        console.print()
    sentences = _sentences(found) if machine.studies else [NO_TIMES.format(machine.name)]
    for sentence in sentences:
        output.paragraph(console, sentence)
    if sentences:
        console.print()
    output.paragraph(console, f"{machine.name}: {machine.title}. {machine.attribution}.")
    for sentence in (*machine.conditions, *([NO_INTERVAL] if machine.studies else [])):
        output.paragraph(console, sentence)


def _sentences(found: Comparison) -> list[str]:
    """The studies that cannot be compared, and what would be comparable."""
    sentences = [_apart_text(each) for each in found.apart]
    if any(None in each.ours for each in found.apart):
        sentences.append(
            "the placement of the ranks is unknown; give it with: transrank import "
            "--ranks-per-node N"
        )
    if found.unmeasured:
        sentences.append(f"not measured in this run: {', '.join(found.unmeasured)}")
    return sentences


def _apart_text(apart: Apart) -> str:
    theirs = results.some_of([_job(*job) for job in apart.jobs])
    if not apart.ours:
        axes = " ".join(
            f"--{'sizes' if name == 'bytes' else name} {','.join(map(str, values))}"
            for name, values in apart.axes.items()
        )
        return (
            f"{apart.study}: not comparable, the run has other cases; comparable would be "
            f"transrank measure {apart.study} {axes}{' with ' if theirs else ''}{theirs}"
        )
    ours = [
        _job(place.ranks, place.nodes) if place else "ranks on unknown nodes"
        for place in apart.ours
    ]
    return (
        f"{apart.study}: not comparable, the run has {' and '.join(ours)}; comparable would be "
        f"{theirs}"
    )


def _job(ranks: int, nodes: int) -> str:
    return f"{counted(ranks, 'rank')} on {counted(nodes, 'node')}"


def _row(label: str, pair: Beside) -> list[str | Text]:
    median = pair.result.median
    return [
        label,
        format_seconds(median.value) if median else "",
        results.error_text(median),
        format_seconds(pair.ours),
        format_seconds(pair.published),
        three_digits(pair.ratio),
        *_first_ranks(pair),
        pair.job_shape,
    ]


def _first_ranks(pair: Beside) -> tuple[str, str]:
    """When the first rank ran, here and there, where that was published."""
    if pair.first_rank is None or pair.result.first_rank is None:
        return "", ""
    return format_seconds(pair.result.first_rank), format_seconds(pair.first_rank)


def _as_json(found: Comparison, machine: Machine) -> dict[str, Any]:
    return {
        "machine": machine.name,
        "title": machine.title,
        "attribution": machine.attribution,
        "conditions": list(machine.conditions),
        "pairs": [_flat(pair, machine) for pair in found.pairs],
        "not_comparable": [
            {
                "study": apart.study,
                "ours": [[place.ranks, place.nodes] for place in apart.ours if place],
                "published": [list(job) for job in apart.jobs],
            }
            for apart in found.apart
        ],
        "not_measured": list(found.unmeasured),
    }


def _flat(pair: Beside, machine: Machine) -> dict[str, Any]:
    median = pair.result.median
    return {
        "case": pair.case,
        "ranks": pair.shape.ranks,
        "ranks_per_node": pair.shape.ranks_per_node,
        "median_seconds": median.value if median else None,
        "mean_seconds": pair.ours,
        "machine": machine.name,
        "machine_nodes": pair.nodes,
        "machine_ranks": pair.ranks,
        "machine_seconds": pair.published,
        "ratio": pair.ratio,
        "first_rank_seconds": pair.result.first_rank,
        "machine_first_rank_seconds": pair.first_rank,
        "machine_job_shape": pair.job_shape or None,
    }
