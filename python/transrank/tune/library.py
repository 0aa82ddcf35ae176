# SPDX-License-Identifier: BSD-3-Clause
"""What an MPI library must offer to be tuned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from transrank.errors import UsageError
from transrank.launch import installation
from transrank.tune.choice import Range

OPERATIONS = ("alltoall", "allgather", "allreduce", "bcast", "reduce", "barrier")

Choices = Mapping[str, Sequence[Range]]


class Library(Protocol):
    """Algorithms that can be asked for, and the file that does so."""

    suffix: str

    def algorithms(self, operation: str, ranks: int) -> tuple[str, ...]:
        """Names of those that serve so many ranks."""

    def text(self, choices: Choices, ranks: int) -> str:
        """The tuning file: these choices for communicators of `ranks`, else nothing changed."""

    def environment(self, path: Path) -> dict[str, str]:
        """Variables that make the library read the file."""


def library() -> Library:
    """The library that this installation is built with.

    Raises
    ------
    UsageError
        none that reads tuning files known here.
    """
    from transrank.tune import mpich, openmpi

    kind = installation.mpi_kind()
    if kind == "openmpi":
        return openmpi.OpenMpi()
    if kind == "mpich":
        return mpich.Mpich()
    raise UsageError(
        f"the tuning files of this MPI ({kind}) are not known", "build with MPICH or Open MPI"
    )
