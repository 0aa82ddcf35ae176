# SPDX-License-Identifier: BSD-3-Clause
"""What can be tuned: libraries that read a file of choices, how they are measured and watched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol

from transrank import installation
from transrank.errors import UsageError
from transrank.lab.tune.choice import Range

OPERATIONS = ("alltoall", "allgather", "allreduce", "bcast", "reduce", "barrier")
MPI, OWN = "mpi", "transrank"

Choices = Mapping[str, Sequence[Range]]


class Library(Protocol):
    """Algorithms that can be asked for, and the file that does so.

    Attributes
    ----------
    name
        whose file it is: the MPI library's or transrank's own.
    suffix
        of the file.
    operations
        what can be tuned.
    announcing
        variables that make the library say at its start which file it has read; None where nothing
        does.
    """

    name: ClassVar[str] = MPI
    suffix: ClassVar[str]
    operations: ClassVar[tuple[str, ...]] = OPERATIONS
    announcing: ClassVar[Mapping[str, str] | None] = None

    @property
    def watching(self) -> Mapping[str, str] | None:
        """Variables that make a launch say what it does, by `Case.outcome` or `Case.chosen`."""
        return None

    def study(self, operations: Sequence[str]) -> list[str]:
        """Arguments of ``transrank measure`` that measure these operations."""
        axis = f"--axis=operation={','.join(operations)}"
        return ["collectives", axis, "--axis=form=blocking"]

    def operation_of(self, axes: Mapping[str, Any]) -> str:
        """Which operation a case is about."""
        return str(axes["operation"])

    def algorithms(self, operation: str, ranks: int) -> tuple[str, ...]:
        """Names of those that serve this number of ranks."""

    def text(self, choices: Choices, ranks: int) -> str:
        """The tuning file: these choices for communicators of `ranks`, else nothing changed."""

    def files(self, choices: Choices, ranks: int) -> dict[str, str]:
        """The tuning file and what must lie beside it, by what follows its name."""
        return {"": self.text(choices, ranks)}

    def environment(self, path: Path) -> dict[str, str]:
        """Variables that make the library read the file."""

    def asking(self, operation: str, algorithm: str) -> dict[str, str]:  # noqa: ARG002
        """Variables that ask for an algorithm without a file, where there are any."""
        return {}

    def names(self, path: Path, said: Sequence[str]) -> bool | None:  # noqa: ARG002
        """Whether a start with `announcing` has named this file; None when it printed nothing."""
        return None


def write(path: Path, files: Mapping[str, str]) -> None:
    """Write what `Library.files` has returned, for measuring."""
    for suffix, text in files.items():
        path.with_name(path.name + suffix).write_text(text, encoding="utf-8")


def library(name: str, ranks: int, ranks_per_node: int) -> Library:
    """The library to be tuned: the MPI that this installation is built with, or transrank itself.

    Raises UsageError: an MPI that reads no tuning files known here.
    """
    from transrank.lab.tune import mpich, openmpi, own

    kind = installation.mpi_kind()
    if name == OWN:
        return own.Own(ranks_per_node)
    if kind == "openmpi":
        return openmpi.OpenMpi(several_nodes=ranks > ranks_per_node)
    if kind == "mpich":
        return mpich.Mpich()
    raise UsageError(
        f"the tuning files of this MPI ({kind}) are not known",
        "build with MPICH or Open MPI, or tune --for transrank",
    )
