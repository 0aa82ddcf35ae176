# SPDX-License-Identifier: BSD-3-Clause
"""Tuning files on disk: each with a note beside it: what it is, and for which machine."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from transrank import installation
from transrank.errors import RecordError, UsageError
from transrank.lab.store import writing
from transrank.lab.store.jsonlines import loads, open_file
from transrank.lab.tune.choice import Range
from transrank.lab.tune.library import MPI, OWN, Choices, Library, library

_SUFFIX = ".transrank.json"
_MOST_BYTES = 16 << 20


@dataclass(frozen=True)
class Note:
    """What a file is: whose (`Library.name`), for how many ranks, how many of them on a node."""

    name: str
    ranks: int
    ranks_per_node: int
    choices: dict[str, tuple[Range, ...]]


def check_can_write(path: Path) -> None:
    """Raise UsageError when a file could not be written there, before anything is measured."""
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise UsageError(f"{path} cannot be written", "give another -o")


def write(path: Path, library: Library, choices: Choices, ranks: int, ranks_per_node: int) -> None:
    """Write the library's files and the note. Each appears whole or not at all.

    Raises RecordError: they cannot be written.
    """
    files = library.files(choices, ranks)
    note = {
        "for": library.name,
        "mpi": installation.build().mpi,
        "ranks": ranks,
        "ranks_per_node": ranks_per_node,
        "sha256": {suffix: _hash(text.encode()) for suffix, text in files.items()},
        "choices": {
            operation: [[each.first, each.last, each.algorithm] for each in ranges]
            for operation, ranges in choices.items()
        },
    }
    try:
        writing.replace(_beside(path), (json.dumps(note, indent=1) + "\n").encode())
        for suffix, text in files.items():
            writing.replace(_beside(path, suffix), text.encode())
    except OSError as error:
        raise RecordError(f"{error.filename}: {error.strerror}", "give another -o") from error


def read(path: Path) -> Note:
    """The note of a file that `write` has written for this MPI, if the file is still that one.

    Raises RecordError: it is not there, was not written by transrank, or was changed since.
    Raises UsageError: it is for another MPI.
    """
    try:
        note = loads(_read(_beside(path)))
        for suffix, known in {"": None, **note["sha256"]}.items():
            file = _beside(path, suffix)
            if known != _hash(_read(file)):
                raise RecordError(f"{file} was changed since transrank wrote it", "tune anew")
        choices = {
            operation: tuple(Range(int(first), int(last), name) for first, last, name in ranges)
            for operation, ranges in note["choices"].items()
        }
        found = Note(str(note["for"]), int(note["ranks"]), int(note["ranks_per_node"]), choices)
        mpi = str(note["mpi"])
        _check_names(found)
    except OSError as error:
        raise RecordError(
            f"{error.filename}: {error.strerror}", "a tuning file has its note beside it"
        ) from error
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
        OverflowError,
    ) as error:
        raise RecordError(f"{_beside(path)} is no note of transrank's", "tune anew") from error
    if mpi != installation.build().mpi:
        raise UsageError(
            f"{path} is for {mpi}, transrank here uses {installation.build().mpi}", "tune anew"
        )
    return found


def _check_names(note: Note) -> None:
    """Raise KeyError or ValueError for what no library has: it would become words of a command."""
    if note.name not in (MPI, OWN):
        raise ValueError(note.name)
    tuned = library(note.name, note.ranks, note.ranks_per_node)
    for operation, ranges in note.choices.items():
        named = [each.algorithm for each in ranges if each.algorithm is not None]
        if operation not in tuned.operations or not all(re.fullmatch(r"[\w-]+", n) for n in named):
            raise ValueError(operation)
        for name in named:
            tuned.asking(operation, name)


def _read(path: Path) -> bytes:
    with open_file(path) as file:
        content = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return content


def _beside(path: Path, suffix: str = _SUFFIX) -> Path:
    return path.with_name(path.name + suffix)


def _hash(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()
