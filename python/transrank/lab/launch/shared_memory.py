# SPDX-License-Identifier: BSD-3-Clause
"""The folder where MPI libraries make the memory that ranks of a node share."""

from __future__ import annotations

import os
import re
from pathlib import Path

from transrank.lab.units import format_bytes

FOLDER = Path("/dev", "shm")
# UCX and MPICH name the call that failed, Open MPI the file that it wanted.
REFUSED = re.compile(
    r"shm_open.*(?:Read-only file system|Permission denied|No space left)"
    r"|not enough space for /dev/shm|/dev/shm/\S+.*could be created"
)


def described(folder: Path = FOLDER) -> str:
    """Return what this machine has there, in words."""
    try:
        found = os.statvfs(folder)
    except OSError as error:
        return f"{folder} cannot be examined here ({error.strerror})"
    size, free = (
        format_bytes(blocks * found.f_frsize) for blocks in (found.f_blocks, found.f_bavail)
    )
    read_only = " and is read-only" if found.f_flag & os.ST_RDONLY else ""
    return f"{folder} has {size} here, {free} of them free{read_only}"


def advice() -> str:
    """Return what to do when it is too small or not writable."""
    return (
        f"remove what killed jobs left in {FOLDER}, or mount it writable and larger: "
        f"mount -o remount,rw,size=1G {FOLDER}; docker run --shm-size=1g"
    )
