# SPDX-License-Identifier: BSD-3-Clause
"""The limit of a user's processes (ulimit -u): Hydra waits for ever for ranks that cannot begin."""

from __future__ import annotations

import contextlib
import os
import re
import resource
from pathlib import Path

from transrank.errors import LaunchError
from transrank.lab.launch.launcher import Launcher, Shape

PROCESSES = Path("/proc")
_USER = re.compile(r"^Uid:\t(\d+)", re.MULTILINE)
_THREADS = re.compile(r"^Threads:\t(\d+)", re.MULTILINE)


def check(launcher: Launcher, shape: Shape) -> None:
    """Look whether this user may start as many processes here as a launch needs.

    Raises LaunchError: it may not.
    """
    limit = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    # The kernel does not count those of root. Where there are more nodes, ranks may be on others.
    if limit == resource.RLIM_INFINITY or os.getuid() == 0 or launcher.capacity.nodes > 1:
        return
    needed = launcher.own_processes + shape.ranks
    running = _running()
    if running + needed > limit:
        raise LaunchError(
            f"{shape.ranks} ranks and {Path(launcher.program).name} are {needed} processes more; "
            f"this user runs {running} here, threads included, and may run {limit}",
            "raise the limit (ulimit -u), or use fewer ranks",
        )


def _running() -> int:
    """Count this user's processes, with all their threads: those that the limit is of."""
    count = 0
    for status in PROCESSES.glob("[0-9]*/status"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            text = status.read_text("utf-8", "replace")
            user, threads = _USER.search(text), _THREADS.search(text)
            if user and threads and int(user[1]) == os.getuid():
                count += int(threads[1])
    return count
