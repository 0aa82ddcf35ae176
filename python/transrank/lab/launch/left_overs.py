# SPDX-License-Identifier: BSD-3-Clause
"""Shared memory that MPI libraries leave behind when their ranks are killed: named, and removed.

A segment is a file in /dev/shm that ranks map. The maps of living processes show whether one
is still in use; those of other users' processes only root can read.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path("/dev/shm")  # noqa: S108
# How the names begin that MPICH, Open MPI and UCX give to theirs.
NAMES = ("mpich_shm_", "mpich_shar_tmp", "vader_segment.", "sm_segment.", "ucx_shm_posix_")
# A rank maps a segment some moments after it has made the file.
YOUNGEST_SECONDS = 10.0

# Device and inode: what a file is, whatever name it has.
Identity = tuple[int, int]


@dataclass(frozen=True)
class Segment:
    """A file of shared memory; `owner` is a user's number."""

    path: Path
    identity: Identity
    bytes: int
    owner: int
    age_seconds: float


def segments(folder: Path = FOLDER) -> list[Segment]:
    """Return the segments of MPI libraries, the oldest first."""
    found = []
    now = time.time()
    for path in _named(folder):
        try:
            status = path.lstat()
        except OSError:
            continue  # its job has just removed it
        if stat.S_ISREG(status.st_mode):
            identity = status.st_dev, status.st_ino
            age = max(now - status.st_mtime, 0.0)
            found.append(Segment(path, identity, status.st_size, status.st_uid, age))
    return sorted(found, key=lambda segment: -segment.age_seconds)


@dataclass(frozen=True)
class LeftBehind:
    """Segments that no living process maps, and those of other users of which that is not known.

    What other users' processes map only these and root can see.
    """

    unused: tuple[Segment, ...] = ()
    unknown: tuple[Segment, ...] = ()


def left_behind(folder: Path = FOLDER) -> LeftBehind:
    """Tell segments that killed jobs have left from those of running ones."""
    old = [one for one in segments(folder) if one.age_seconds > YOUNGEST_SECONDS]
    used = mapped(_processes()) if old else frozenset()
    unused = [one for one in old if one.identity not in used]
    user = os.geteuid()
    return LeftBehind(
        tuple(one for one in unused if user in (0, one.owner)),
        tuple(one for one in unused if user not in (0, one.owner)),
    )


def mapped(processes: Iterable[int]) -> frozenset[Identity]:
    """Return which files these processes map, as far as their maps can be read."""
    found: set[Identity] = set()
    for process in processes:
        try:
            lines = Path(f"/proc/{process}/maps").read_text("utf-8", "replace").splitlines()
        except OSError:
            continue
        for line in lines:
            words = line.split(maxsplit=5)
            if len(words) == 6:
                major, _, minor = words[3].partition(":")
                found.add((os.makedev(int(major, 16), int(minor, 16)), int(words[4])))
    return frozenset(found)


class Watch:
    """Knows the segments of one launch, to remove those that are left when it was killed.

    Its own are those that one of its processes has been seen to map, and no others: where somebody
    else kills ranks before the first look, theirs stay.
    """

    def __init__(self, processes: Callable[[], Iterable[int]], folder: Path = FOLDER) -> None:
        self._processes = processes
        self._folder = folder
        self._judged = set(_named(folder))
        self._own: list[Segment] = []

    def look(self) -> None:
        """See whose the new segments are: each is looked at once, since the ranks are at work."""
        if not self._judged.issuperset(_named(self._folder)):
            self._judge(self._judged)

    def look_again(self) -> None:
        """Before the launch is killed, see of all segments whether they are its own."""
        self._judge({segment.path for segment in self._own})

    def _judge(self, known: set[Path]) -> None:
        new = [segment for segment in segments(self._folder) if segment.path not in known]
        used = mapped(self._processes()) if new else frozenset()
        self._own += [segment for segment in new if segment.identity in used]
        self._judged.update(segment.path for segment in new)

    def remove(self) -> None:
        """Remove the launch's segments that are still there and that no living process maps."""
        there = {segment.path: segment.identity for segment in segments(self._folder)}
        left = [one for one in self._own if there.get(one.path) == one.identity]
        used = mapped(_processes()) if left else frozenset()
        for segment in left:
            if segment.identity not in used and segment.owner == os.geteuid():
                segment.path.unlink(missing_ok=True)


def _named(folder: Path) -> Iterator[Path]:
    try:
        names = os.listdir(folder)  # noqa: PTH208 a Path for each name is made too often
    except OSError:
        return iter(())
    return (folder / name for name in names if name.startswith(NAMES))


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208
