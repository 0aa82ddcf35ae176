# SPDX-License-Identifier: BSD-3-Clause
"""Probe MPI library, hosts, binding and clock by a first, short launch."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from transrank.errors import LaunchError, RecordError
from transrank.lab.launch import failure, outputs, process, process_limit
from transrank.lab.launch.launcher import Launcher
from transrank.lab.launch.noise import without_noise
from transrank.lab.store.jsonlines import LONGEST_LINE_BYTES, loads, open_file
from transrank.lab.store.records import Clock, Mpi, Placement, Shape, from_json

PROBE_SECONDS = 180.0


@dataclass(frozen=True)
class Probe:
    """`mpi`, `placement` and `clock` as in a launch line; `seconds`: the whole launch."""

    mpi: dict[str, Any]
    placement: dict[str, Any]
    clock: dict[str, Any]
    seconds: float
    said: tuple[str, ...] = ()

    def write(self, path: Path) -> None:
        """Keep it for runs of the same ranks in the same place, which then need not ask again."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")


def read(path: Path) -> Probe:
    """What `Probe.write` has written.

    Raises RecordError: there is no such thing.
    """
    try:
        with open_file(path) as file:
            found = Probe(**loads(file.read(LONGEST_LINE_BYTES)))
        for kind, stored in ((Mpi, found.mpi), (Placement, found.placement), (Clock, found.clock)):
            from_json(kind, stored)
        return found
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise RecordError(f"{path} is no answer to a probe", "measure without it") from error


def probe(
    launcher: Launcher, shape: Shape, environment: Mapping[str, str], log: Path | None = None
) -> Probe:
    """Launch ``transrank-run --probe`` on `shape` and return its answer.

    Raises LaunchError: MPI does not start, or not on as many ranks as asked for.
    """
    process_limit.check(launcher, shape)
    found: list[dict[str, Any]] = []

    def take(line: str) -> bool:
        answers = [one for one in outputs.json_objects(line) if "placement" in one]
        found.extend(answers)
        return bool(answers)

    argv = [str(launcher.runner_path()), "--probe"]
    prefix = log.with_suffix("") if log is not None else None
    if launcher.writes_files and prefix is not None:
        prefix.parent.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    outcome = process.run(
        launcher.command(shape, argv, prefix),
        environment=environment,
        timeout_seconds=PROBE_SECONDS,
        take_line=take,
        log=log,
    )
    seconds = time.monotonic() - started
    if launcher.writes_files and prefix is not None:
        for line in outputs.lines_of(prefix):
            take(line)
    if not outcome.ok or not found:
        raise _not_started(shape, outcome)
    answer = found[0]
    if len(found) > 1 or len(answer["placement"]["rank_host"]) != shape.ranks:
        raise LaunchError(
            f"{len(found)} separate MPI jobs answered instead of one of {shape.ranks} ranks",
            "the launcher belongs to another MPI than transrank-run: transrank doctor",
        )
    return Probe(
        mpi=answer["mpi"],
        placement=answer["placement"],
        clock=answer["clock"],
        seconds=seconds,
        said=tuple(without_noise(outcome.tail)),
    )


def _not_started(shape: Shape, outcome: process.Outcome) -> LaunchError:
    cause, advice = failure.explain(outcome)
    words = failure.last_words(outcome)
    quoted = f"; it said: {failure.said(words)}" if words and advice is None else ""
    return LaunchError(
        f"MPI does not start on {shape.ranks} ranks: {cause}{quoted}{failure.where(outcome)}",
        advice or "transrank doctor; try by hand: " + " ".join(outcome.command),
    )
