# SPDX-License-Identifier: BSD-3-Clause
"""Launchers: what has to be typed before transrank-run so that it runs on N ranks, bound to cores.

One class per kind, one row in `KINDS`; anything else is a template. Ranks are bound one to a core
as long as there are cores; when there are fewer, nothing is bound.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from transrank import installation
from transrank.errors import LaunchError
from transrank.lab.launch.launcher import Capacity, Launcher, Shape
from transrank.lab.launch.template import Template, split


class Hydra(Launcher):
    """MPICH's mpiexec, also Intel MPI's."""

    name = "hydra"
    own_processes = 2  # mpiexec and its proxy

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
            # Ranks on other nodes inherit nothing else.
            *(word for name in self.added for word in ("-x", name)),
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


KINDS: dict[str, type[Launcher]] = {kind.name: kind for kind in (Hydra, OpenMpi, Srun)}


def choose(text: str | None, capacity: Capacity) -> Launcher:
    """Return the launcher that a name or a template means; None: the one of the built-in MPI.

    Raises UsageError: an unknown name, or a template without ``{ranks}``.
    Raises LaunchError: the MPI that transrank was built with has no mpiexec here.
    """
    if text is None:
        return default_launcher(capacity)
    mpi = installation.mpi_kind()
    if text in KINDS:
        return KINDS[text](capacity, mpi, _program(KINDS[text]))
    words = split(text, KINDS)
    return Template(capacity, mpi, words[0], words, text)


def is_ours(name: str) -> bool:
    """Whether a name alone means a launcher here: this installation's own mpiexec, or srun."""
    return name in KINDS and _program(KINDS[name]) != "mpiexec"


def default_launcher(capacity: Capacity) -> Launcher:
    """Return the launcher that belongs to the MPI which transrank-run was built with.

    Raises LaunchError: there is none: neither its mpiexec nor srun.
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


def for_mpiexec(mpiexec: Path, capacity: Capacity) -> Launcher:
    """Return the launcher that an mpiexec is by what it says of itself.

    Raises LaunchError: it says nothing that is known.
    """
    mpi = installation.kind_of_mpiexec(mpiexec)
    if mpi == "other":
        raise LaunchError(
            f"{mpiexec} is no mpiexec of an MPI known here",
            f"write it as a launcher: '{mpiexec} -n {{ranks}}'",
        )
    return (OpenMpi if mpi == "openmpi" else Hydra)(capacity, mpi, str(mpiexec))


def _kind_of(mpiexec: Path) -> type[Launcher]:
    """Return whose options an mpiexec takes; one that is not the built-in MPI's is asked."""
    known = installation.mpi_kind()
    if known not in ("mpich", "openmpi") or os.environ.get("MPIEXEC"):
        known = installation.kind_of_mpiexec(mpiexec)
    return OpenMpi if known == "openmpi" else Hydra


def _program(kind: type[Launcher]) -> str:
    """Return the executable of a launcher that the user names, rather ours than that on PATH."""
    if kind is Srun:
        return "srun"
    mpiexec = installation.mpiexec()
    return str(mpiexec) if mpiexec is not None and _kind_of(mpiexec) is kind else "mpiexec"
