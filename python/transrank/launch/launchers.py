# SPDX-License-Identifier: BSD-3-Clause
"""Launchers: what has to be typed before transrank-run so that it runs on N ranks, bound to cores.

One class per kind, one row in `KINDS`; anything else is a command line with placeholders. Ranks are
bound one to a core as long as there are cores; when there are fewer, nothing is bound and the MPI
library is told to yield while it waits, because a rank that spins keeps its partner from running.
"""

from __future__ import annotations

import os
import shlex
import shutil
import string
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

from transrank.errors import LaunchError, UsageError
from transrank.launch import installation

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
    """A way to start ranks; `program` is the launcher's executable."""

    capacity: Capacity
    mpi: str
    program: str

    name = ""

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

    @property
    def writes_files(self) -> bool:
        """Whether the ranks' stdout goes to files instead of through the launcher."""
        return False

    @property
    def places_ranks(self) -> bool:
        """Whether it can be told how many ranks a node gets."""
        return True


class Hydra(Launcher):
    """MPICH's mpiexec, also Intel MPI's."""

    name = "hydra"

    def options(self, shape: Shape) -> list[str]:
        options = ["-n", str(shape.ranks)]
        if shape.ranks_per_node:
            options += ["-ppn", str(shape.ranks_per_node)]
        if self.capacity.oversubscribed(shape):
            return options
        cpus = self.capacity.cpus
        if cpus is not None and self.capacity.nodes == 1:
            return [*options, "-bind-to", f"user:{','.join(str(cpu) for cpu in cpus)}"]
        return [*options, "-bind-to", "core"]


class OpenMpi(Launcher):
    """Open MPI's mpiexec, from version 4 on."""

    name = "openmpi"

    def options(self, shape: Shape) -> list[str]:
        per_node = shape.ranks_per_node
        where = f"ppr:{per_node}:node" if per_node else "core"
        if self.capacity.oversubscribed(shape):
            where = (where if per_node else "slot") + ":oversubscribe"
        # A restricted affinity is inherited by ranks that are not bound.
        loose = self.capacity.oversubscribed(shape) or self.capacity.cpus is not None
        return [
            *("-n", str(shape.ranks), "--map-by", where),
            *("--bind-to", "none" if loose else "core"),
        ]


