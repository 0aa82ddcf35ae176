# SPDX-License-Identifier: BSD-3-Clause
"""What every launcher is: ranks in a shape, on what this job may use, with an environment."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from transrank import installation

# Thousands of ranks that each start a thread per core have brought down file systems.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
# MPICH spins in shared memory by default: a barrier of 4 ranks on 2 cores takes 12 ms without
# these and 0.5 ms with them.
MPICH_YIELDS = {
    "MPIR_CVAR_DEVICE_COLLECTIVES": "none",
    "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
    "MPIR_CVAR_POLLS_BEFORE_YIELD": "10",
}
OPENMPI_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def blas_setting() -> dict[str, str]:
    """Return the setting that names this environment's BLAS to transrank-run, if there is one."""
    package = importlib.util.find_spec("scipy_openblas32")
    for folder in (package and package.submodule_search_locations) or ():
        library = Path(folder) / "lib" / "libscipy_openblas.so"
        if library.is_file():
            return {"TRANSRANK_BLAS": str(library)}
    return {}


class Shape(Protocol):
    """How many ranks, and how many of them on each node (0: as the launcher likes)."""

    @property
    def ranks(self) -> int: ...

    @property
    def ranks_per_node(self) -> int: ...


@dataclass(frozen=True)
class Capacity:
    """What this job may use: nodes, and cores on each.

    `cpus` is given where only some of this node's CPUs may be used: the first hardware thread of
    each usable core. Hydra and Open MPI do not look at the affinity they inherit.
    """

    nodes: int = 1
    cores_per_node: int = 1
    cpus: tuple[int, ...] | None = None

    def ranks_per_node(self, shape: Shape) -> int:
        """Return how many ranks the fullest node gets."""
        return shape.ranks_per_node or -(-shape.ranks // self.nodes)

    def oversubscribed(self, shape: Shape) -> bool:
        """Whether ranks share cores."""
        return self.ranks_per_node(shape) > self.cores_per_node

    def fits(self, shape: Shape) -> bool:
        """Whether there are nodes enough for this shape."""
        return -(-shape.ranks // self.ranks_per_node(shape)) <= self.nodes


@dataclass(frozen=True)
class Launcher:
    """A way to start ranks; `program` is the launcher's executable.

    `added` are settings of the environment that go before the user's own; `runner` is the
    transrank-run that is started, None for that of this installation.
    """

    capacity: Capacity
    mpi: str
    program: str
    added: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    runner: Path | None = field(default=None, kw_only=True)

    name = ""
    # Of the launcher itself on the node where it is started, beside the ranks; at the least.
    own_processes = 1

    def command(
        self,
        shape: Shape,
        argv: Sequence[str],
        output: Path | None = None,  # noqa: ARG002
    ) -> list[str]:
        """Return the command line that runs `argv` on `shape.ranks` ranks.

        `output` is where the ranks' stdout goes with a launcher that writes files instead of
        passing it on: only a template that says ``{output}`` does.
        """
        return [self.program, *self.options(shape), *argv]

    def options(self, shape: Shape) -> list[str]:
        """Return the launcher's own options."""
        raise NotImplementedError

    def settings(self, shape: Shape) -> dict[str, str]:
        """Return the environment variables that this launch needs beside the user's own."""
        settings: dict[str, str] = {}
        if self.mpi == "openmpi" and hasattr(os, "geteuid") and os.geteuid() == 0:
            settings |= OPENMPI_AS_ROOT
        if self.mpi == "mpich" and self.capacity.oversubscribed(shape):
            settings |= MPICH_YIELDS
        return settings

    def environment(self, shape: Shape, user: Mapping[str, str]) -> dict[str, str]:
        """Return what a launch adds to the user's environment: but for `added` that stays."""
        wanted = {**dict.fromkeys(THREAD_VARIABLES, "1"), **self.settings(shape), **blas_setting()}
        return {**{name: value for name, value in wanted.items() if name not in user}, **self.added}

    def runner_path(self) -> Path:
        """Return the transrank-run that is started.

        Raises LaunchError: it is that of this installation, and not installed.
        """
        return self.runner or installation.runner()

    @property
    def writes_files(self) -> bool:
        """Whether the ranks' stdout goes to files instead of through the launcher."""
        return False

    @property
    def places_ranks(self) -> bool:
        """Whether it has an option for the ranks per node."""
        return True
