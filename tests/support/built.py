# SPDX-License-Identifier: BSD-3-Clause
"""Where the C++ tests were built."""

import os
from pathlib import Path

from transrank import installation

ROOT = Path(__file__).parents[2]


def build_folder() -> Path:
    """$TRANSRANK_BUILD_DIR, or what the Makefile builds for this installation's MPI."""
    default = ROOT / "build" / installation.build().mpi
    return Path(os.environ.get("TRANSRANK_BUILD_DIR", default)).resolve()


def cpp_test(path: Path | str) -> Path:
    """Return the executable that tests/cpp/PATH.cpp is part of."""
    folder = build_folder() / "tests" / "cpp"
    executables = dict(map(str.split, (folder / "executables.txt").read_text().splitlines()))
    executable = folder / executables[f"{path}.cpp"]
    assert executable.exists(), f"{executable} is not built: make test builds it"
    return executable
