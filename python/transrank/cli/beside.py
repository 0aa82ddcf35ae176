# SPDX-License-Identifier: BSD-3-Clause
"""How `compare` lays a run beside a published machine."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from transrank.cli import output, results
from transrank.cli.output import Column
from transrank.errors import RecordError, UsageError
from transrank.reference.machine import Machine
from transrank.stats.published import Beside, beside_machine
from transrank.stats.summary import run_warnings, summarise
from transrank.units import format_seconds

NO_INTERVAL = "Published numbers are means without an interval, so there is no verdict."


def print_beside(arguments: argparse.Namespace, machine: Machine) -> int:
    """Print a run beside `machine`; always status 0, for there is no verdict.

    Raises
    ------
    RecordError
        nothing in the run was published for the machine.
    UsageError
        the machine was not measured on so many nodes.
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
    pairs = beside_machine(chosen, machine, arguments.nodes)
    if not pairs:
        raise RecordError(
            f"{record.name} has no case that was published for {machine.name}",
            f"published are: {', '.join(machine.studies)}",
        )
    if arguments.format == "json":
        output.write(results.as_json(_as_json(pairs, machine)), arguments.output)
    elif arguments.format == "csv":
        output.write(results.as_csv([_flat(pair, machine) for pair in pairs]), arguments.output)
    else:
        output.print_or_write(lambda console: _print(console, pairs, machine), arguments.output)
    # A mean holds every disturbance of the machine: the warnings tell what it is worth.
    results.warn(run_warnings(record, every))
    return 0


def _print(console: Console, pairs: Sequence[Beside], machine: Machine) -> None:
    axes = {pair.case: pair.result.axes for pair in pairs}
    for table in results.tabulate(pairs, axes):
        first: Beside = table.rows[0][1]
        nodes = "1 node" if first.nodes == 1 else f"{first.nodes} nodes"
        title = f"{table.title}, {table.shape}; {machine.name}: {nodes}, {first.ranks} ranks"
        console.print(Text(title, style="bold"))
        rows = [_row(*row) for row in table.rows]
        console.print(output.table(*results.without_empty(_columns(machine), rows)))
        console.print()
    console.print(Text(f"{machine.name}: {machine.title}. {machine.attribution}."), soft_wrap=True)
    for sentence in (*machine.conditions, NO_INTERVAL):
        console.print(Text(sentence), soft_wrap=True)


def _columns(machine: Machine) -> list[Column | str]:
    names = ("", "median", "±", "IMB mean", machine.name, "ratio")
    return [Column(name, right=True) for name in names]


def _row(label: str, pair: Beside) -> list[str | Text]:
    median = pair.result.median
    return [
        label,
        format_seconds(median.value) if median else "",
        results.error_text(median),
        format_seconds(pair.ours),
        format_seconds(pair.published),
        f"{pair.ratio:.2f}",
    ]


def _as_json(pairs: Sequence[Beside], machine: Machine) -> dict[str, Any]:
    return {
        "machine": machine.name,
        "title": machine.title,
        "attribution": machine.attribution,
        "conditions": list(machine.conditions),
        "pairs": [_flat(pair, machine) for pair in pairs],
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
    }
