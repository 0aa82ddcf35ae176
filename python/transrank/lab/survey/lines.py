# SPDX-License-Identifier: BSD-3-Clause
"""The lines of a record file that transrank itself writes: the header, and events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from transrank import __version__
from transrank.lab.launch.launcher import Launcher
from transrank.lab.machine.environment import relevant
from transrank.lab.machine.facts import Facts
from transrank.lab.stats.cores import CoreState
from transrank.lab.store.lines import VERSION
from transrank.lab.store.records import PlannedLaunch, Shape
from transrank.lab.store.settings import Settings
from transrank.lab.survey.probe import Probe


def header_line(
    run: str,
    label: str | None,
    command: Sequence[str],
    settings: Settings,
    launcher: Launcher,
    plan: Sequence[PlannedLaunch],
    probed: Probe,
    facts: Facts,
    environment: Mapping[str, str],
) -> dict[str, Any]:
    """Return the header: all that is known before the first case."""
    line: dict[str, Any] = {
        "kind": "header",
        "schema": VERSION,
        "run": printable(run),
        "created": _now(),
        "transrank": __version__,
        "command": [printable(word) for word in command],
        "seed": settings.seed,
        "options": {**settings.recorded(), "launcher": printable(launcher.name)},
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


def _known(name: str, value: float | None) -> dict[str, float]:
    return {} if value is None else {name: value}


def planned_line(planned: PlannedLaunch) -> dict[str, Any]:
    """Return the line of a launch that the run began without."""
    return {"kind": "planned", **_plan_line(planned)}


def cores_line(shape: Shape, state: CoreState) -> dict[str, Any]:
    """Return the event that names the state of the cores that a run is of."""
    return {
        **event_line("cores"),
        "shape": _shape(shape),
        **_known("latency_seconds", state.latency_seconds),
        **_known("work_seconds", state.work_seconds),
    }


def _shape(shape: Shape) -> dict[str, int]:
    return {"ranks": shape.ranks, "ranks_per_node": shape.ranks_per_node}


def _plan_line(planned: PlannedLaunch) -> dict[str, Any]:
    return {
        "launch": planned.launch,
        "shape": _shape(planned.shape),
        "cases": list(planned.cases),
        "arguments": list(planned.arguments),
        "lines": [printable(line) for line in planned.lines],
        **({"part": True} if planned.part else {}),
    }


def event_line(event: str, message: str | None = None) -> dict[str, Any]:
    """Return an event of now."""
    line: dict[str, Any] = {"kind": "event", "event": event, "time": _now()}
    if message:
        line["message"] = printable(message)
    return line


def printable(text: str) -> str:
    """Return `text` as UTF-8 can hold it; what is no character becomes an escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
