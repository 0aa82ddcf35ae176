# SPDX-License-Identifier: BSD-3-Clause
"""What a source says besides the times of cases, and its ghosts in numbers of ours."""

from __future__ import annotations

from collections.abc import Iterator

from transrank.lab import units
from transrank.lab.reference import ghost
from transrank.lab.reference.machine import Machine, read_table
from transrank.lab.report.tables import NOTHING, Column, Row, Table


def source_tables(machine: Machine) -> Iterator[Table]:
    """The tables of a machine's source, as printed, and one of its ghosts."""
    if machine.of_study("ghost"):
        yield _ghosts(machine)
    for file, caption in machine.tables.items():
        yield _as_printed(file, caption)


def _as_printed(file: str, caption: str) -> Table:
    rows = read_table(file)
    columns = [
        Column(name.replace("_", " "), number=all(units.is_number(row[name]) for row in rows))
        for name in rows[0]
    ]
    cells = [[f"{int(x):,}" if x.isdigit() else x for x in row.values()] for row in rows]
    return Table(caption, tuple(columns), tuple(Row(tuple(each), "published") for each in cells))


def _ghosts(machine: Machine) -> Table:
    printed = [row for row in read_table(ghost.TABLE) if row["machine"].lower() == machine.name]
    cells = [
        (
            f"{point.ranks:,}",
            f"{point.nodes:,}",
            str(point.axes["vdim"]),
            units.format_rate(point.rate or 0),
            units.format_rate((point.rate or 0) * point.ranks),
            f"{float(row['time_ms']):,g}" if row["time_ms"] else NOTHING,
        )
        for point, row in zip(machine.points, printed, strict=True)
    ]
    return Table(
        "What each rank receives, what all receive together, and the time of an update as printed",
        tuple(map(Column, ("ranks", "nodes", "vdim", "a rank", "all ranks", "ms"))),
        tuple(Row(each, "published") for each in cells),
    )
