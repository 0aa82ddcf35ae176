# SPDX-License-Identifier: BSD-3-Clause
"""The build backend: scikit-build-core, which also needs the MPI of PyPI that was chosen, if any.

As in cmake/mpi.cmake that is the one that TRANSRANK_MPI names; else that of MPI_HOME; else MPICH.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from scikit_build_core import build as _backend
from scikit_build_core.build import *  # noqa: F403

Settings = dict[str, str | list[str]] | None


def _mpi() -> list[str]:
    """The version that the extra of the same name pins."""
    chosen = os.environ.get("TRANSRANK_MPI") or ("site" if os.environ.get("MPI_HOME") else "mpich")
    extra = "mpich" if chosen == "abi" else chosen
    return re.findall(rf'^{extra} = \["(.*)"\]', Path("pyproject.toml").read_text(), re.MULTILINE)


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:  # type: ignore[no-redef]
    return [*_backend.get_requires_for_build_wheel(config_settings), *_mpi()]


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:  # type: ignore[no-redef]
    return [*_backend.get_requires_for_build_editable(config_settings), *_mpi()]
