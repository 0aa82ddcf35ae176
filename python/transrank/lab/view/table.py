# SPDX-License-Identifier: BSD-3-Clause
"""A table: a line of code for each column, and rows of values that every form writes its own way.

A column says what it is called, which kind of value it has, and how that is found in a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

from transrank.lab.view.kinds import NUMBER, WORDS, Kind

# What people see where a table of the page has no value.
NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, the kind of its values, and how a value is found in a row.

    Without `value` a row is a sequence, and the column's place in the table is that in the row.
    `name` is the field of JSON and CSV, with its unit; columns without one are for people only,
    those without a heading for programs only. An `optional` column is left out of a terminal that
    is too narrow; `style` chooses the colours of a cell by its text.
    """

    heading: str | None
    kind: Kind = NUMBER
    value: Callable[[Any], Any] | None = None
    name: str = ""
    optional: bool = False
    style: Callable[[str], str | None] | None = None

    def text(self, value: Any) -> str | None:
        """How people see a value, None where there is none; a string is shown as it is."""
        return value if value is None or isinstance(value, str) else self.kind.text(value)

    def of(self, part: Callable[[Any], Any]) -> Column:
        """The same column of rows that have the item in them, where `part` finds it."""
        value = self.value
        assert value is not None
        return replace(self, value=lambda row: value(part(row)))


def field(name: str, value: Callable[[Any], Any]) -> Column:
    """A column for programs only."""
    return Column(None, WORDS, value, name)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table; `state` is a case's status, for styling."""

    cells: tuple[Any, ...]
    state: str = "ok"


def _state(item: Any) -> str:
    return item.state if isinstance(item, Row) else "ok"


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its caption: columns, and an item for each row, whose state may be styled."""

    caption: str
    columns: Sequence[Column]
    items: Sequence[Any]
    state: Callable[[Any], str] = _state

    @property
    def rows(self) -> list[Row]:
        """The rows as people see them, with a dash where there is no value."""
        return [Row(tuple(cells), self.state(item)) for cells, item in self._cells(NOTHING)]

    def texts(self) -> list[list[str]]:
        """The cells as people see them, empty where there is no value."""
        return [cells for cells, _ in self._cells("")]

    def records(self) -> list[dict[str, Any]]:
        """The values for programs, by the names of the columns that have one."""
        named = [column for column in self.columns if column.name]
        return [{column.name: _value(column, 0, item) for column in named} for item in self.items]

    def shown(self) -> Table:
        """The same for people: without what has no heading, or no value in any row."""
        kept = [
            column
            for place, column in enumerate(self.columns)
            if column.heading is not None
            and any(column.text(_value(column, place, item)) for item in self.items)
        ]
        return replace(self, columns=kept)

    def _cells(self, nothing: str) -> list[tuple[list[str], Any]]:
        rows = []
        for item in self.items:
            values = (_value(column, place, item) for place, column in enumerate(self.columns))
            texts = (column.text(v) for column, v in zip(self.columns, values, strict=True))
            rows.append(([nothing if text is None else text for text in texts], item))
        return rows


def _value(column: Column, place: int, item: Any) -> Any:
    if column.value is not None:
        return column.value(item)
    return (item.cells if isinstance(item, Row) else item)[place]


def labelled(
    caption: str,
    label: Column,
    columns: Iterable[Column],
    pairs: Sequence[tuple[str, Any]],
    state: Callable[[Any], str] = _state,
) -> Table:
    """A table of pairs of a label and an item: the label first, then the columns of the item."""
    first = replace(label, value=lambda pair: pair[0])
    rest = (column.of(itemgetter(1)) for column in columns)
    return Table(caption, (first, *rest), pairs, lambda pair: state(pair[1]))
