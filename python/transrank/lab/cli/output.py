# SPDX-License-Identifier: BSD-3-Clause
"""All output: results to stdout, everything else to stderr, colour only on a terminal.

No other module of the command line prints, so that text read from a file cannot control the
terminal: control characters are shown, not sent. Lines are as wide as the terminal, or 80 columns
in a file or a pipe; a longer word, such as a path, is not broken.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from transrank.errors import RecordError
from transrank.lab.store import writing

# Width of lines in a file or a pipe, unless the variable COLUMNS sets another.
USUAL_WIDTH = 80
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


@dataclass
class Settings:
    """The values of --color, --quiet and --verbose, for the whole process."""

    color: str = "auto"
    quiet: int = 0
    verbose: int = 0
    warned: set[str] = field(default_factory=set)


settings = Settings()


def configure(arguments: argparse.Namespace) -> None:
    """Apply the output options of a parsed command line."""
    settings.color = getattr(arguments, "color", None) or "auto"
    settings.quiet = getattr(arguments, "quiet", None) or 0
    settings.verbose = getattr(arguments, "verbose", None) or 0
    settings.warned.clear()
    for stream in (sys.stdout, sys.stderr):
        # File names and arguments may contain bytes that are not text in this locale.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _console(stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    on_terminal = stream.isatty()
    no_color = settings.color == "never" or (
        settings.color == "auto" and bool(os.environ.get("NO_COLOR"))
    )
    return PlainConsole(
        file=stream,
        width=None if on_terminal else _width_elsewhere(),
        force_terminal=True if settings.color == "always" else None,
        # --color always applies to a terminal that calls itself dumb, too.
        color_system="standard" if settings.color == "always" and _is_dumb() else "auto",
        no_color=no_color,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
    )


def _width_elsewhere() -> int:
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) > 0 else USUAL_WIDTH


def _is_dumb() -> bool:
    return os.environ.get("TERM", "").lower() in ("dumb", "unknown")


def data() -> Console:
    """Return the console for results: stdout."""
    return _console(stderr=False)


def messages() -> Console:
    """Return the console for everything but results: stderr."""
    return _console(stderr=True)


def error(text: str, hint: str | None = None) -> None:
    """Print an error on stderr, and on the next line what to do about it."""
    _say(Text.assemble(("error:", "bold red"), " ", one_line(text)))
    if hint:
        _say(Text.assemble(("hint:", "bold cyan"), " ", one_line(hint)))


def warning(text: str, hint: str | None = None) -> None:
    """Warn on stderr, once per text; silent with -qq."""
    if settings.quiet >= 2 or text in settings.warned:
        return
    settings.warned.add(text)
    parts: list[str | tuple[str, str]] = [("warning:", "bold yellow"), " ", one_line(text)]
    if hint:
        separator = " " if text.rstrip().endswith((".", ";")) else ". "
        parts += [separator, ("hint:", "bold cyan"), " ", one_line(hint)]
    _say(Text.assemble(*parts))


def note(text: str) -> None:
    """Print information on stderr; silent with -q."""
    if settings.quiet < 1:
        _say(Text(visible(text)))


def detail(text: str) -> None:
    """Print details on stderr with --verbose: command lines to be pasted, in one line each."""
    if settings.verbose:
        messages().print(Text(visible(text), style="dim"))


def write(text: str, output: Path | str | None = None) -> None:
    """Write a result: to stdout, or to the file that -o names, which appears whole or not at all.

    On a terminal control characters are shown; a file, or a program that reads stdout, gets the
    unchanged text.

    Raises
    ------
    RecordError
        the file cannot be written.
    """
    on_terminal = _is_stdout(output) and sys.stdout.isatty()
    _send(visible(text) if on_terminal else text, output)


def print_or_write(show: Callable[[Console], None], output: Path | None) -> None:
    """Let `show` print on stdout, or into the file that -o names.

    Raises
    ------
    RecordError
        the file cannot be written.
    """
    plain = PlainConsole(width=_width_elsewhere(), color_system=None, soft_wrap=True)
    console = data() if output is None else plain
    with console.capture() as capture:
        show(console)
    _send(capture.get(), output)


def _is_stdout(output: Path | str | None) -> bool:
    return output is None or str(output) == "-"


def _send(text: str, output: Path | str | None) -> None:
    if output is None or _is_stdout(output):
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        writing.replace(Path(output), text.encode("utf-8", "surrogateescape"))
    except OSError as cause:
        raise RecordError(
            f"cannot write {output}: {cause.strerror or cause}", "name another file with -o"
        ) from cause


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, and whether its values are aligned to the right.

    An `optional` one is left out if the table would be wider than the console.
    """

    heading: str
    right: bool = False
    optional: bool = False


