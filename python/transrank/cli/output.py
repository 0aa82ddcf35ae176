# SPDX-License-Identifier: BSD-3-Clause
"""Where words go: results to stdout, everything else to stderr, colour only where it is wanted.

Nothing else in the command line prints. Tables are not cut to a width when stdout is a file or a
pipe, so that what is read by a program is whole.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from rich.console import Console
from rich.table import Table
from rich.text import Text

from transrank.errors import RecordError

UNLIMITED_WIDTH = 100_000


class PipeConsole(Console):
    """A console that lets the caller see that its reader has gone away."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


@dataclass
class Settings:
    """What --color, --quiet and --verbose ask for, for the whole process."""

    color: str = "auto"
    quiet: int = 0
    verbose: int = 0
    warned: set[str] = field(default_factory=set)


settings = Settings()


def configure(arguments: argparse.Namespace) -> None:
    """Take the output options of a parsed command line."""
    settings.color = getattr(arguments, "color", None) or "auto"
    settings.quiet = getattr(arguments, "quiet", None) or 0
    settings.verbose = getattr(arguments, "verbose", None) or 0
    settings.warned.clear()
    for stream in (sys.stdout, sys.stderr):
        # File names and arguments may hold bytes that are no text in this locale.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _console(stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    on_terminal = stream.isatty()
    no_color = settings.color == "never" or (
        settings.color == "auto" and bool(os.environ.get("NO_COLOR"))
    )
    return PipeConsole(
        file=stream,
        width=None if on_terminal else UNLIMITED_WIDTH,
        force_terminal=True if settings.color == "always" else None,
        # Who asks for colours gets them on what calls itself a dumb terminal, too.
        color_system="standard" if settings.color == "always" and _is_dumb() else "auto",
        no_color=no_color,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=not on_terminal,
    )


def _is_dumb() -> bool:
    return os.environ.get("TERM", "").lower() in ("dumb", "unknown")


def data() -> Console:
    """Return the console for results: stdout."""
    return _console(stderr=False)


def messages() -> Console:
    """Return the console for everything that is no result: stderr."""
    return _console(stderr=True)


def error(text: str, hint: str | None = None) -> None:
    """Say on stderr what went wrong, and on the next line what to do about it."""
    _say(Text.assemble(("error:", "bold red"), " ", _one_line(text)))
    if hint:
        _say(Text.assemble(("hint:", "bold cyan"), " ", _one_line(hint)))


def warning(text: str, hint: str | None = None) -> None:
    """Warn on stderr, once per text; silent with -qq."""
    if settings.quiet >= 2 or text in settings.warned:
        return
    settings.warned.add(text)
    parts: list[str | tuple[str, str]] = [("warning:", "bold yellow"), " ", _one_line(text)]
    if hint:
        separator = " " if text.rstrip().endswith((".", ";")) else ". "
        parts += [separator, ("hint:", "bold cyan"), " ", _one_line(hint)]
    _say(Text.assemble(*parts))


def note(text: str) -> None:
    """Say on stderr what is worth knowing; silent with -q."""
    if settings.quiet < 1:
        _say(Text(text))


def detail(text: str) -> None:
    """Say on stderr what only --verbose asks for."""
    if settings.verbose:
        _say(Text(text, style="dim"))


def write(text: str, output: Path | str | None = None) -> None:
    """Write a result: to stdout, or to the file that -o names.

    Raises
    ------
    RecordError
        the file cannot be written.
    """
    if output is None or str(output) == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as cause:
        raise RecordError(
            f"cannot write {output}: {cause.strerror or cause}", "name another file with -o"
        ) from cause


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, and whether its values line up on the right."""

    heading: str
    right: bool = False


def table(columns: Sequence[Column | str], rows: Iterable[Sequence[str | Text]]) -> Table:
    """Return a table in the style of the house: a heading line, no rules, nothing cut off."""
    result = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    for column in columns:
        named = column if isinstance(column, Column) else Column(column)
        result.add_column(
            named.heading, justify="right" if named.right else "left", no_wrap=named.right
        )
    for row in rows:
        # Text, not str: a string would be read as markup.
        result.add_row(*(cell if isinstance(cell, Text) else Text(cell) for cell in row))
    return result


def rendered(shown: Table, output: Path | None = None) -> str:
    """Return a table as the text that stdout would get, or plain text for a file."""
    console = data() if output is None else Console(width=UNLIMITED_WIDTH, color_system=None)
    with console.capture() as capture:
        console.print(shown)
    return "".join(line.rstrip() + "\n" for line in capture.get().splitlines())


def print_table(columns: Sequence[Column | str], rows: Iterable[Sequence[str | Text]]) -> None:
    """Print a table on stdout."""
    write(rendered(table(columns, rows)))


def _say(text: Text) -> None:
    messages().print(text, soft_wrap=True)


def _one_line(text: str) -> str:
    return " ".join(text.split())
