# SPDX-License-Identifier: BSD-3-Clause
"""All facts about this machine together: what a run's header stores as ``machine``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from transrank.lab.machine.allocation import Allocation, read_allocation
from transrank.lab.machine.files import Files, format_list
from transrank.lab.machine.limits import Limits, read_limits
from transrank.lab.machine.load import Load, read_load
from transrank.lab.machine.mapping import as_json, read_map
from transrank.lab.machine.memory import Memory, read_memory
from transrank.lab.machine.system import System, read_system
from transrank.lab.machine.topology import Cache, Topology

# What makes two machines the same for --resume: none of these changes while a machine stays one.
# Jobs of a batch system get any node of a kind: there the host's name does not identify it.
IDENTITY = ("host", "cpu", "packages", "numa_nodes", "cores", "threads_per_core", "kernel")


@dataclass(frozen=True)
class Facts:
    """The facts, grouped by the module that reads them."""

    topology: Topology
    memory: Memory
    limits: Limits
    system: System
    load: Load
    allocation: Allocation

    @property
    def usable_cpus(self) -> tuple[int, ...]:
        """One CPU for each core that this process may use."""
        return self.topology.first_threads(self.limits.affinity or None)

    @property
    def usable_cores(self) -> int:
        """Cores that ranks on this node may fill: affinity and control group considered."""
        cores = max(len(self.usable_cpus), 1)
        if self.limits.cpus is not None:
            cores = min(cores, max(math.floor(self.limits.cpus), 1))
        return cores

    @property
    def affinity_restricted(self) -> bool:
        """Whether this process may use only some of the machine's CPUs."""
        allowed = set(self.limits.affinity)
        return bool(allowed) and not allowed >= {cpu.cpu for cpu in self.topology.cpus}

    @property
    def free_memory_bytes(self) -> int | None:
        """Memory that may still be taken."""
        known = [
            size
            for size in (self.memory.available_bytes, self.limits.memory_bytes)
            if size is not None
        ]
        return min(known, default=None)

    def as_json(self) -> dict[str, Any]:
        """Return the facts as they are stored: flat where one number says it all."""
        topology, system = self.topology, self.system
        return {
            "host": system.host,
            "cpu": topology.model,
            "packages": topology.packages,
            "dies": topology.dies,
            "numa_nodes": max(len(topology.nodes), 1),
            "numa": [asdict(node) for node in topology.nodes],
            "cores": topology.cores,
            "cpus": len(topology.cpus),
            "threads_per_core": topology.threads_per_core,
            "usable_cores": self.usable_cores,
            "affinity": format_list(self.limits.affinity),
            "caches": [_cache(cache) for cache in topology.caches],
            "map": as_json(topology),
            "memory": asdict(self.memory),
            "limits": {"cpus": self.limits.cpus, "memory_bytes": self.limits.memory_bytes},
            "kernel": system.kernel,
            "virtualisation": system.virtualisation,
            "clock_source": system.clock_source,
            "ptrace_scope": system.ptrace_scope,
            "governor": system.governor,
            "frequency_driver": system.frequency_driver,
            "turbo": system.turbo,
            "load": asdict(self.load),
            "allocation": asdict(self.allocation),
        }


def read_facts(
    environment: Mapping[str, str], files: Files | None = None, load_seconds: float = 0.5
) -> Facts:
    """Read everything; takes `load_seconds`, in which the load is watched.

    Raises UsageError: ``TRANSRANK_TOPOLOGY`` describes no machine.
    """
    files = files or Files()
    return Facts(
        topology=read_map(environment, files),
        memory=read_memory(files),
        limits=read_limits(files),
        system=read_system(files),
        load=read_load(files, load_seconds),
        allocation=read_allocation(environment),
    )


def _cache(cache: Cache) -> dict[str, Any]:
    return {**asdict(cache), "groups": [format_list(group) for group in cache.groups]}


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return in words what differs between two machines' stored facts; empty: the same machine."""
    in_jobs = _in_job(before) and _in_job(now)
    return [
        f"{name.replace('_', ' ')} was {before[name]}, is {now.get(name)}"
        for name in IDENTITY
        if name in before and before[name] != now.get(name) and not (in_jobs and name == "host")
    ]


def _in_job(facts: Mapping[str, Any]) -> bool:
    allocation = facts.get("allocation")
    return isinstance(allocation, Mapping) and bool(allocation.get("system"))
