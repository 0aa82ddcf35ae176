# SPDX-License-Identifier: BSD-3-Clause
"""The part of the machine that this process may use: affinity, and limits of control groups."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from transrank.lab.machine.files import Files, parse_list

CGROUP = "sys/fs/cgroup"
# Version 1 writes "no limit" as the largest multiple of a page that fits.
UNLIMITED_BYTES = 1 << 62


@dataclass(frozen=True)
class Limits:
    """`affinity` lists CPUs; `cpus` is a share of CPU time, e.g. 1.5; None: no limit."""

    affinity: tuple[int, ...]
    cpus: float | None
    memory_bytes: int | None


def read_limits(files: Files) -> Limits:
    """Read the tightest limits on the way from this process's control group up to the root."""
    quotas: list[float] = []
    memories: list[int] = []
    for controllers, path in _groups(files):
        for group in (PurePosixPath(path), *PurePosixPath(path).parents):
            place = str(group).strip("/")
            if not controllers:
                _add(quotas, _share(files.text(f"{CGROUP}/{place}/cpu.max")))
                _add(quotas, _share(files.text(f"{CGROUP}/unified/{place}/cpu.max")))
                _add(memories, files.number(f"{CGROUP}/{place}/memory.max"))
                _add(memories, files.number(f"{CGROUP}/unified/{place}/memory.max"))
            if "cpu" in controllers.split(","):
                _add(quotas, _share_of_version_1(files, f"{CGROUP}/{controllers}/{place}"))
            if "memory" in controllers.split(","):
                _add(
                    memories, files.number(f"{CGROUP}/{controllers}/{place}/memory.limit_in_bytes")
                )
    memories = [size for size in memories if size < UNLIMITED_BYTES]
    return Limits(
        affinity=parse_list(files.fields("proc/self/status").get("Cpus_allowed_list")),
        cpus=min(quotas, default=None),
        memory_bytes=min(memories, default=None),
    )


def _groups(files: Files) -> list[tuple[str, str]]:
    """Return (controllers, path) of each hierarchy; version 2 has no controllers named."""
    groups = []
    for line in (files.text("proc/self/cgroup") or "").splitlines():
        parts = line.split(":", 2)
        if len(parts) == 3 and parts[2].startswith("/"):
            groups.append((parts[1], parts[2]))
    return groups


def _share(text: str | None) -> float | None:
    """Return the CPUs of version 2's ``quota period``."""
    words = (text or "").split()
    if len(words) != 2 or not words[0].isdecimal() or not words[1].isdecimal():
        return None
    return int(words[0]) / int(words[1]) if int(words[1]) else None


def _share_of_version_1(files: Files, directory: str) -> float | None:
    quota = files.number(f"{directory}/cpu.cfs_quota_us")
    period = files.number(f"{directory}/cpu.cfs_period_us")
    return quota / period if quota is not None and quota > 0 and period else None


def _add(values: list, value: float | int | None) -> None:  # type: ignore[type-arg]
    if value is not None:
        values.append(value)
