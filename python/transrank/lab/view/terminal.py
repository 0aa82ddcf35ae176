# SPDX-License-Identifier: BSD-3-Clause
"""Tables and prose on a terminal: lines end between words, and no text from a file controls it.

Control characters are shown, not sent. A table has a heading line and no rules, and no value in it
is cut off: one that is too wide first loses its optional columns, then its columns of words take
several lines per row, and headings of numbers; names and numbers are never broken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NoReturn

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from transrank.lab.view.table import Column, Table

# The gap between the columns of a table, and the least width of a column of words.
GAP, LEAST_WIDTH = "  ", 16

# A unit that is not broken across lines: a number stays with its unit.
_WORD = re.compile(r"(?:\S*\d (?=%|[nµmkKMGT]?i?[sB]\b))?\S+")

# C0 and DEL have pictures; C1, and characters that change the direction of text, have none.
_SHOWN = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"},
    0x7F: 0x2421,
    **dict.fromkeys(
        (*range(0x80, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
        0xFFFD,
    ),
}


def visible(text: str) -> str:
    """Return `text` with a visible character in place of each control character."""
    return text.translate(_SHOWN)


class PlainConsole(Console):
    """A console that shows control characters, and raises BrokenPipeError if its reader is gone."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render with control characters shown; those of styles are added afterwards."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))


def print_table(console: Console, table: Table) -> None:
    """Print a table without what is for programs only, its caption above it if it has one."""
    if table.caption:
        paragraph(console, Text(visible(table.caption), style="bold"))
    found = Text("\n", overflow="ignore", no_wrap=True).join(lines(table, console.width))
    console.print(found, soft_wrap=True)


def lines(table: Table, most: int) -> Iterator[Text]:
    """The heading and the rows, in lines of at most so many characters if that is possible."""
    columns = [column for column in table.columns if column.heading is not None]
    texts = replace(table, columns=columns).texts()
    cells = [[_cell(*pair) for pair in zip(columns, row, strict=True)] for row in texts]
    rows = [[Text(column.heading or "", "bold") for column in columns], *cells]
    if _width(_widths(columns, rows, most)) > most:
        needed = [i for i, column in enumerate(columns) if not column.optional]
        columns = [columns[i] for i in needed]
        rows = [[row[i] for i in needed] for row in rows]
    widths = _widths(columns, rows, most)
    for row in rows:
        broken = [_broken(cell, width) for cell, width in zip(row, widths, strict=True)]
        for place in range(max(map(len, broken))):
            parts = [cell[place] if place < len(cell) else Text() for cell in broken]
            yield _line(columns, parts, widths)


def _cell(column: Column, text: str) -> Text:
    """Text, not str, which rich would read as markup; visible before widths are measured."""
    return Text(visible(text), (column.style and column.style(text)) or "")


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[Text]], most: int) -> list[int]:
    """The width of each column. If necessary columns of words shrink, then headings of numbers."""
    widths = [max(cell.cell_len for cell in cells) for cells in zip(*rows, strict=True)]
    least = [_least(*pair) for pair in zip(columns, zip(*rows, strict=True), strict=True)]
    for right in (False, True):
        some = [i for i, column in enumerate(columns) if column.kind.right is right]
        while _width(widths) > most and (wide := [i for i in some if widths[i] > least[i]]):
            widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


def _least(column: Column, cells: Sequence[Text]) -> int:
    """How far a column shrinks: words to a least width, a heading to its longest word."""
    if not column.kind.right:
        return LEAST_WIDTH
    words = (cell_len(word) for word in cells[0].plain.split())
    return max([*words, *(cell.cell_len for cell in cells[1:])])


def _width(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _line(columns: Sequence[Column], parts: Sequence[Text], widths: Sequence[int]) -> Text:
    line = Text(overflow="ignore", no_wrap=True)
    for part, width, column in zip(parts, widths, columns, strict=True):
        blanks = " " * (width - part.cell_len)
        line.append(blanks if column.kind.right else "").append_text(part)
        line.append("" if column.kind.right else blanks).append(GAP)
    line.rstrip()
    return line


def paragraph(console: Console, text: str | Text, indent: int = 2) -> None:
    """Print prose in lines of the console's width, all but the first indented.

    Lines end between words: paths and names stay whole, on a longer line if necessary.
    """
    words = text if isinstance(text, Text) else Text(visible(text))
    for place, line in enumerate(_broken(words, max(console.width - indent, LEAST_WIDTH))):
        console.print(Text(" " * indent if place else "").append_text(line), soft_wrap=True)


def _broken(text: Text, width: int) -> list[Text]:
    """Lines of at most `width` columns, except for longer words."""
    if text.cell_len <= width:
        return [text]
    begin, ends = 0, []
    for word in _WORD.finditer(text.plain):
        if begin < word.start() and cell_len(text.plain[begin : word.end()]) > width:
            begin = word.start()
            ends.append(begin)
    lines = list(text.divide(ends))
    for line in lines:
        line.rstrip()
    return lines


def one_line(text: str) -> str:
    """Return `text` without line breaks, control characters shown."""
    return visible(" ".join(text.split()))
