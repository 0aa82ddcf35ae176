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
from transrank.stats.summary import summarise
from transrank.store.records import read_run

# Seconds by operation and bytes, one for each round; a barrier has 0 bytes.
Seconds = dict[str, dict[int, list[float]]]


@dataclass(frozen=True)
class Campaign:
    """What is measured, and how long."""

    operations: Sequence[str]
    sizes: str
    ranks: int
    rounds: int
    max_time: str
    folder: Path
    say: Callable[[str], None]

    def measure(self, variants: Mapping[str, Mapping[str, str]]) -> dict[str, Seconds]:
        """Measure each variant once per round, in random order, so that all see the same hours.

        A variant whose launch fails is left out from then on, and said. Raises LaunchError when
        nothing is left.
        """
        found: dict[str, Seconds] = {name: {} for name in variants}
        order = random.Random(self.rounds)  # noqa: S311 no secret
        for number in range(self.rounds):
            names = list(found)
            order.shuffle(names)
            for name in names:
                self.say(f"round {number + 1} of {self.rounds}: {name}")
                try:
                    self._add(found[name], self._launch(name, variants[name], number))
                except LaunchError as error:
                    self.say(f"{name} is left out: {error.message}")
                    del found[name]
        if not found:
            raise LaunchError("no launch succeeded", "transrank doctor")
        return found

    def _launch(self, name: str, added: Mapping[str, str], number: int) -> Seconds:
        record = self.folder / f"{name.replace(' ', '-')}-{number}.jsonl"
        command = [
            *(sys.executable, "-m", "transrank.cli", "measure", "collectives", "-qq"),
            f"--axis=operation={','.join(self.operations)}",
            "--axis=form=blocking",
            f"--sizes={self.sizes}",
            f"--ranks={self.ranks}",
            "--launches=1",
            f"--max-time={self.max_time}",
            f"--seed={number}",
            f"--output={record}",
        ]
        done = subprocess.run(
            command, env={**os.environ, **added}, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise LaunchError((done.stderr.strip().splitlines() or ["it failed"])[-1])
        seconds: Seconds = {}
        for result in summarise(read_run(record)):
            if result.headline is not None:
                by_size = seconds.setdefault(str(result.axes["operation"]), {})
                by_size.setdefault(result.bytes or 0, []).append(result.headline.value)
        return seconds

    @staticmethod
    def _add(sums: Seconds, more: Seconds) -> None:
        for operation, by_size in more.items():
            for size, values in by_size.items():
                sums.setdefault(operation, {}).setdefault(size, []).extend(values)
