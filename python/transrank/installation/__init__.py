# SPDX-License-Identifier: BSD-3-Clause
"""The parts of this installation: the variant in use, its runner, and the mpiexec of its MPI."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from transrank.errors import LaunchError
from transrank.installation import choice, variants
from transrank.installation.variants import REBUILD, Build, Variant

__all__ = [
    "REBUILD",
    "Build",
    "build",
    "build_of",
    "core",
    "kind_of_mpiexec",
    "mpi_kind",
    "mpiexec",
    "mpiexec_of",
    "program",
    "runner",
    "variant",
]


@cache
def variant() -> Variant:
    """Return the variant that serves this process; the module `choice` says how it is chosen.

    Raises
    ------
    LaunchError
        when the native part was never built or was built from another version, or when no variant
        can serve.
    """
    installed = variants.installed()
    launcher = choice.launcher_of(os.environ)
    if launcher is None and len(installed) > 1:
        launcher = _kind_of_named_mpiexec()
    name = choice.choose(
        choice.Situation(
            installed=tuple(installed),
            loaded=tuple(choice.mapped_libraries()),
            asked=os.environ.get("TRANSRANK_MPI", ""),
            launcher=launcher,
            find=lambda each: variants.library(installed[each].runner),
            prefix=Path(sys.prefix),
        )
    )
    return installed[name]


def _kind_of_named_mpiexec() -> str | None:
    named = shutil.which(os.environ.get("MPIEXEC") or "")
    kind = kind_of_mpiexec(Path(named)) if named else "other"
    return None if kind == "other" else kind


def build() -> Build:
    """Return the facts of the build of the variant in use.

    Raises
    ------
    LaunchError
        for the reasons for which `variant` raises it.
    """
    return variant().build


def build_of(runner: Path) -> Build | None:
    """Return the build of the installation to which a transrank-run belongs; None if unknown.

    Raises
    ------
    LaunchError
        when that installation is of another version.
    """
    found = _variant_of(runner)
    return None if found is None else found.build


def _variant_of(runner: Path) -> Variant | None:
    folder = runner.resolve().parent.parent
    return variants.read(folder) if (folder / "installation.json").is_file() else None


def mpi_kind() -> str:
    """Return "mpich", "openmpi" or "other", like `Build.mpi_kind`, for any variant."""
    kind = build().mpi_kind
    if kind != "abi":
        return kind
    started_by = mpiexec()
    return "other" if started_by is None else kind_of_mpiexec(started_by)


def core() -> Path:
    """Return the path of the module `_core`.

    Raises
    ------
    LaunchError
        as `variant`, or when the module is not installed.
    """
    return variant().core()


def runner() -> Path:
    """Return the path of transrank-run.

    Raises
    ------
    LaunchError
        as `variant`, or when transrank-run is not installed.
    """
    path = variant().runner
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

    Returns None if a site has no mpiexec, for example because srun starts everything.

    Raises
    ------
    LaunchError
        when $MPIEXEC names no program, or the MPI library is not found.
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
    return _mpiexec_of(variant())


def mpiexec_of(runner: Path) -> Path | None:
    """Return the mpiexec of the installation to which a transrank-run belongs, else of this one.

    Raises
    ------
    LaunchError
        as `mpiexec`.
    """
    found = _variant_of(runner)
    return mpiexec() if found is None else _mpiexec_of(found)


def _mpiexec_of(of: Variant) -> Path | None:
    if of.build.mpi == "site":
        found = shutil.which(of.build.mpiexec or "mpiexec") or shutil.which("mpiexec")
        return Path(found).absolute() if found else None
    library = variants.library(of.runner)
    if library is None:
        extra = of.build.mpi if of.build.mpi == "openmpi" else "mpich"
        raise LaunchError(
            f"the MPI library of {of.runner} is not found",
            f"load the module of your MPI, or pip install 'transrank[{extra}]'",
        )
    # Debian has the programs of several MPIs in one folder. Links are resolved: Open MPI's mpiexec
    # refuses to start from /bin, which is beside /lib.
    names = (f"mpiexec.{of.build.mpi_kind}", "mpiexec")
    places = [folder / "bin" / name for folder in library.resolve().parents[1:4] for name in names]
    places += [Path(found) for name in names if (found := shutil.which(name))]
    for path in places:
        if os.access(path, os.X_OK) and of.build.mpi_kind in ("abi", kind_of_mpiexec(path)):
            return path.absolute()
    return None


@cache
def kind_of_mpiexec(mpiexec: Path) -> str:
    """Return "mpich", "openmpi" or "other", according to what an mpiexec says of itself."""
    try:
        answer = subprocess.run(
            [mpiexec, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return "other"
    words = answer.stdout + answer.stderr
    if "Open MPI" in words or "OpenRTE" in words or "PRRTE" in words:
        return "openmpi"
    return "mpich" if "HYDRA" in words or "Intel(R) MPI" in words else "other"
