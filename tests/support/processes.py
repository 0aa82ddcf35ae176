# SPDX-License-Identifier: BSD-3-Clause
"""Processes below one that a test has started: found, waited for, and killed by their id."""

import os
import signal
import time
from pathlib import Path


def below(pid: int) -> dict[int, str]:
    """The living descendants of `pid`: id and program name."""
    parents = _processes()
    found: dict[int, str] = {}
    wanted = {pid}
    while wanted:
        wanted = {
            child
            for child, (parent, _) in parents.items()
            if parent in wanted and child not in found
        }
        found |= {child: parents[child][1] for child in wanted}
    return found


def children(pid: int) -> list[int]:
    """The living children of `pid`."""
    return sorted(child for child, (parent, _) in _processes().items() if parent == pid)


def _processes() -> dict[int, tuple[int, str]]:
    """Parent and program name of every living process."""
    found: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                head, _, rest = (entry / "stat").read_text().rpartition(") ")
            except OSError:
                continue
            state, parent = rest.split()[:2]
            if state != "Z":
                found[int(entry.name)] = (int(parent), head.partition(" (")[2])
    return found


def wait_for(pid: int, name: str, count: int = 1, seconds: float = 60) -> list[int]:
    """Wait until `count` descendants of `pid` are called `name`; return their ids."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = [child for child, called in below(pid).items() if called == name[:15]]
        if len(found) >= count:
            return sorted(found)
        time.sleep(0.02)
    raise TimeoutError(f"no {count} processes '{name}' below {pid}: {below(pid)}")


def wait_until_gone(pids: list[int], seconds: float = 20) -> list[int]:
    """Wait until these processes have ended; return those that have not."""
    deadline = time.monotonic() + seconds
    alive = pids
    while alive and time.monotonic() < deadline:
        alive = [pid for pid in alive if is_alive(pid)]
        time.sleep(0.02)
    return alive


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def kill(pid: int, number: int = signal.SIGKILL) -> None:
    os.kill(pid, number)
