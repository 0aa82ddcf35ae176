# SPDX-License-Identifier: BSD-3-Clause
"""A machine described in a line, in the manner of hwloc's synthetic strings.

    pack:2 numa:2(memory=8GiB) l3:1(size=6MiB) core:6 pu:1 distances:10,16,22,28,16,10,...

Each word says how many of a kind there are in each of the kind before: here two packages with two
memory domains each, six cores a domain. CPUs are numbered from the inside out. `distances` has the
rows of the matrix between domains one after another.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from transrank.lab.machine.topology import Cpu, NumaNode, Topology, caches_of
from transrank.lab.units import parse_size

KINDS = {
    "pack": "package", "package": "package", "socket": "package", "die": "die",
    "numa": "domain", "node": "domain", "numanode": "domain", "core": "core", "pu": "cpu",
    **{name: f"l{level}" for level in range(1, 6) for name in (f"l{level}", f"l{level}cache")},
}  # fmt: skip
CACHE_BYTES = {"l1": 32 << 10, "l2": 512 << 10, "l3": 16 << 20, "l4": 64 << 20, "l5": 128 << 20}
MOST_CPUS = 1 << 16
_WORD = re.compile(
    r"(?P<kind>[A-Za-z]+\d?[A-Za-z]*):(?P<count>\d{1,4})(?:\((?P<with>[^()]*)\))?", re.ASCII
)


@dataclass(frozen=True)
class _Level:
    kind: str
    count: int
    bytes: int | None


def read_text(text: str) -> Topology:
    """Return the machine that a line describes.

    Raises ValueError: a word that means nothing, a kind twice, more CPUs than any machine has, or
    distances that are no square matrix of the domains.
    """
    words = text.split()
    rows = [word.partition(":")[2] for word in words if word.startswith("distances:")]
    levels = [_level(word) for word in words if not word.startswith("distances:")]
    cpus = math.prod(level.count for level in levels)
    if not levels or not cpus:
        raise ValueError(
            f"'{text}' does not describe a machine; write e.g. 'pack:2 numa:2 core:6 pu:1'"
        )
    if cpus > MOST_CPUS:
        raise ValueError(f"the line describes {cpus} CPUs; at most {MOST_CPUS} can be shown")
    kinds = [level.kind for level in levels]
    twice = next((kind for kind in kinds if kinds.count(kind) > 1), None)
    if twice is not None:
        raise ValueError(
            f"the line has '{twice}' twice; give each kind once, from outermost to innermost"
        )
    return _build(levels, cpus, _matrix(rows, text))


def _level(word: str) -> _Level:
    found = _WORD.fullmatch(word)
    kind = found["kind"].lower() if found else ""
    if found is None or kind not in KINDS:
        raise ValueError(
            f"'{word}' does not describe a part of a machine; known: {', '.join(KINDS)}"
        )
    sizes = dict(part.split("=", 1) for part in (found["with"] or "").split(",") if "=" in part)
    size = sizes.get("memory") or sizes.get("size")
    return _Level(KINDS[kind], int(found["count"]), parse_size(size) if size else None)


def _matrix(rows: list[str], text: str) -> list[tuple[int, ...]]:
    values = [int(word) for row in rows for word in row.split(",") if word.isdecimal()]
    size = math.isqrt(len(values))
    if size * size != len(values):
        raise ValueError(f"'{text}': {len(values)} distances do not form a square matrix")
    return [tuple(values[row * size : (row + 1) * size]) for row in range(size)]


def _build(levels: list[_Level], cpus: int, distances: list[tuple[int, ...]]) -> Topology:
    place: dict[str, list[int]] = {}
    groups: dict[str, list[tuple[int, ...]]] = {}
    each = cpus
    for level in levels:
        each //= level.count
        place[level.kind] = [cpu // each for cpu in range(cpus)]
        groups[level.kind] = [tuple(range(first, first + each)) for first in range(0, cpus, each)]
    sizes = {level.kind: level.bytes for level in levels}
    domains = groups.get("domain", [tuple(range(cpus))])
    if distances and len(distances) != len(domains):
        raise ValueError(
            f"there are distances of {len(distances)} domains, but the machine has {len(domains)}"
        )

    def of(kind: str, cpu: int, otherwise: int) -> int:
        return place[kind][cpu] if kind in place else otherwise

    caches = {(int(kind[1]), "unified"): set(groups[kind]) for kind in groups if kind[0] == "l"}
    return Topology(
        model="synthetic",
        cpus=tuple(
            Cpu(
                cpu=cpu,
                core=of("core", cpu, cpu),
                die=of("die", cpu, 0),
                package=of("package", cpu, 0),
                node=of("domain", cpu, 0),
            )
            for cpu in range(cpus)
        ),
        caches=caches_of(
            caches, {key: sizes[f"l{key[0]}"] or CACHE_BYTES[f"l{key[0]}"] for key in caches}
        ),
        nodes=tuple(
            NumaNode(node, members, sizes.get("domain"), distances[node] if distances else ())
            for node, members in enumerate(domains)
        ),
        source="synthetic",
    )
