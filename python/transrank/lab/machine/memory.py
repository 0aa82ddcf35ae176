# SPDX-License-Identifier: BSD-3-Clause
"""Main memory, huge pages, and the shared memory that MPI libraries talk through."""

from __future__ import annotations

import re
from dataclasses import dataclass

from transrank.lab.machine.files import Files
from transrank.lab.machine.topology import kilobytes

SHARED_MEMORY = "/dev/shm"  # noqa: S108


@dataclass(frozen=True)
class Memory:
    """Sizes in bytes; None where the kernel does not say."""

    total_bytes: int | None
    available_bytes: int | None
    swap_bytes: int | None
    transparent_huge_pages: str | None
    huge_page_bytes: int | None
    huge_pages: int | None
    shared_memory_bytes: int | None


def read_memory(files: Files) -> Memory:
    """Read what /proc/meminfo and the mount table say."""
    info = files.fields("proc/meminfo")
    total = kilobytes(info.get("MemTotal"))
    pages = info.get("HugePages_Total", "")
    return Memory(
        total_bytes=total,
        available_bytes=kilobytes(info.get("MemAvailable")),
        swap_bytes=kilobytes(info.get("SwapTotal")),
        transparent_huge_pages=_chosen(files.text("sys/kernel/mm/transparent_hugepage/enabled")),
        huge_page_bytes=kilobytes(info.get("Hugepagesize")),
        huge_pages=int(pages) if pages.isdecimal() else None,
        shared_memory_bytes=_shared_memory(files, total),
    )


def _chosen(text: str | None) -> str | None:
    """Return the word in brackets of ``always [madvise] never``."""
    found = re.search(r"\[([^\]]+)\]", text or "")
    return found.group(1) if found else None


def _shared_memory(files: Files, total_bytes: int | None) -> int | None:
    """Return the size of /dev/shm; a tmpfs that was mounted without one has half the memory."""
    size = None
    for line in (files.text("proc/mounts") or "").splitlines():
        words = line.split()
        if len(words) < 4 or words[1] != SHARED_MEMORY:
            continue
        option = re.search(r"(?:^|,)size=(\d+)([kmg%]?)", words[3])
        if option is None:
            size = None if total_bytes is None else total_bytes // 2
        elif option[2] == "%":
            size = None if total_bytes is None else total_bytes * int(option[1]) // 100
        else:
            size = int(option[1]) << {"": 0, "k": 10, "m": 20, "g": 30}[option[2]]
    return size
