# SPDX-License-Identifier: BSD-3-Clause
"""The command `transrank` with a store of its own, in this process or in one of its own; runs."""

import csv
import fcntl
import io
import json
import os
import pty
import shlex
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support import recorded
from support.bounded import Finished
from transrank.lab.cli import output
from transrank.lab.cli.__main__ import main
from transrank.lab.store.lines import DISTURBED
from transrank.lab.store.records import Run, read_run

COMMAND = [sys.executable, "-m", "transrank.lab.cli"]


def transrank(
    line: str,
    *more: str | Path,
    store: Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Finished:
    """Run `transrank LINE` to its end, in this process, which has imported it already.

    The line is split as a shell does; `more` are further words.
    """
    words = [*shlex.split(line), *map(str, more)]
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(output, "settings", output.Settings())
        patch.chdir(cwd or store)
        for name, value in environment(store, env).items():
            patch.setenv(name, value)
        status = main(words)
    return Finished(["transrank", *words], status, out.getvalue(), err.getvalue())


def start(line: str, *more: str | Path, store: Path) -> subprocess.Popen[str]:
    """Start `transrank LINE`; its stderr can be read line by line."""
    return subprocess.Popen(
        [*COMMAND, *shlex.split(line), *map(str, more)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment(store)},
        start_new_session=True,
    )


def environment(store: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Settings that make the outcome independent of who runs the test, and where."""
    return {"TRANSRANK_STORE": str(store), "TRANSRANK_LAUNCHER": "", **(more or {})}


def run_quietly(arguments: list[str]) -> tuple[int, str]:
    """The status of a command line that is run in this process, and what it says on stderr."""
    said = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(said):
        status = main(arguments)
    return status, said.getvalue()


CALM = [1.00, 1.01, 0.99, 1.00, 1.02, 0.98, 1.00, 1.01, 1.00, 0.99]


@dataclass
class Store:
    """A folder of runs."""

    path: Path

    def keep(self, run: str, *lines: recorded.Line, **changes: Any) -> Path:
        header = recorded.header(run=run, created=f"2026-11-{run[6:8]}T00:00:00Z", **changes)
        return recorded.write(self.path / f"{run}.jsonl", [header, *lines])

    def beside(self, name: str) -> Path:
        """A file that stands beside the folder."""
        return self.path.with_name(name)

    def run(self, line: str, *more: str | Path, env: Mapping[str, str] | None = None) -> Finished:
        return transrank(line, *more, store=self.path, env=env, cwd=Path())

    def json(self, line: str) -> Any:
        """What a verb prints as JSON, whatever its status."""
        return json.loads(self.run(f"{line} --format json").stdout)

    def csv(self, line: str, *more: str) -> list[dict[str, str]]:
        """The rows of what a verb prints, which is CSV."""
        return list(csv.DictReader(io.StringIO(self.run(line, *more).stdout)))


def pingpong(
    size: int, microseconds: float, launches: int = 3, **changes: Any
) -> list[recorded.Line]:
    """One case in several launches that differ by two thousandths."""
    return [
        recorded.case(
            size,
            launch=launch,
            seconds=[1e-6 * microseconds * (1 + 0.002 * launch) * value for value in CALM],
            **changes,
        )
        for launch in range(launches)
    ]


def disturbed() -> list[recorded.Line]:
    """Three launches in which one sample of ten was disturbed and took a hundred times as long."""
    seconds, flags = [1e-6] * 9 + [1e-4], [0] * 9 + [DISTURBED]
    return [recorded.case(8, launch=i, seconds=seconds, flags=flags) for i in range(3)]


def on_terminal(columns: int, *arguments: str, store: Path) -> str:
    """What `transrank ARGUMENTS`, in a process of its own, shows on a terminal of this width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = {**os.environ, **environment(store), "TERM": "xterm"}
    del variables["COLUMNS"]
    shown = b""
    with subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env=variables,
    ):
        os.close(theirs)
        with suppress(OSError):  # the end: nobody has the other side any more
            while part := os.read(ours, 65536):
                shown += part
    os.close(ours)
    return shown.decode()


def measure(line: str, *more: str | Path, store: Path, **options: object) -> Finished:
    return transrank(f"measure {line}", *more, store=store, **options)  # type: ignore[arg-type]


def only_run(store: Path) -> Run:
    (path,) = store.glob("*.jsonl")
    return read_run(path)


def happened(run: Run) -> list[str]:
    """The events but for what was found out of the cores."""
    return [event.event for event in run.events if event.event != "cores"]


def planned(run: Run) -> set[tuple[int, str]]:
    return {(one.launch, case) for one in run.plan for case in one.cases}


def paste(text: str, folder: Path) -> None:
    """Run every line in a shell, as if it were pasted there."""
    for line in text.splitlines():
        subprocess.run(
            ["bash", "-c", line], check=True, cwd=folder, timeout=60, capture_output=True
        )
