# SPDX-License-Identifier: BSD-3-Clause
"""JSON Lines as bytes: split, parsed strictly, checked for truncation."""

from __future__ import annotations

import errno
import itertools
import os
import select
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from transrank.errors import RecordError

# A plan has an object for each launch, and a case at most some lists for each rank.
MOST_CONTAINERS = 1_000_000
# Of a plan with a million cases, or all samples of hundreds of ranks.
LONGEST_LINE_BYTES = 128 << 20
MOST_VALUES = 5_000_000
# How long the reader of a pipe waits for a writer.
PIPE_SECONDS = 10


def read_lines(path: Path) -> Iterator[tuple[int, bytes, bool]]:
    """Number, bytes and wholeness (ended by a newline) of each line that is not blank.

    Raises RecordError: saying why there are none, or that one is too long to be of a record.
    """
    try:
        with open_file(path) as file:
            for number in itertools.count(1):
                raw = file.readline(LONGEST_LINE_BYTES + 1)
                if len(raw) > LONGEST_LINE_BYTES:
                    raise RecordError(
                        f"{path}:{number}: the line is longer than {LONGEST_LINE_BYTES >> 20} MiB, "
                        "so this is not a record file of transrank"
                    )
                if not raw:
                    return
                if raw.strip():
                    yield number, raw.rstrip(b"\n"), raw.endswith(b"\n")
    except (OSError, MemoryError) as error:
        raise RecordError(
            f"{path}: cannot be read: {why_unread(error)}",
            "`transrank list runs` shows what is stored",
        ) from None


def open_file(path: Path, pipes: bool = False) -> IO[bytes]:
    """Open a regular file or, with `pipes`, a pipe: others may have no end, or no beginning.

    Raises OSError: it cannot be opened, or is neither.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        kind = os.fstat(descriptor).st_mode
        if pipes and stat.S_ISFIFO(kind):
            _wait_for_a_writer(descriptor)
        elif stat.S_ISDIR(kind):
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        elif not stat.S_ISREG(kind):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        os.set_blocking(descriptor, True)
        return os.fdopen(descriptor, "rb")
    except OSError:
        os.close(descriptor)
        raise


def _wait_for_a_writer(pipe: int) -> None:
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    if not poll.poll(1000 * PIPE_SECONDS):
        raise OSError(errno.EAGAIN, "no process writes to this pipe")


def why_unread(error: OSError | MemoryError) -> str:
    """The cause in words."""
    if isinstance(error, MemoryError):
        return "it does not fit into memory"
    return error.strerror or str(error)


def parse(path: Path, number: int, raw: bytes) -> Any:
    """The value of a line, or RecordError naming file and line."""
    try:
        return loads(raw)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else one_line(error)
        raise RecordError(
            f"{path}:{number}: not JSON: {reason}",
            "an interrupted survey truncates only the last line: the file was changed or damaged "
            "afterwards",
        ) from None


def is_json(raw: bytes) -> bool:
    """Whether a line is whole: a cut one never is."""
    try:
        loads(raw)
    except (ValueError, RecursionError):
        return False
    return True


def loads(raw: bytes) -> Any:
    """The value of JSON that is not made to take all memory: a byte of it may become a list.

    Raises ValueError or RecursionError: it is no JSON, or no record's.
    """
    if raw.count(b"[") + raw.count(b"{") > MOST_CONTAINERS:
        raise ValueError(f"more than {MOST_CONTAINERS} lists and objects")
    if raw.count(b",") > MOST_VALUES:
        raise ValueError(f"more than {MOST_VALUES} values")
    return msgspec.json.decode(raw)


def one_line(error: Exception) -> str:
    """The message of an exception, short and without line breaks."""
    return " ".join(str(error).split())[:200]
