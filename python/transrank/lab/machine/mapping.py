# SPDX-License-Identifier: BSD-3-Clause
"""The map of this machine: as the user describes it, else from hwloc, else from sysfs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from transrank.errors import UsageError
from transrank.lab.machine import hwloc, synthetic
from transrank.lab.machine.files import Files, format_list
from transrank.lab.machine.topology import Topology, read_model, read_topology
from transrank.lab.units import counted, format_bytes

# An XML file of hwloc, or a line as `synthetic` reads it.
VARIABLE = "TRANSRANK_TOPOLOGY"
MOST_BYTES = 8 << 20


def read_map(environment: Mapping[str, str], files: Files) -> Topology:
    """Return the machine's topology.

    Raises UsageError: ``TRANSRANK_TOPOLOGY`` describes no machine.
    """
    described = environment.get(VARIABLE)
    if described:
        return _described(described)
    xml = hwloc.ask() if files.root == Path("/") else None
    if xml is not None:
        try:
            return hwloc.read_xml(xml, read_model(files))
        except (ValueError, OverflowError):
            pass  # an hwloc that says nothing of use is as good as none
    return read_topology(files)


def _described(text: str) -> Topology:
    try:
        path = Path(text)
        if path.suffix == ".xml":
            if path.exists() and not path.is_file():
                raise OSError(f"{path} is not a regular file")
            if path.stat().st_size > MOST_BYTES:
                raise OSError(f"{path} is longer than {MOST_BYTES >> 20} MiB")
            return hwloc.read_xml(path.read_text("utf-8", "replace"))
        return synthetic.read_text(text)
    except (OSError, ValueError, OverflowError) as cause:
        raise UsageError(
            f"{VARIABLE}: {cause}",
            "give an XML file of lstopo, or e.g. 'pack:2 numa:2 core:6 pu:1'",
        ) from cause


def as_json(topology: Topology) -> dict[str, Any]:
    """Return what a run stores of the map: a column per level, a row per hardware thread."""
    cpus = topology.cpus
    return {
        "source": topology.source,
        "cpu": [cpu.cpu for cpu in cpus],
        "core": [cpu.core for cpu in cpus],
        "die": [cpu.die for cpu in cpus],
        "package": [cpu.package for cpu in cpus],
        "domain": [cpu.node for cpu in cpus],
    }


def summary(topology: Topology) -> str:
    """Return the map in a line: `2 packages, 4 memory domains, 24 cores`."""
    counts = (
        (topology.packages, "package"),
        (topology.dies, "die") if topology.dies > topology.packages else (0, ""),
        (max(len(topology.nodes), 1), "memory domain"),
        (topology.cores, "core"),
    )
    parts = [counted(count, name) for count, name in counts if count]
    if topology.threads_per_core > 1:
        parts.append(f"{topology.threads_per_core} threads each")
    return f"{', '.join(parts)} ({topology.source})"


def outline(topology: Topology, usable: Iterable[int] = ()) -> list[str]:
    """Return the map as indented lines; `usable` CPUs are named where they are not all."""
    allowed = set(usable) or {cpu.cpu for cpu in topology.cpus}
    shared = [c for c in topology.caches if c.shared_by > topology.threads_per_core]
    lines = []
    for package in sorted({cpu.package for cpu in topology.cpus}):
        members = [cpu for cpu in topology.cpus if cpu.package == package]
        cores = len({cpu.core for cpu in members})
        lines.append(f"package {package}: {counted(cores, 'core')}")
        for domain in sorted({cpu.node for cpu in members}):
            here = {cpu.cpu for cpu in members if cpu.node == domain}
            lines.append(f"  domain {domain}: {_domain(topology, domain, here, allowed)}")
            for cache in shared:
                lines += [
                    f"    L{cache.level} {format_bytes(cache.bytes)}: CPUs {format_list(group)}"
                    for group in cache.groups
                    if set(group) & here
                ]
    homes = {cpu.node for cpu in topology.cpus}
    return lines + [
        f"domain {node.node}: {_domain(topology, node.node, set(), allowed)}"
        for node in topology.nodes
        if node.node not in homes
    ]


def _domain(topology: Topology, domain: int, here: set[int], allowed: set[int]) -> str:
    node = next((node for node in topology.nodes if node.node == domain), None)
    parts = [f"CPUs {format_list(tuple(here))}" if here else "memory without CPUs"]
    if not here <= allowed:
        usable = format_list(tuple(here & allowed))
        parts.append(f"of which {usable} may be used" if usable else "none of which may be used")
    if node is not None and node.memory_bytes:
        parts.append(format_bytes(node.memory_bytes))
    if node is not None and len(node.distances) > 1:
        parts.append(f"distances {' '.join(map(str, node.distances))}")
    return ", ".join(parts)
