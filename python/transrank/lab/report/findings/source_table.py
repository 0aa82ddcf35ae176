# SPDX-License-Identifier: BSD-3-Clause
"""Sentences about a published source, by study, and tables of its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from transrank.lab.reference.machine import read_table
from transrank.lab.report.tables import Column, Row, Table
from transrank.lab.units import is_number

# The study, and a sentence about it.
Sentences = Iterator[tuple[str, str]]


def source_table(caption: str, file: str, columns: Mapping[str, str]) -> Table:
    """Some columns of a table of the source, under these headings."""
    rows = read_table(file)
    numbers = {name: all(is_number(row[name]) for row in rows) for name in columns}
    return Table(
        caption,
        tuple(Column(heading, number=numbers[name]) for name, heading in columns.items()),
        tuple(
            Row(
                tuple(f"{int(row[n]):,}" if row[n].isdigit() else row[n] for n in columns),
                "published",
            )
            for row in rows
        ),
    )
