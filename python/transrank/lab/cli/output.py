# SPDX-License-Identifier: BSD-3-Clause
"""All output: results to stdout, everything else to stderr, colour only on a terminal.

No other module of the command line prints, so that text read from a file cannot control the
terminal: control characters are shown, not sent. Lines are as wide as the terminal, or 80 columns
in a file or a pipe; a longer word, such as a path, is not broken.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from transrank.errors import RecordError
from transrank.lab.store import writing
from transrank.lab.view.csv_text import as_csv
from transrank.lab.view.json_text import as_json
from transrank.lab.view.terminal import PlainConsole
from transrank.lab.view.terminal import one_line as one_line
from transrank.lab.view.terminal import paragraph as paragraph
from transrank.lab.view.terminal import print_table as print_table
from transrank.lab.view.terminal import visible as visible

# Width of lines in a file or a pipe, unless the variable COLUMNS sets another.
USUAL_WIDTH = 80


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

    Raises RecordError: the file cannot be written.
    """
    on_terminal = _is_stdout(output) and sys.stdout.isatty()
    _send(visible(text) if on_terminal else text, output)


def print_or_write(show: Callable[[Console], None], output: Path | None) -> None:
    """Let `show` print on stdout, or into the file that -o names.

    Raises RecordError: the file cannot be written.
    """
    plain = PlainConsole(width=_width_elsewhere(), color_system=None, soft_wrap=True)
    console = data() if output is None else plain
    with console.capture() as capture:
        show(console)
    _send(capture.get(), output)


def answer(
    arguments: argparse.Namespace,
    document: Callable[[], Any],
    records: Callable[[], Sequence[Mapping[str, Any]]],
    show: Callable[[Console], None],
) -> None:
    """Write what a verb has found in the form that --format names, to stdout or the file of -o.

    Raises RecordError: the file cannot be written.
    """
    if arguments.format == "json":
        write(as_json(document()), arguments.output)
    elif arguments.format == "csv":
        write(as_csv(records()), arguments.output)
    else:
        print_or_write(show, arguments.output)


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


def _say(text: Text) -> None:
    paragraph(messages(), text)
