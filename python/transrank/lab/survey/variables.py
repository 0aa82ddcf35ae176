# SPDX-License-Identifier: BSD-3-Clause
"""Environment variables that set an MPI library: which of them it does not know."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path

from transrank.errors import LaunchError
from transrank.lab.study import catalogue

MPICH, OPEN_MPI = "MPIR_CVAR_", "OMPI_MCA_"


def known(runner: Path | None = None) -> list[str]:
    """Return the variables that set the MPI library of transrank-run, or of another `runner`.

    Raises LaunchError: the runner cannot be asked, or is of another version.
    """
    names = catalogue.ask(["--list-settings"], runner).split()
    return [name if name.startswith(MPICH) else OPEN_MPI + name for name in names]


def unknown(names: Iterable[str], runner: Path | None = None) -> Iterator[tuple[str, str | None]]:
    """Yield each of the `names` that the MPI library does not know, and one that is spelt alike.

    The library is that of transrank-run, or of another `runner`; it tells by MPI's tools interface
    (MPI_T). One that does not tell knows every name. Open MPI's launcher has variables of the same
    prefix: a name is judged where the library has others of its framework, its first word.
    """
    wanted = {name: spelt for name in names if (spelt := _in_case(name))}
    settings = _told(runner) if wanted else []
    frameworks = {_framework(name) for name in settings}
    for name, spelt in wanted.items() if settings else ():
        of_launcher = MPICH not in frameworks and _framework(spelt) not in frameworks
        if name != spelt or not (name in settings or (of_launcher and OPEN_MPI in name)):
            close = difflib.get_close_matches(spelt, settings, n=1, cutoff=0.8)
            yield name, close[0] if close else (spelt if of_launcher and name != spelt else None)


def _in_case(name: str) -> str | None:
    """The name with its prefix in upper case, MPICH's as a whole; None if it has no such prefix."""
    if name.upper().startswith(MPICH):
        return name.upper()
    if name.upper().startswith(OPEN_MPI):
        return OPEN_MPI + name[len(OPEN_MPI) :]
    return None


def _told(runner: Path | None) -> list[str]:
    try:
        return known(runner)
    except LaunchError:
        return []  # a runner of an earlier version


def _framework(name: str) -> str:
    """MPICH's variables are all of one; Open MPI's name theirs first."""
    return MPICH if name.startswith(MPICH) else name.removeprefix(OPEN_MPI).partition("_")[0]