@dataclass(frozen=True)
class Table:
    """A table with a heading line and no rules, in which no value is cut off.

    A table too wide for the console first loses its optional columns; then the columns of words
    take several lines per row; names and numbers are never broken.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Text]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        widths = self._widths(options.max_width)
        needed = [i for i, column in enumerate(self.columns) if not column.optional]
        if _width(widths) > options.max_width and len(needed) < len(widths):
            yield from self._only(needed).__rich_console__(console, options)
            return
        for row in self._lines():
            cells = [_broken(cell, width) for cell, width in zip(row, widths, strict=True)]
            for place in range(max(map(len, cells))):
                parts = [cell[place] if place < len(cell) else Text() for cell in cells]
                yield self._line(parts, widths)

    def as_markdown(self) -> list[str]:
        """The lines of a table of GitHub's Markdown."""
        rules = ["--:" if column.right else ":--" for column in self.columns]
        texts = [[cell.plain.replace("|", "\\|") for cell in row] for row in self._lines()]
        return [f"| {' | '.join(row)} |" for row in (texts[0], rules, *texts[1:])]

    def _lines(self) -> list[Sequence[Text]]:
        return [[Text(column.heading, "bold") for column in self.columns], *self.rows]

    def _only(self, kept: Sequence[int]) -> Table:
        return Table([self.columns[i] for i in kept], [[row[i] for i in kept] for row in self.rows])

    def _widths(self, most: int) -> list[int]:
        """The width of each column; columns of words shrink if necessary, the widest first."""
        widths = [max(c.cell_len for c in cells) for cells in zip(*self._lines(), strict=True)]
        words = [i for i, column in enumerate(self.columns) if not column.right]
        while words and _width(widths) > most:
            widest = max(words, key=widths.__getitem__)
            if widths[widest] <= LEAST_WIDTH:
                break
            widths[widest] -= 1
        return widths

    def _line(self, parts: Sequence[Text], widths: Sequence[int]) -> Text:
        line = Text(overflow="ignore", no_wrap=True)
        for part, width, column in zip(parts, widths, self.columns, strict=True):
            blanks = " " * (width - part.cell_len)
            line.append(blanks if column.right else "").append_text(part)
            line.append("" if column.right else blanks).append(GAP)
        line.rstrip()
        return line


def _width(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def table(columns: Sequence[Column | str], rows: Iterable[Sequence[str | Text]]) -> Table:
    """Return a table of words and numbers, for a console to print."""
    return Table(
        [column if isinstance(column, Column) else Column(column) for column in columns],
        # Text, not str, which rich would read as markup; made visible before widths are measured.
        [[cell if isinstance(cell, Text) else Text(visible(cell)) for cell in row] for row in rows],
    )


def paragraph(console: Console, text: str | Text, indent: int = 2) -> None:
    """Print prose in lines of the console's width, all but the first indented.

    Lines end between words: paths and names stay whole, on a longer line if necessary.
    """
    words = text if isinstance(text, Text) else Text(visible(text))
    for place, line in enumerate(_broken(words, max(console.width - indent, LEAST_WIDTH))):
        console.print(Text(" " * indent if place else "").append_text(line), soft_wrap=True)


def _broken(text: Text, width: int) -> list[Text]:
    """Lines of at most `width` columns, except for longer words."""
    begin, ends = 0, []
    for word in _WORD.finditer(text.plain):
        if begin < word.start() and cell_len(text.plain[begin : word.end()]) > width:
            begin = word.start()
            ends.append(begin)
    lines = list(text.divide(ends))
    for line in lines:
        line.rstrip()
    return lines


def _say(text: Text) -> None:
    paragraph(messages(), text)


def one_line(text: str) -> str:
    """Return `text` without line breaks, control characters shown."""
    return visible(" ".join(text.split()))
