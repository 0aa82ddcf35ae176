# SPDX-License-Identifier: BSD-3-Clause
"""How busy the machine is, and who keeps it so."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from transrank.lab.machine.files import Files

BUSIEST = 3


@dataclass(frozen=True)
class Process:
    """A process and the share of one core that it used."""

    pid: int
    name: str
    cores: float


@dataclass(frozen=True)
class Load:
    """`busy_cores`: CPU time used per second of waiting; `stolen`: share taken by a hypervisor.

    `pressure` is the percentage of the last ten seconds in which some task waited for a core.
    """

    average_1min: float | None
    pressure: float | None
    busy_cores: float | None
    stolen: float | None
    busiest: tuple[Process, ...]


def read_load(
    files: Files, seconds: float = 0.5, sleep: Callable[[float], None] = time.sleep
) -> Load:
    """Look at the machine for `seconds`; this process itself does not count."""
    before, processes_before = _ticks(files), _process_ticks(files)
    sleep(seconds)
    after, processes_after = _ticks(files), _process_ticks(files)
    busy = stolen = None
    if before and after and sum(after) > sum(before):
        change = [now - then for now, then in zip(after, before, strict=False)]
        total = sum(change)
        cpus = _cpu_count(files)
        # user nice system idle iowait irq softirq steal
        busy = cpus * (total - change[3] - change[4]) / total
        stolen = change[7] / total if len(change) > 7 else None
    tick_rate = os.sysconf("SC_CLK_TCK")
    busiest = [
        Process(pid, name, (ticks - processes_before[pid][1]) / tick_rate / seconds)
        for pid, (name, ticks) in processes_after.items()
        if pid in processes_before and pid != os.getpid() and seconds > 0
    ]
    busiest = sorted((one for one in busiest if one.cores >= 0.1), key=lambda one: -one.cores)
    return Load(
        average_1min=_first_number(files.text("proc/loadavg")),
        pressure=_pressure(files),
        busy_cores=busy,
        stolen=stolen,
        busiest=tuple(busiest[:BUSIEST]),
    )


def _ticks(files: Files) -> list[int]:
    """Return the first eight counters of the ``cpu`` line: guest time is in user time already."""
    for line in (files.text("proc/stat") or "").splitlines():
        if line.startswith("cpu "):
            return [int(word) for word in line.split()[1:9] if word.isdecimal()]
    return []


def _cpu_count(files: Files) -> int:
    lines = (files.text("proc/stat") or "").splitlines()
    return max(sum(line[:3] == "cpu" and line[3:4].isdecimal() for line in lines), 1)


def _process_ticks(files: Files) -> dict[int, tuple[str, int]]:
    """Return name and used ticks of every process; kernel threads have no command to end."""
    found = {}
    for name in files.names("proc"):
        if not name.isdecimal():
            continue
        text = files.text(f"proc/{name}/stat") or ""
        # The command stands in parentheses and may itself contain some.
        start, end = text.find("("), text.rfind(")")
        words = text[end + 1 :].split()
        if start < 0 or len(words) < 13 or not (words[11] + words[12]).isdecimal():
            continue
        found[int(name)] = (text[start + 1 : end], int(words[11]) + int(words[12]))
    return found


def _pressure(files: Files) -> float | None:
    for word in (files.text("proc/pressure/cpu") or "").split():
        if word.startswith("avg10="):
            return _first_number(word[len("avg10=") :])
    return None


def _first_number(text: str | None) -> float | None:
    try:
        return float((text or "").split()[0])
    except (IndexError, ValueError):
        return None
