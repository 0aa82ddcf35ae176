# SPDX-License-Identifier: BSD-3-Clause
"""What is told of a published source: sentences by study, and its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from transrank.lab.reference.machine import read_table
from transrank.lab.report.tables import Column, Row, Table

# The study, and what is told of it.
Sentences = Iterator[tuple[str, str]]


def source_table(caption: str, file: str, columns: Mapping[str, str]) -> Table:
    """Some columns of a table of the source, under these headings."""
    rows = read_table(file)
    numbers = {name: all(_is_number(row[name]) for row in rows) for name in columns}
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


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
