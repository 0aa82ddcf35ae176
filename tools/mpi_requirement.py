# SPDX-License-Identifier: BSD-3-Clause
"""Build-time plugin: add the PyPI MPI that the package is linked with to its requirements.

cmake/mpi.cmake makes the same choice for the compiler; a site MPI adds no requirement.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def chosen_mpi(environment: Mapping[str, str]) -> str:
    """Return "mpich", "openmpi" or "site": TRANSRANK_MPI, else "site" where MPI_HOME is set."""
    named = environment.get("TRANSRANK_MPI", "")
    if not named:
        return "site" if environment.get("MPI_HOME") else "mpich"
    if named not in {"mpich", "openmpi", "site"}:
        raise ValueError(f"TRANSRANK_MPI is '{named}'; known: mpich, openmpi, site")
    return named


def get_requires_for_dynamic_metadata(settings: Mapping[str, str]) -> list[str]:
    """Return what the build environment needs for the chosen MPI."""
    mpi = chosen_mpi(os.environ)
    return [] if mpi == "site" else [settings[mpi]]


def dynamic_metadata(settings: Mapping[str, str], _project: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of [project] that depends on the chosen MPI."""
    return {"dependencies": get_requires_for_dynamic_metadata(settings)}


def dynamic_wheel(_settings: Mapping[str, str]) -> dict[str, bool]:
    """Say that a wheel may depend on another MPI than the source distribution names."""
    return {"dependencies": True}
