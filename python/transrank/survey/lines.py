# SPDX-License-Identifier: BSD-3-Clause
"""The lines of a record file that transrank itself writes: the header, and events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from transrank import __version__
from transrank.launch.launcher import Launcher
from transrank.machine.environment import relevant
from transrank.machine.facts import Facts
from transrank.store.records import PlannedLaunch
from transrank.survey.plan import Conditions
from transrank.survey.probe import Probe


def header_line(
    run: str,
    label: str | None,
    command: Sequence[str],
    conditions: Conditions,
    launcher: Launcher,
    plan: Sequence[PlannedLaunch],
    probed: Probe,
    facts: Facts,
    environment: Mapping[str, str],
) -> dict[str, Any]:
    """Return the header: all that is known before the first case."""
    line: dict[str, Any] = {
        "kind": "header",
        "schema": 1,
        "run": printable(run),
        "created": _now(),
        "transrank": __version__,
        "command": [printable(word) for word in command],
        "seed": conditions.seed,
        "options": {
            "precision": conditions.precision,
            "max_time_seconds": conditions.max_time_seconds,
            "launches": conditions.launches,
            "cache": conditions.cache,
            "synchronisation": conditions.synchronisation,
            "memory_bytes": conditions.memory_bytes,
            "buffer_offset": conditions.buffer_offset,
            "launcher": printable(launcher.name),
            "record_samples": conditions.record_samples,
            **({"count": conditions.count} if conditions.count is not None else {}),
        },
        "plan": [_plan_line(planned) for planned in plan],
        "mpi": probed.mpi,
        "placement": probed.placement,
        "clock": probed.clock,
        "machine": facts.as_json(),
        "environment": {name: printable(value) for name, value in relevant(environment).items()},
    }
    if label:
        line["label"] = printable(label)
    return line


def _plan_line(planned: PlannedLaunch) -> dict[str, Any]:
    shape = planned.shape
    return {
        "launch": planned.launch,
        "shape": {"ranks": shape.ranks, "ranks_per_node": shape.ranks_per_node},
        "cases": list(planned.cases),
        "arguments": list(planned.arguments),
        "lines": [printable(line) for line in planned.lines],
    }


def event_line(event: str, message: str | None = None, launch: int | None = None) -> dict[str, Any]:
    """Return an event of now."""
    line: dict[str, Any] = {"kind": "event", "event": event, "time": _now()}
    if launch is not None:
        line["launch"] = launch
    if message:
        line["message"] = printable(message)
    return line


def printable(text: str) -> str:
    """Return `text` as UTF-8 can hold it; what is no character becomes an escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
