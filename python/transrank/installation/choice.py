# SPDX-License-Identifier: BSD-3-Clause
"""Which variant serves a process, if several are installed.

The first of these that exists serves: the variant for the MPI library that is loaded; the variant
that `TRANSRANK_MPI` names; the variant for the mpiexec that started the process or that `MPIEXEC`
names; the first variant whose MPI library is found, first in this environment and then elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from transrank.errors import LaunchError
from transrank.installation.variants import is_libmpi

LAUNCHERS = {"mpich": "the mpiexec of MPICH or Intel MPI", "openmpi": "Open MPI's mpiexec"}


@dataclass(frozen=True, kw_only=True)
class Situation:
    """The facts on which the choice depends.

    Attributes
    ----------
    installed
        names of the variants.
    loaded
        the MPI libraries in this process.
    asked
        the variant that `TRANSRANK_MPI` names; empty if it is not set.
    launcher
        the MPI whose mpiexec has started the process or will start others, "mpich" or "openmpi";
        None if unknown.
    find
        a function that returns the MPI library that the system's loader finds for a variant, or
        None.
    prefix
        the folder of this Python environment.
    """

    installed: tuple[str, ...]
    loaded: tuple[Path, ...]
    asked: str
    launcher: str | None
    find: Callable[[str], Path | None]
    prefix: Path


def choose(situation: Situation) -> str:
    """Return the name of the variant that serves.

    Raises
    ------
    LaunchError
        when no variant can serve, or the loaded library is not the one that `TRANSRANK_MPI` names.
    """
    installed = situation.installed
    asked, launcher = situation.asked, situation.launcher
    if asked and asked not in installed:
        raise LaunchError(
            f"TRANSRANK_MPI is '{asked}'; this installation has {', '.join(installed)}",
            "unset TRANSRANK_MPI, or build transrank from source for that MPI",
        )
    if len(installed) == 1:
        return installed[0]
    if situation.loaded:
        # Where MPI is used, a second library in the process is an error in any case.
        return _serving(situation.loaded[0], installed, asked)
    if asked:
        return asked
    found = _found(situation)
    if not found:
        of = "" if launcher is None else f" for {LAUNCHERS[launcher]}"
        raise LaunchError(
            f"no MPI library{of} is found: libmpi.so.12, libmpi.so.40 or libmpi_abi.so.1",
            "load the module of your MPI, or pip install 'transrank[mpich]'",
        )
    return found[0]


def _serving(loaded: Path, installed: tuple[str, ...], asked: str) -> str:
    name = variant_of(loaded)
    if name not in installed:
        raise LaunchError(
            f"{loaded} is loaded, which needs the variant '{name}'; "
            f"this installation has {', '.join(installed)}",
            "build transrank from source for that MPI",
        )
    if asked and asked != name:
        raise LaunchError(
            f"TRANSRANK_MPI is '{asked}', but {loaded} is loaded, which needs '{name}'",
            "import transrank.mpi before mpi4py.MPI, or unset TRANSRANK_MPI",
        )
    return name


def _found(situation: Situation) -> list[str]:
    libraries = {name: situation.find(name) for name in situation.installed}
    found = {name: path for name, path in libraries.items() if path is not None}
    if situation.launcher is not None:
        (other,) = {"mpich", "openmpi"} - {situation.launcher}
        unfit = found.pop(other, None)
        # A library of the standard's interface is of the MPI whose own lies beside it.
        if unfit is not None and "abi" in found and found["abi"].parent == unfit.parent:
            del found["abi"]
    return sorted(found, key=lambda name: situation.prefix not in found[name].parents)


def variant_of(library: Path) -> str:
    """Return the variant that serves an MPI library, according to the name of its file."""
    if library.name.startswith("libmpi_abi."):
        return "abi"
    return "openmpi" if re.search(r"\.so\.40(\.|$)", library.name) else "mpich"


# By the variable that tells each process how many there are (of MPICH's on this node).
_SIZES = {"openmpi": "OMPI_COMM_WORLD_SIZE", "mpich": "MPI_LOCALNRANKS"}


def launcher_of(environment: Mapping[str, str]) -> str | None:
    """Return the MPI whose mpiexec started this process, "mpich" or "openmpi".

    None if neither did: the launcher of a batch system starts ranks of any MPI.
    """
    return next((kind for kind, name in _SIZES.items() if name in environment), None)


def ranks_of(environment: Mapping[str, str]) -> int:
    """Return how many ranks the mpiexec started (for MPICH, only on this node); 1 if unknown."""
    values = (environment.get(name, "") for name in _SIZES.values())
    return next((int(value) for value in values if value.isdigit()), 1)


def mapped_libraries(maps: Path = Path("/proc/self/maps")) -> list[Path]:
    """Return the MPI libraries in this process; none if the system does not list them."""
    if not maps.exists():
        return []
    paths = {line.split(maxsplit=5)[-1].strip() for line in maps.read_text().splitlines()}
    return sorted(Path(path) for path in paths if is_libmpi(Path(path)))
