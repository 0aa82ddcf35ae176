# SPDX-License-Identifier: BSD-3-Clause
"""Tuning files on disk: each with a note beside it: what it is, and for which machine."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from transrank import installation
from transrank.errors import RecordError, UsageError
from transrank.lab.store import writing
from transrank.lab.tune.choice import Range
from transrank.lab.tune.library import Choices, Library

_SUFFIX = ".transrank.json"


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

    Raises
    ------
    RecordError
        they cannot be written.
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

    Raises
    ------
    RecordError
        it is not there, was not written by transrank, or was changed since.
    UsageError
        it is for another MPI.
    """
    try:
        note = json.loads(_beside(path).read_text(encoding="utf-8"))
        for suffix, known in note["sha256"].items():
            file = _beside(path, suffix)
            if known != _hash(file.read_bytes()):
                raise RecordError(f"{file} was changed since transrank wrote it", "tune anew")
        choices = {
            operation: tuple(Range(first, last, name) for first, last, name in ranges)
            for operation, ranges in note["choices"].items()
        }
        found = Note(str(note["for"]), int(note["ranks"]), int(note["ranks_per_node"]), choices)
        mpi = str(note["mpi"])
    except OSError as error:
        raise RecordError(
            f"{error.filename}: {error.strerror}", "a tuning file has its note beside it"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"{_beside(path)} is no note of transrank's", "tune anew") from error
    if mpi != installation.build().mpi:
        raise UsageError(
            f"{path} is for {mpi}, transrank here uses {installation.build().mpi}", "tune anew"
        )
    return found


def _beside(path: Path, suffix: str = _SUFFIX) -> Path:
    return path.with_name(path.name + suffix)


def _hash(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()
