# SPDX-License-Identifier: BSD-3-Clause
"""The command `transrank` with a store of its own, in this process or in one of its own."""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.bounded import Finished
from transrank.lab.cli import output
from transrank.lab.cli.__main__ import main

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    return {
        "TRANSRANK_STORE": str(store),
        "TRANSRANK_LAUNCHER": "",
        **(more or {}),
    }


def run_quietly(arguments: list[str]) -> tuple[int, str]:
    """The status of a command line that is run in this process, and what it says on stderr."""
    said = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(said):
        status = main(arguments)
    return status, said.getvalue()
