# SPDX-License-Identifier: BSD-3-Clause
"""The native parts of this installation: one variant for each binary interface (ABI) of MPI.

A variant is a folder `variants/NAME` of the package, with the module `_core`, `bin/transrank-run`
and `installation.json`. A build from source has one, for the MPI at hand; a wheel may have several.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from transrank.errors import LaunchError

# What to do when the sources have changed since the native part was built.
REBUILD = "make build, or pip install '.[lab]' again"
# libmpi.so.12, libmpich.so.12, libmpi_abi.so.1, libmpi_cray.so.12, but not libmpicxx.so.12.
_LIBMPI = re.compile(r"libmpi(?!cxx|f|_cxx|_java|_mpifh|_usempi)\w*\.so(\.[\d.]+)?")
# In the order in which mpi4py looks for the libraries of MPI.
NAMES = ("site", "mpich", "openmpi", "abi")


@dataclass(frozen=True, slots=True)
class Build:
    """Facts that the build recorded.

    Attributes
    ----------
    version
        the version of transrank.
    mpi
        the variant's name. "mpich", "openmpi" or "abi" serves any MPI with the binary interface of
        MPICH 4 (also Intel MPI, Cray MPICH, MVAPICH), of Open MPI 4, or of the MPI 5.0 standard.
        "site" serves the MPI that was chosen when transrank was built.
    mpi_kind
        "mpich" (and its derivatives), "openmpi" or "other", from any provider; "abi" if the kind is
        known only at run time.
    mpiexec
        the launcher of a site MPI; empty for another variant, or if the MPI has no launcher.
    compiler, build_type
        as CMake names them, e.g. "GNU 12.2.0" and "Release".
    """

    version: str
    mpi: str
    mpi_kind: str
    mpiexec: str
    compiler: str
    build_type: str


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant: the folder that holds it, and the facts of its build."""

    folder: Path
    build: Build

    @property
    def runner(self) -> Path:
        """The path of transrank-run, which may be missing."""
        return self.folder / "bin" / "transrank-run"

    def core(self) -> Path:
        """Return the path of the module `_core`.

        Raises
        ------
        LaunchError
            when the module is not installed.
        """
        found = sorted(self.folder.glob("_core*.so"))
        if not found:
            raise LaunchError(f"there is no _core*.so in {self.folder}", REBUILD)
        return found[0]


def read(folder: Path) -> Variant:
    """Return the variant in a folder.

    Raises
    ------
    LaunchError
        when there is no variant in the folder, or it was built from another version.
    """
    path = folder / "installation.json"
    try:
        return Variant(folder, Build(**json.loads(path.read_text(encoding="utf-8"))))
    except FileNotFoundError as error:
        raise LaunchError(
            f"the native part of transrank is not installed: no {path}",
            hint="make build, or pip install .",
        ) from error
    except (TypeError, ValueError, RecursionError) as error:
        raise LaunchError(
            f"the native part of transrank was built from another version: {path}", hint=REBUILD
        ) from error


def installed() -> dict[str, Variant]:
    """Return the variants of this installation by name.

    Raises
    ------
    LaunchError
        when there is no variant, or one was built from another version.
    """
    folders = {name: _installed("variants", name, "installation.json").parent for name in NAMES}
    present = [name for name in NAMES if (folders[name] / "installation.json").is_file()]
    if not present:
        folder = _installed("variants")
        raise LaunchError(
            f"the native part of transrank is not installed: no {folder}/*/installation.json",
            hint="make build, or pip install .",
        )
    return {name: read(folders[name]) for name in present}


@cache
def library(runner: Path) -> Path | None:
    """Return the MPI library that the system's loader finds for a transrank-run, or None."""
    # The variable makes the loader list what it would load, instead of starting the program.
    listed = subprocess.run(
        [runner],
        env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    ).stdout
    paths = (Path(os.path.normpath(path)) for path in re.findall(r" => (/.*) \(0x", listed))
    return next(filter(is_libmpi, paths), None)


def is_libmpi(path: Path) -> bool:
    """Return whether a shared object is an MPI library, and not one of its language bindings."""
    # Ours only leads to a library of another name: cmake/libmpich.cmake.
    is_ours = path.match("variants/*/libmpich/*")
    return bool(_LIBMPI.fullmatch(path.name)) and not is_ours


def _installed(*parts: str) -> Path:
    # An editable installation keeps what was compiled apart from the sources; resources sees both.
    return Path(str(resources.files("transrank").joinpath("/".join(parts))))
