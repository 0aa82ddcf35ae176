# SPDX-License-Identifier: BSD-3-Clause
"""Packages, dies, NUMA nodes, cores, hardware threads and caches, from sysfs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from transrank.lab.machine.files import Files, numbered, parse_list

CPUS = "sys/devices/system/cpu"
NODES = "sys/devices/system/node"
SIZE_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

# Arm cores report numbers instead of a name: (implementer, part).
ARM_CORES = {
    (0x41, 0xD08): "Arm Cortex-A72",
    (0x41, 0xD0C): "Arm Neoverse N1",
    (0x41, 0xD40): "Arm Neoverse V1",
    (0x41, 0xD49): "Arm Neoverse N2",
    (0x41, 0xD4F): "Arm Neoverse V2",
    (0x43, 0x0AF): "Marvell ThunderX2",
    (0x46, 0x001): "Fujitsu A64FX",
    (0x48, 0xD01): "HiSilicon Kunpeng 920",
    (0x70, 0x662): "Phytium FT-2000+",
}


@dataclass(frozen=True)
class Cpu:
    """A hardware thread, and which core, die, package and NUMA node it belongs to.

    A core has the number of its lowest thread: firmware's numbers repeat within a package.
    """

    cpu: int
    core: int
    die: int
    package: int
    node: int


@dataclass(frozen=True)
class Cache:
    """A kind of cache: how large one of them is, how many there are, how many CPUs share one.

    `groups` are the CPUs of each instance.
    """

    level: int
    kind: str
    bytes: int
    instances: int
    shared_by: int
    groups: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class NumaNode:
    """A memory domain; `distances` are the firmware's, 10 for itself."""

    node: int
    cpus: tuple[int, ...]
    memory_bytes: int | None
    distances: tuple[int, ...]


@dataclass(frozen=True)
class Topology:
    """All online CPUs, and the resources that they share; `source` names the source."""

    model: str
    cpus: tuple[Cpu, ...]
    caches: tuple[Cache, ...]
    nodes: tuple[NumaNode, ...]
    source: str = "sysfs"

    @property
    def packages(self) -> int:
        """The number of sockets."""
        return len({cpu.package for cpu in self.cpus})

    @property
    def dies(self) -> int:
        """The number of dies in all packages."""
        return len({(cpu.package, cpu.die) for cpu in self.cpus})

    @property
    def cores(self) -> int:
        """The number of cores in all packages."""
        return len(self.first_threads())

    @property
    def threads_per_core(self) -> int:
        """The largest number of hardware threads per core: 1 without SMT."""
        return -(-len(self.cpus) // self.cores) if self.cpus else 1

    def first_threads(self, allowed: tuple[int, ...] | None = None) -> tuple[int, ...]:
        """Return one CPU per core, the lowest of those `allowed` (None: of all)."""
        first: dict[int, int] = {}
        for cpu in sorted(self.cpus, key=lambda cpu: cpu.cpu):
            if allowed is None or cpu.cpu in allowed:
                first.setdefault(cpu.core, cpu.cpu)
        return tuple(sorted(first.values()))


def read_topology(files: Files) -> Topology:
    """Read the topology; where sysfs is missing, every CPU of /proc/cpuinfo is its own core."""
    nodes = _nodes(files)
    node_of = {cpu: node.node for node in nodes for cpu in node.cpus}
    online = _online(files)
    cpus = tuple(_cpu(files, number, node_of.get(number, 0)) for number in online)
    return Topology(read_model(files), cpus, _caches(files, online), nodes)


def _online(files: Files) -> tuple[int, ...]:
    online = parse_list(files.text(f"{CPUS}/online"))
    if not online:
        online = tuple(numbered(files.names(CPUS, "cpu"), "cpu"))
    if not online:
        info = files.text("proc/cpuinfo") or ""
        count = sum(line.startswith("processor") for line in info.splitlines())
        online = tuple(range(max(count, 1)))
    return online


def _cpu(files: Files, number: int, node: int) -> Cpu:
    def fact(name: str) -> int | None:
        return files.number(f"{CPUS}/cpu{number}/topology/{name}")

    siblings = parse_list(files.text(f"{CPUS}/cpu{number}/topology/thread_siblings_list"))
    # Virtual machines and some Arm systems report -1 for unknown.
    return Cpu(
        cpu=number,
        core=min(siblings, default=number),
        die=max(fact("die_id") or 0, 0),
        package=max(fact("physical_package_id") or 0, 0),
        node=node,
    )


def _caches(files: Files, online: tuple[int, ...]) -> tuple[Cache, ...]:
    shares: dict[tuple[int, str], set[tuple[int, ...]]] = {}
    sizes: dict[tuple[int, str], int] = {}
    for number in online:
        directory = f"{CPUS}/cpu{number}/cache"
        for index in files.names(directory, "index"):
            level = files.number(f"{directory}/{index}/level")
            kind = files.text(f"{directory}/{index}/type")
            size = _size(files.text(f"{directory}/{index}/size"))
            shared = parse_list(files.text(f"{directory}/{index}/shared_cpu_list"))
            if level is None or kind is None or size is None:
                continue
            key = (level, kind.lower())
            shares.setdefault(key, set()).add(shared or (number,))
            sizes[key] = max(size, sizes.get(key, 0))
    return caches_of(shares, sizes)


def caches_of(
    shares: Mapping[tuple[int, str], set[tuple[int, ...]]], sizes: Mapping[tuple[int, str], int]
) -> tuple[Cache, ...]:
    """Return the kinds of caches out of the CPUs of each and the bytes, by (level, kind)."""
    return tuple(
        Cache(
            level,
            kind,
            sizes[level, kind],
            len(found),
            max(len(cpus) for cpus in found),
            tuple(sorted(found)),
        )
        for (level, kind), found in sorted(shares.items())
    )


def _nodes(files: Files) -> tuple[NumaNode, ...]:
    found = []
    for number in numbered(files.names(NODES, "node"), "node"):
        directory = f"{NODES}/node{number}"
        total = files.fields(f"{directory}/meminfo").get(f"Node {number} MemTotal")
        found.append(
            NumaNode(
                node=number,
                cpus=parse_list(files.text(f"{directory}/cpulist")),
                memory_bytes=kilobytes(total),
                distances=tuple(
                    int(word)
                    for word in (files.text(f"{directory}/distance") or "").split()
                    if word.isdecimal()
                ),
            )
        )
    return tuple(found)


def read_model(files: Files) -> str:
    """Return the processor's name, or ``unknown``."""
    info = files.fields("proc/cpuinfo")
    for name in ("model name", "cpu model", "cpu"):
        if info.get(name):
            return " ".join(info[name].split())
    try:
        key = (int(info["CPU implementer"], 16), int(info["CPU part"], 16))
    except (KeyError, ValueError):
        return files.text("sys/firmware/devicetree/base/model") or "unknown"
    return ARM_CORES.get(key, f"Arm implementer {key[0]:#x} part {key[1]:#x}")


def _size(text: str | None) -> int | None:
    """Return the bytes of a size as sysfs writes caches: ``48K``."""
    if not text or not text[:-1].isdecimal() or text[-1] not in SIZE_UNITS:
        return None
    return int(text[:-1]) * SIZE_UNITS[text[-1]]


def kilobytes(text: str | None) -> int | None:
    """Return the bytes of a size as meminfo writes it: ``24684092 kB``."""
    words = (text or "").split()
    return int(words[0]) * 1024 if words and words[0].isdecimal() else None
