# SPDX-License-Identifier: BSD-3-Clause
"""How `show` prints a published machine: its conditions, what its numbers say, and its tables."""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import Console
from rich.text import Text

from transrank.errors import UsageError
from transrank.lab import units
from transrank.lab.cli import output
from transrank.lab.findings.table import find
from transrank.lab.findings.values import numbers_of_machine
from transrank.lab.findings.words import as_json, sentences
from transrank.lab.reference.machine import Machine, ReferencePoint
from transrank.lab.report.source_tables import source_tables


def print_machine(arguments: argparse.Namespace, machine: Machine) -> int:
    """Print what was published for a machine; JSON and CSV have every number."""
    if arguments.format == "lines":
        raise UsageError("--format lines: for runs, not for published machines", "use csv")
    output.answer(
        arguments,
        lambda: _as_json(machine),
        lambda: [_flat(point) for point in machine.points],
        lambda console: _print(console, machine),
    )
    return 0


def _print(console: Console, machine: Machine) -> None:
    output.paragraph(console, Text(f"{machine.name}, {machine.title}", style="bold"))
    for sentence in (f"{machine.attribution}.", *machine.conditions):
        output.paragraph(console, sentence)
    for sentence in sentences(find(numbers_of_machine(machine))):
        console.print()
        output.paragraph(console, sentence)
    for table in source_tables(machine):
        console.print()
        output.print_table(console, table)
    if not machine.points:
        return
    console.print()
    numbers = units.counted(len(machine.points), "number")
    output.paragraph(
        console,
        f"{numbers} of {', '.join(machine.studies)}: `transrank show {machine.name} --format csv` "
        f"prints them, `transrank compare RUN {machine.name}` lays a run beside them.",
    )


def _as_json(machine: Machine) -> dict[str, Any]:
    return {
        "machine": machine.name,
        "title": machine.title,
        "attribution": machine.attribution,
        "conditions": list(machine.conditions),
        "findings": as_json(find(numbers_of_machine(machine))),
        "tables": [
            {
                "caption": table.caption,
                "columns": [column.heading for column in table.columns],
                "rows": [list(row.cells) for row in table.rows],
            }
            for table in source_tables(machine)
        ],
        "points": [_flat(point) for point in machine.points],
    }


def _flat(point: ReferencePoint) -> dict[str, Any]:
    return {
        "study": point.study,
        **point.axes,
        "nodes": point.nodes,
        "ranks": point.ranks,
        "seconds": point.seconds,
        "fastest_seconds": point.fastest_seconds,
        "bytes_per_second": point.rate,
        "note": point.note,
    }
