# SPDX-License-Identifier: BSD-3-Clause
"""Measures collectives under several environments, launch after launch, in turn."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from transrank.errors import LaunchError
from transrank.lab.stats.summary import summarise
from transrank.lab.store.records import Case, Run, read_run
from transrank.lab.tune.library import Library

DEFAULT = "default"
# Seconds by operation and bytes, one for each round; a barrier has 0 bytes.
Seconds = dict[str, dict[int, list[float]]]
# What an operation was seen to do: the name of its algorithm, or what it sent. None: unseen.
Seen = str | tuple[float, ...] | None
Sight = dict[str, dict[int, Seen]]
_ERROR = "error: "
# How long a launch that was interrupted may take to end.
GRACE_SECONDS = 20.0


class NothingLeftError(LaunchError):
    """The default can be measured, but nothing that could be compared with it."""


@dataclass(frozen=True)
class Campaign:
    """What is measured, how long, and where; `shape` are further options of the launches."""

    library: Library
    operations: Sequence[str]
    sizes: str
    ranks: int
    rounds: int
    max_time: str
    folder: Path
    say: Callable[[str], None]
    shape: Sequence[str] = ()

    def measure(self, variants: Mapping[str, Mapping[str, str]]) -> dict[str, Seconds]:
        """Measure each variant once per round, in random order, so that all see the same hours.

        A variant whose launch fails is reported, and left out from then on. Raises LaunchError when
        that is the default, with which all are compared, NothingLeftError when no other is left.
        """
        found: dict[str, Seconds] = {name: {} for name in variants}
        order = random.Random(self.rounds)  # noqa: S311 no secret
        for number in range(self.rounds):
            names = list(found)
            order.shuffle(names)
            for name in names:
                self.say(f"round {number + 1} of {self.rounds}: {name}")
                conditions = (f"--max-time={self.max_time}", f"--seed={number}")
                try:
                    run = self._launch(f"{name}-{number}", variants[name], conditions)
                except LaunchError as error:
                    if name == DEFAULT:
                        raise LaunchError(
                            f"a launch without a file failed: {error.message}", error.hint
                        ) from error
                    self.say(f"{name} is left out: {error.message}")
                    del found[name]
                else:
                    self._add(found[name], run)
        if len(variants) > 1 and set(found) == {DEFAULT}:
            raise NothingLeftError("every launch with a file failed", "transrank doctor")
        return found

    def watch(self, variants: Mapping[str, Mapping[str, str]]) -> dict[str, Sight]:
        """What each variant does, by one launch with diagnostics; its times mean nothing."""
        seen: dict[str, Sight] = {}
        for name, added in variants.items():
            self.say(f"what is done: {name}")
            environment = {**added, **(self.library.watching or {})}
            run = self._launch(f"watched-{name}", environment, ("--count=1",))
            seen[name] = {}
            for case in run.cases:
                by_size = seen[name].setdefault(self.library.operation_of(case.axes), {})
                by_size[_bytes_of(case)] = _seen(case)
        return seen

    def _launch(self, name: str, added: Mapping[str, str], conditions: Sequence[str]) -> Run:
        record = self.folder / f"{name.replace(' ', '-')}.jsonl"
        command = [
            *(sys.executable, "-m", "transrank.lab.cli", "measure", "-qq"),
            *self.library.study(self.operations),
            f"--sizes={self.sizes}",
            *(f"--ranks={self.ranks}", "--oversubscribe"),
            "--launches=1",
            f"--output={record}",
            *conditions,
            *self.shape,
        ]
        # What the user has in use already is no part of the default.
        own = self.library.environment(Path())
        environment = {key: value for key, value in os.environ.items() if key not in own}
        status, said = _run(command, {**environment, **added})
        if status != 0:
            raise LaunchError(_error_in(said))
        return read_run(record)

    def _add(self, sums: Seconds, run: Run) -> None:
        for result in summarise(run):
            if result.headline is not None:
                by_size = sums.setdefault(self.library.operation_of(result.axes), {})
                by_size.setdefault(result.bytes or 0, []).append(result.headline.value)


def _run(command: Sequence[str], environment: Mapping[str, str]) -> tuple[int, str]:
    """Run it to its end. An interrupt is handed on, so that it ends its launch in order."""
    with subprocess.Popen(
        command,
        env=dict(environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        try:
            _, said = running.communicate()
        except BaseException:
            running.terminate()  # it takes that for an interrupt, also where those are ignored
            try:
                running.communicate(timeout=GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                running.kill()
            raise
    return running.returncode, said


def _error_in(said: str) -> str:
    """The error of a failed `transrank measure`, without how to resume its run."""
    lines = said.strip().splitlines() or ["it printed nothing"]
    errors = [line.removeprefix(_ERROR) for line in lines if line.startswith(_ERROR)]
    return (errors or lines)[-1].partition("; ")[0]


def _bytes_of(case: Case) -> int:
    return int(case.axes.get("bytes", 0))


def _seen(case: Case) -> Seen:
    if case.chosen is not None:
        return case.chosen
    if case.outcome is not None:
        return tuple(case.outcome.values.values())
    return None
