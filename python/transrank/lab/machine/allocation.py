# SPDX-License-Identifier: BSD-3-Clause
"""The allocation of this job by a batch system: nodes, and tasks on each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Allocation:
    """`system` is slurm, pbs, pjm, lsf or None outside a job; `slots` are tasks over all nodes."""

    system: str | None
    nodes: int
    slots: int | None = None


def read_allocation(environment: Mapping[str, str]) -> Allocation:
    """Return the job that this process runs in; one node when it runs in none."""
    for system, nodes, slots in (
        ("slurm", "SLURM_JOB_NUM_NODES", "SLURM_NTASKS"),
        ("pjm", "PJM_NODE", "PJM_MPI_PROC"),
    ):
        count = _count(environment.get(nodes))
        if count:
            return Allocation(system, count, _count(environment.get(slots)))
    for system, name in (("pbs", "PBS_NODEFILE"), ("lsf", "LSB_DJOB_HOSTFILE")):
        hosts = _hosts(environment.get(name))
        if hosts:
            return Allocation(system, len(set(hosts)), len(hosts))
    return Allocation(None, 1)


def _count(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"[1-9]\d{0,8}", text, re.ASCII) else None


def _hosts(name: str | None) -> list[str]:
    if not name:
        return []
    try:
        return Path(name).read_text("utf-8", "replace").split()
    except OSError:
        return []
