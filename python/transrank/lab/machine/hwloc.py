# SPDX-License-Identifier: BSD-3-Clause
"""The topology in hwloc's XML (versions 1 and 2), and the program that writes it.

hwloc is no dependency: where its program is missing, sysfs is read instead.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from transrank.lab.machine.topology import Cache, Cpu, NumaNode, Topology, caches_of

PROGRAMS = ("lstopo-no-graphics", "hwloc-ls", "lstopo")
# What shows CPUs that this process may not use: hwloc 2, hwloc 1.
WHOLE = ("--disallowed", "--whole-system")
ASKING_SECONDS = 10
WORD_BITS = 32
MOST_WORDS = (1 << 16) // WORD_BITS  # of as many CPUs as a machine may have
# A bit of the kind of a matrix: it holds bandwidths.
BANDWIDTHS = 8
# Memory used as a cache of other memory is none of a core's caches.
MEMORY_CACHE = "MemCache"
CACHE_KINDS = {"0": "unified", "1": "data", "2": "instruction"}

Cpus = tuple[int, ...]


def ask() -> str | None:
    """Return the XML of this machine; None where hwloc is not installed or does not answer."""
    program = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    if program is None:
        return None
    for whole in WHOLE:
        try:
            answer = subprocess.run(
                [program, "--of", "xml", whole, "--no-io"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=ASKING_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        if answer.returncode == 0 and "<topology" in answer.stdout:
            return answer.stdout
    return None


def read_xml(text: str, model: str = "unknown") -> Topology:
    """Return the topology of an XML file; `model` is used where it names no processor.

    Raises ValueError: the text is no topology of hwloc, or has no CPU.
    """
    try:
        root = ET.fromstring(text)  # noqa: S314 of the user's own machine
    except ET.ParseError as cause:
        raise ValueError(f"not an XML file of hwloc: {cause}") from cause
    objects = list(_objects(root))
    nodes = _nodes(objects, _distances(root))
    cpus = _cpus(objects, nodes)
    if not cpus:
        raise ValueError("the XML has no processing unit (PU)")
    return Topology(_model(root) or model, cpus, _caches(objects), nodes, "hwloc")


def _objects(root: ET.Element) -> Iterator[tuple[ET.Element, str, Cpus]]:
    """All objects that hold CPUs, with their kinds and CPUs, from the outside in."""
    for element in root.iter("object"):
        kind, mask = element.get("type", ""), element.get("cpuset", "")
        if mask.count(",") >= MOST_WORDS:
            raise ValueError(f"a CPU mask has more than {WORD_BITS * MOST_WORDS} bits")
        if kind and mask:
            yield element, kind, parse_mask(mask)


def parse_mask(text: str) -> Cpus:
    """Return the CPUs of a mask such as ``0x00000001,0x0000ffff``, the last word the lowest.

    Raises ValueError: it is no mask. hwloc's infinite ones (``0xf...f``) are none of CPUs either.
    """
    words = [int(word, 16) if word else 0 for word in text.split(",")]
    if not all(0 <= word < 1 << WORD_BITS for word in words):
        raise ValueError(f"'{text[:40]}' is not a CPU mask in words of {WORD_BITS} bits")
    return tuple(
        WORD_BITS * place + bit
        for place, word in enumerate(reversed(words))
        for bit in range(word.bit_length())
        if word >> bit & 1
    )


def _number(element: ET.Element, name: str = "os_index") -> int | None:
    text = element.get(name, "")
    return int(text) if text.isdecimal() else None


def _cpus(
    objects: list[tuple[ET.Element, str, Cpus]], nodes: tuple[NumaNode, ...]
) -> tuple[Cpu, ...]:
    node_of = {cpu: node.node for node in nodes for cpu in node.cpus}
    package_of = _owners(objects, ("Package", "Socket"))
    die_of = _owners(objects, ("Die",))
    core_of = {cpu: min(cpus) for _, kind, cpus in objects if kind == "Core" for cpu in cpus}
    units = sorted(cpus[0] for _, kind, cpus in objects if kind == "PU" and cpus)
    return tuple(
        Cpu(
            cpu=cpu,
            core=core_of.get(cpu, cpu),
            die=die_of.get(cpu, 0),
            package=package_of.get(cpu, 0),
            node=node_of.get(cpu, 0),
        )
        for cpu in units
    )


def _owners(objects: list[tuple[ET.Element, str, Cpus]], kinds: tuple[str, ...]) -> dict[int, int]:
    """Which object of these kinds each CPU belongs to; one without a number is counted."""
    found: dict[int, int] = {}
    named = [(element, cpus) for element, kind, cpus in objects if kind in kinds]
    for count, (element, cpus) in enumerate(named):
        number = _number(element)
        found.update(dict.fromkeys(cpus, count if number is None else number))
    return found


def _nodes(
    objects: list[tuple[ET.Element, str, Cpus]], distances: dict[int, tuple[int, ...]]
) -> tuple[NumaNode, ...]:
    """Each with the CPUs that are nearest to it and to none of a lower number.

    hwloc also gives CPUs to memory that has none of its own: high-bandwidth memory, that of a
    device. Firmware numbers it after the memory in which processes begin.
    """
    known = {
        number: (cpus, _number(element, "local_memory"))
        for element, kind, cpus in objects
        if kind == "NUMANode" and (number := _number(element)) is not None
    }
    taken: set[int] = set()
    found = []
    for number, (cpus, memory) in sorted(known.items()):
        own = tuple(cpu for cpu in cpus if cpu not in taken)
        taken.update(own)
        found.append(NumaNode(number, own, memory, distances.get(number, ())))
    return tuple(found)


def _distances(root: ET.Element) -> dict[int, tuple[int, ...]]:
    """The rows of the latencies between NUMA nodes, by number, as firmware counts: 10 is near."""
    for matrix in root.iter("distances2"):
        of_latencies = not (_number(matrix, "kind") or 0) & BANDWIDTHS
        numbered = matrix.get("indexing", "os") == "os"
        if matrix.get("type") == "NUMANode" and numbered and of_latencies:
            indices = [int(word) for each in matrix.findall("indexes") for word in _words(each)]
            values = [int(word) for each in matrix.findall("u64values") for word in _words(each)]
            size = len(indices)
            if size and len(values) == size * size:
                rows = [tuple(values[row * size : (row + 1) * size]) for row in range(size)]
                return dict(zip(indices, rows, strict=True))
    for matrix in root.iter("distances"):  # version 1: relative to latency_base
        size = int(matrix.get("nbobjs", "0"))
        base = float(matrix.get("latency_base", "1"))
        latencies = [round(base * float(v.get("value", "0"))) for v in matrix.findall("latency")]
        if size and len(latencies) == size * size:
            return {row: tuple(latencies[row * size : (row + 1) * size]) for row in range(size)}
    return {}


def _words(element: ET.Element) -> list[str]:
    return (element.text or "").split()


def _caches(objects: list[tuple[ET.Element, str, Cpus]]) -> tuple[Cache, ...]:
    shares: dict[tuple[int, str], set[Cpus]] = {}
    sizes: dict[tuple[int, str], int] = {}
    for element, kind, cpus in objects:
        level, size = _number(element, "depth"), _number(element, "cache_size")
        if "Cache" not in kind or kind == MEMORY_CACHE or level is None or size is None:
            continue
        key = (level, CACHE_KINDS.get(element.get("cache_type", ""), "unified"))
        shares.setdefault(key, set()).add(cpus)
        sizes[key] = max(size, sizes.get(key, 0))
    return caches_of(shares, sizes)


def _model(root: ET.Element) -> str | None:
    for info in root.iter("info"):
        if info.get("name") == "CPUModel" and info.get("value"):
            return " ".join(str(info.get("value")).split())
    return None
