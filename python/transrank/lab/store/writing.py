# SPDX-License-Identifier: BSD-3-Clause
"""Writing record files: whole lines only, whatever the disk does."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from transrank.errors import RecordError, UsageError
from transrank.lab.store.jsonlines import is_json, read_lines

LINES_ARE_KEPT = (
    "the lines before are whole and kept; free some space or choose another place "
    "with TRANSRANK_STORE, then resume"
)


def begin(path: Path | str, header: Mapping[str, Any]) -> None:
    """Make the file with its first line; where that fails there is none.

    Raises FileExistsError: there is a file of that name, which stays as it is.
    Raises RecordError: naming the cause, such as a full disk.
    """
    path = Path(path)
    data = _encoded(header)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except FileExistsError:
        raise
    except OSError as error:
        raise _cannot_write(path, error) from None
    try:
        _write_all(descriptor, data)
        os.fsync(descriptor)
    except BaseException as error:
        path.unlink()
        if isinstance(error, OSError):
            raise _cannot_write(
                path, error, "free some space, or name another file with -o"
            ) from None
        raise
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def sole_writer(path: Path | str) -> Iterator[None]:
    """Keep other processes from measuring for a run meanwhile, and from repairing its file.

    A file that cannot be opened says so when it is read or written; on a file system without locks
    nothing is kept from anybody.

    Raises UsageError: another process is at it.
    """
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(Path(path).open("r+b"))
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(
                f"{path}: another transrank is measuring this run", "wait until it has ended"
            ) from None
        except OSError:
            pass
        yield


def append_line(path: Path | str, line: Mapping[str, Any]) -> None:
    """Append one line and bring it to the disk; a line that does not fit leaves the file as it was.

    Raises RecordError: naming the cause, such as a full disk.
    Raises ValueError: when the line holds a number that is not finite.
    """
    path = Path(path)
    data = _encoded(line)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise _cannot_write(path, error) from None
    try:
        size = os.fstat(descriptor).st_size
        try:
            _write_all(descriptor, data)
            os.fsync(descriptor)
        except OSError as error:
            _cut(descriptor, size)
            raise _cannot_write(path, error) from None
    finally:
        os.close(descriptor)


def write_lines(path: Path | str, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write a whole file at once: it appears complete or not at all.

    Raises RecordError: naming the cause, such as a full disk.
    """
    path = Path(path)
    data = b"".join(_encoded(line) for line in lines)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, data)
    except OSError as error:
        raise _cannot_write(path, error, "name another directory with --store") from None


def replace(path: Path, data: bytes) -> None:
    """Let a file hold `data`; on an OSError it keeps its old contents.

    A link stays and its target gets the data; a device or a pipe is written to.
    """
    with replacing(path) as file:
        file.write(data)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to that takes the place of `path` once it is whole, as `replace` does."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        with path.open("wb") as file:
            yield file
        return
    path = path.resolve()
    # Nobody can have put a link of this name there: it is not known before, and must be new.
    partial = path.parent / f".transrank-{secrets.token_hex(8)}.partial"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(partial, flags, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise


def _encoded(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _cut(descriptor: int, size: int) -> None:
    try:
        os.ftruncate(descriptor, size)
    except OSError:
        pass  # a device file has no length; a cut line is left out when the file is read


def _cannot_write(path: Path, error: OSError, hint: str = LINES_ARE_KEPT) -> RecordError:
    return RecordError(f"{path}: cannot be written: {error.strerror or error}", hint)


def repair(path: Path | str) -> str | None:
    """Remove a cut last line, or end a whole one that lacks its newline.

    Returns
    -------
    What was done, in words; None when the file needed nothing.

    Raises RecordError: when the file cannot be read or written.
    """
    path = Path(path)
    number, last, whole = 0, b"", True
    for number, last, whole in read_lines(path):  # noqa: B007 the last one is what counts
        pass
    if whole:
        return None
    try:
        if is_json(last):
            with path.open("ab") as file:
                file.write(b"\n")
            return f"ended line {number}, which lacked its newline"
        os.truncate(path, path.stat().st_size - len(last))
    except OSError as error:
        raise _cannot_write(path, error) from None
    return f"removed line {number}, which was truncated after {len(last)} bytes"