class Srun(Launcher):
    """Slurm's srun, inside an allocation."""

    name = "srun"

    def options(self, shape: Shape) -> list[str]:
        options = ["-n", str(shape.ranks)]
        if shape.ranks_per_node:
            nodes = -(-shape.ranks // shape.ranks_per_node)
            options += ["-N", str(nodes), "--ntasks-per-node", str(shape.ranks_per_node)]
        plugin = {"mpich": "pmi2", "openmpi": "pmix"}.get(self.mpi)
        if plugin:
            options.append(f"--mpi={plugin}")
        # -K: a rank that fails ends the job instead of leaving the others waiting.
        options.append("-K1")
        if self.capacity.oversubscribed(shape):
            return [*options, "--overcommit", "--cpu-bind=none"]
        return [*options, "--cpu-bind=cores"]


@dataclass(frozen=True)
class Template(Launcher):
    """Any command line with placeholders: those of `PLACEHOLDERS`, in braces.

    The program of the ranks is appended, or takes the place of ``{command}`` as one shell word.
    ``{output}`` is for launchers that write the ranks' stdout to files: a path of which every file
    name begins.
    """

    words: tuple[str, ...] = ()
    text: str = ""

    @property
    def name(self) -> str:  # type: ignore[override]
        """The template itself."""
        return self.text

    @property
    def writes_files(self) -> bool:
        return "output" in _placeholders(self.words)

    @property
    def places_ranks(self) -> bool:
        return bool(_placeholders(self.words) & {"ranks_per_node", "nodes"})

    def command(self, shape: Shape, argv: Sequence[str], output: Path | None = None) -> list[str]:
        used = _placeholders(self.words)
        if shape.ranks_per_node and not self.places_ranks:
            raise UsageError(
                f"the launcher '{self.name}' cannot place {shape.ranks_per_node} ranks per node",
                "add {ranks_per_node} to it, e.g. --ntasks-per-node {ranks_per_node}",
            )
        values = {
            "ranks": str(shape.ranks),
            "ranks_per_node": str(self.capacity.ranks_per_node(shape)),
            "nodes": str(-(-shape.ranks // self.capacity.ranks_per_node(shape))),
            "output": str(output or "transrank-output"),
            "command": shlex.join(argv),
        }
        words = [word.format_map(values) for word in self.words]
        return words if "command" in used else [*words, *argv]


KINDS: dict[str, type[Launcher]] = {kind.name: kind for kind in (Hydra, OpenMpi, Srun)}
PLACEHOLDERS = frozenset({"ranks", "ranks_per_node", "nodes", "output", "command"})


def choose(text: str | None, capacity: Capacity) -> Launcher:
    """Return the launcher that a name or a template means; None: the one of the built-in MPI.

    Raises
    ------
    UsageError
        an unknown name, or a template without ``{ranks}``.
    LaunchError
        the MPI that transrank was built with has no mpiexec here.
    """
    if text is None:
        return default_launcher(capacity)
    mpi = installation.mpi_kind()
    if text in KINDS:
        return KINDS[text](capacity, mpi, _program(KINDS[text]))
    words = _words(text)
    return Template(capacity, mpi, words[0], words, text)


def default_launcher(capacity: Capacity) -> Launcher:
    """Return the launcher that belongs to the MPI which transrank-run was built with.

    Raises
    ------
    LaunchError
        there is none: neither its mpiexec nor srun.
    """
    mpi = installation.mpi_kind()
    mpiexec = installation.mpiexec()
    if mpiexec is not None:
        return _kind_of(mpiexec)(capacity, mpi, str(mpiexec))
    if shutil.which("srun"):
        return Srun(capacity, mpi, "srun")
    raise LaunchError(
        "no mpiexec belongs to the MPI that transrank was built with, and there is no srun",
        "name a launcher: --launcher 'mpirun -n {ranks}' or TRANSRANK_LAUNCHER",
    )


def _kind_of(mpiexec: Path) -> type[Launcher]:
    """Return whose options an mpiexec takes; one that is not the built-in MPI's is asked."""
    known = installation.mpi_kind()
    if known not in ("mpich", "openmpi") or os.environ.get("MPIEXEC"):
        known = kind_of_mpiexec(mpiexec)
    return OpenMpi if known == "openmpi" else Hydra


@cache
def kind_of_mpiexec(mpiexec: Path) -> str:
    """Return "mpich", "openmpi" or "other" by what an mpiexec says of itself."""
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


def environment(launcher: Launcher, shape: Shape, user: Mapping[str, str]) -> dict[str, str]:
    """Return what a launch adds to the user's environment: what the user set stays as it is."""
    wanted = {**dict.fromkeys(THREAD_VARIABLES, "1"), **launcher.settings(shape)}
    return {name: value for name, value in wanted.items() if name not in user}


def _program(kind: type[Launcher]) -> str:
    """Return the executable of a launcher that the user names, rather ours than that on PATH."""
    if kind is Srun:
        return "srun"
    mpiexec = installation.mpiexec()
    return str(mpiexec) if mpiexec is not None and _kind_of(mpiexec) is kind else "mpiexec"


def _words(text: str) -> tuple[str, ...]:
    """Split a template, and refuse what would fail or mislead when it is used."""
    known = ", ".join(sorted(KINDS))
    try:
        words = tuple(shlex.split(text))
        used = _placeholders(words)
    except ValueError as cause:
        raise UsageError(f"the launcher '{text}' cannot be read: {cause}") from cause
    if used - PLACEHOLDERS:
        raise UsageError(
            f"the launcher '{text}' has an unknown placeholder {{{min(used - PLACEHOLDERS)}}}",
            "known: " + ", ".join(f"{{{name}}}" for name in sorted(PLACEHOLDERS)),
        )
    if not used & {"ranks", "nodes"}:
        raise UsageError(
            f"unknown launcher '{text}'; known: {known}, or a command line with {{ranks}}",
            "e.g. --launcher 'mpiexec -n {ranks}'",
        )
    return words


def _placeholders(words: Sequence[str]) -> set[str]:
    """Return the names in braces.

    Raises
    ------
    ValueError
        braces that do not match, or conversions and attributes that no placeholder has.
    """
    names = set()
    for word in words:
        for _, name, specification, conversion in string.Formatter().parse(word):
            if specification or conversion:
                raise ValueError(f"'{word}' has more than a name in braces")
            if name is not None:
                names.add(name)
    return names
