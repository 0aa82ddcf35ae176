# SPDX-License-Identifier: BSD-3-Clause
"""Child processes that end in time, with all their descendants."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from support.processes import below, kill, wait_until_gone

GRACE_SECONDS = 3.0


@dataclass(frozen=True)
class Finished:
    """A program that ended."""

    command: list[str]
    status: int
    stdout: str
    stderr: str

    def check(self) -> Finished:
        """Return self; raise AssertionError with the program's output unless it ended with 0."""
        assert self.status == 0, f"{self.describe()}"
        return self

    def fails(self, status: int, *words: str) -> Finished:
        """Return self; raise AssertionError unless it ended so, with these words on stderr."""
        assert self.status == status, self.describe()
        for each in words:
            assert each in self.stderr, f"{each!r} is missing: {self.describe()}"
        return self

    def describe(self) -> str:
        return (
            f"{' '.join(self.command)}\nended with {self.status}\n"
            f"--- stdout\n{self.stdout}--- stderr\n{self.stderr}"
        )


def run_bounded(
    command: Sequence[str | Path],
    *,
    timeout: float,
    env: Mapping[str, str],
    cwd: Path | None = None,
) -> Finished:
    """Run a program with `env` added to the environment and no standard input.

    Raises
    ------
    TimeoutError
        after `timeout` seconds, with the output so far; no descendant survives.
    """
    arguments = [str(argument) for argument in command]
    # Files, not pipes: a descendant that outlives the program would keep a pipe open for ever.
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            env={**os.environ, **env},
            cwd=cwd,
            start_new_session=True,
        )
        timed_out = False
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            end_tree(process)
        stdout.seek(0)
        stderr.seek(0)
        finished = Finished(arguments, process.returncode, stdout.read(), stderr.read())
    if timed_out:
        raise TimeoutError(f"still running after {timeout} s: {finished.describe()}")
    return finished


def end_tree(process: subprocess.Popen[str]) -> None:
    """End a process and its descendants: by SIGTERM, then by SIGKILL.

    Launchers put their ranks into process groups and sessions of their own, so the group of
    `process` is not enough.
    """
    descendants = list(below(process.pid))
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    stubborn = wait_until_gone(descendants, GRACE_SECONDS)
    for pid in stubborn:
        with contextlib.suppress(ProcessLookupError):
            kill(pid)
    wait_until_gone(stubborn)
