# SPDX-License-Identifier: BSD-3-Clause
"""Programs of programs/ and libraries of preloaded/, built where this installation was built."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from transrank.launch import installation

ROOT = Path(__file__).parent.parent


def build(name: str) -> Path:
    """Build programs/NAME.cpp in the build folder of this installation; return its path."""
    return _built(name) / name


def build_preloaded(name: str) -> Path:
    """Build the library preloaded/NAME.cpp there; return its path."""
    return _built(name) / f"{name}.so"


def _built(name: str) -> Path:
    folder = ROOT / "build" / installation.build().mpi
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        ["cmake", "--build", folder, "--target", f"benchmark.{name}"],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PATH": path},
    )
    return folder / "benchmarks"
