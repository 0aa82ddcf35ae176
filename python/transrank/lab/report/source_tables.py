# SPDX-License-Identifier: BSD-3-Clause
"""What a source says besides the times of cases, and its ghosts in numbers of ours."""

from __future__ import annotations

from collections.abc import Iterator

from transrank.lab import units
from transrank.lab.reference import ghost
from transrank.lab.reference.machine import Machine, read_table
from transrank.lab.view.kinds import COUNT, NUMBER, RATE, WORDS, Kind
from transrank.lab.view.table import Column, Table


def source_tables(machine: Machine) -> Iterator[Table]:
    """The tables of a machine's source, as printed, and one of its ghosts."""
    if machine.of_study("ghost"):
        yield _ghosts(machine)
    for file, caption in machine.tables.items():
        yield _as_printed(file, caption)


def _as_printed(file: str, caption: str) -> Table:
    rows = read_table(file)
    numbers = [all(units.is_number(row[name]) for row in rows) for name in rows[0]]
    columns = [
        Column(name.replace("_", " "), NUMBER if number else WORDS)
        for name, number in zip(rows[0], numbers, strict=True)
    ]
    cells = [[f"{int(x):,}" if x.isdigit() else x for x in row.values()] for row in rows]
    return Table(caption, columns, cells, lambda _: "published")


def _ghosts(machine: Machine) -> Table:
    printed = [row for row in read_table(ghost.TABLE) if row["machine"].lower() == machine.name]
    return Table(
        "What each rank receives, what all receive together, and the time of an update as printed",
        GHOSTS,
        list(zip(machine.points, printed, strict=True)),
        lambda _: "published",
    )


MILLISECONDS = Kind(lambda milliseconds: f"{milliseconds:,g}")
# Of pairs: a published point, and its row of the table.
GHOSTS = (
    Column("ranks", COUNT, lambda pair: pair[0].ranks),
    Column("nodes", COUNT, lambda pair: pair[0].nodes),
    Column("vdim", NUMBER, lambda pair: pair[0].axes["vdim"]),
    Column("a rank", RATE, lambda pair: pair[0].rate or 0),
    Column("all ranks", RATE, lambda pair: (pair[0].rate or 0) * pair[0].ranks),
    Column("ms", MILLISECONDS, lambda pair: float(pair[1]["time_ms"] or 0) or None),
)
