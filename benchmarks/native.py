# SPDX-License-Identifier: BSD-3-Clause
"""Programs of programs/ and libraries of preloaded/, built where this installation was built.

And what a program prints that is launched as transrank launches its own.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from transrank import installation
from transrank.lab.launch import launchers
from transrank.lab.launch.launcher import Capacity
from transrank.lab.store.records import Shape

ROOT = Path(__file__).parent.parent


@functools.cache
def build(name: str) -> Path:
    """Build programs/NAME.cpp in the build folder of this installation; return its path."""
    return _built(name) / name


def build_preloaded(name: str) -> Path:
    """Build the library preloaded/NAME.cpp there; return its path."""
    return _built(name) / f"{name}.so"


def printed_at_two_ranks(command: Sequence[str], variables: Mapping[str, str] | None = None) -> str:
    """Launch a program on two ranks of one node, a core each; return what it prints."""
    return printed_at(2, command, variables)


def printed_at(
    ranks: int, command: Sequence[str], variables: Mapping[str, str] | None = None
) -> str:
    """Launch a program on so many ranks of two cores, bound if there are two; return its output.

    `variables` are added to the environment.
    """
    shape = Shape(ranks=ranks, ranks_per_node=0)
    launcher = launchers.default_launcher(Capacity(cores_per_node=2))
    return subprocess.run(
        launcher.command(shape, list(command)),
        env={**os.environ, **launcher.settings(shape), **(variables or {})},
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    ).stdout


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
