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
from itertools import pairwise, zip_longest
from typing import NoReturn

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Span, Text

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
    console.print(_laid_out(table, console.width), soft_wrap=True)


def _laid_out(table: Table, most: int) -> Text:
    """The heading and the rows, in lines of at most so many characters if that is possible.

    One text with a span for each cell that has a style: rich takes long over thousands of texts.
    """
    columns, rows = _fitting(table, most)
    widths = _widths(columns, rows, most)
    lines: list[str] = []
    spans: list[Span] = []
    begin = 0
    for row in rows:
        styles = [
            _style(column, text, row is rows[0]) for column, text in zip(columns, row, strict=True)
        ]
        for parts in _broken_row(row, widths):
            line = ""
            for part, width, column, style in zip(parts, widths, columns, styles, strict=True):
                blanks = " " * (width - cell_len(part))
                line += blanks if column.kind.right else ""
                if style:
                    spans.append(Span(begin + len(line), begin + len(line) + len(part), style))
                line += part + ("" if column.kind.right else blanks) + GAP
            lines.append(line.rstrip())
            begin += len(lines[-1]) + 1
    return Text("\n".join(lines), overflow="ignore", no_wrap=True, spans=spans)


def _fitting(table: Table, most: int) -> tuple[Sequence[Column], Sequence[Sequence[str]]]:
    """The columns for people and the cells below their headings, without what is too wide."""
    columns = [column for column in table.columns if column.heading is not None]
    texts = replace(table, columns=columns).texts()
    rows = [[column.heading or "" for column in columns]]
    rows += [[visible(text) for text in row] for row in texts]  # before widths are measured
    if _width(_widths(columns, rows, most)) <= most:
        return columns, rows
    needed = [i for i, column in enumerate(columns) if not column.optional]
    return [columns[i] for i in needed], [[row[i] for i in needed] for row in rows]


def _broken_row(row: Sequence[str], widths: Sequence[int]) -> Iterator[Sequence[str]]:
    """The cells of each line of a row."""
    return zip_longest(*map(_broken, row, widths), fillvalue="")


def _style(column: Column, text: str, is_heading: bool) -> str | None:
    if is_heading:
        return "bold"
    return column.style(text) if column.style else None


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[str]], most: int) -> list[int]:
    """The width of each column. If necessary columns of words shrink, then headings of numbers."""
    widths = [max(map(cell_len, cells)) for cells in zip(*rows, strict=True)]
    if _width(widths) <= most:
        return widths
    least = [_least(*pair) for pair in zip(columns, zip(*rows, strict=True), strict=True)]
    for right in (False, True):
        some = [i for i, column in enumerate(columns) if column.kind.right is right]
        while _width(widths) > most and (wide := [i for i in some if widths[i] > least[i]]):
            widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


def _least(column: Column, cells: Sequence[str]) -> int:
    """How far a column shrinks: words to a least width, a heading to its longest word."""
    if not column.kind.right:
        return LEAST_WIDTH
    return max(map(cell_len, [*cells[0].split(), *cells[1:]]))


def _width(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def paragraph(console: Console, text: str | Text, indent: int = 2) -> None:
    """Print prose in lines of the console's width, all but the first indented.

    Lines end between words: paths and names stay whole, on a longer line if necessary.
    """
    words = text if isinstance(text, Text) else Text(visible(text))
    lines = words.divide(_ends(words.plain, max(console.width - indent, LEAST_WIDTH)))
    for place, line in enumerate(lines):
        if len(lines) > 1:
            line.rstrip()
        console.print(Text(" " * indent if place else "").append_text(line), soft_wrap=True)


def _broken(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns, except for longer words."""
    ends = _ends(text, width)
    if not ends:
        return [text]
    return [text[a:b].rstrip() for a, b in pairwise([0, *ends, len(text)])]


def _ends(text: str, width: int) -> list[int]:
    """Where lines of a text end."""
    begin, ends = 0, []
    for word in _WORD.finditer(text) if cell_len(text) > width else ():
        if begin < word.start() and cell_len(text[begin : word.end()]) > width:
            begin = word.start()
            ends.append(begin)
    return ends


def one_line(text: str) -> str:
    """Return `text` without line breaks, control characters shown."""
    return visible(" ".join(text.split()))
