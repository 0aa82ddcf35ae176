# SPDX-License-Identifier: BSD-3-Clause
"""A picture of a node: packages, memory domains, shared caches and cores, and the ranks on them.

Drawn as SVG in the colours of the page, so that it follows from light to dark without a script.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup, escape

from transrank.lab import units
from transrank.lab.machine.files import format_list, parse_list
from transrank.lab.store.records import Placement

CELL, GAP, PAD, TITLE = 26, 4, 8, 16
CORES_IN_A_ROW = 8
MOST_WIDTH = 760
COLUMNS = ("cpu", "core", "die", "package", "domain")


@dataclass(frozen=True, slots=True)
class Picture:
    """The drawing, what it shows in words, and a sentence below it."""

    svg: Markup
    description: str
    caption: str


@dataclass(slots=True)
class _Core:
    key: tuple[int, int, int]
    domain: int
    cpus: list[int] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Box:
    """A titled rectangle; `parts` are boxes inside, laid out in rows, or `cores`."""

    title: str
    color: str
    parts: tuple[_Box, ...] = ()
    cores: tuple[_Core, ...] = ()


def node_picture(machine: Mapping[str, Any], placement: Placement | None) -> Picture | None:
    """Draw a machine's stored map, with the ranks on its first host; None where none is stored."""
    cores = _cores(machine.get("map"))
    if not cores:
        return None
    loose = _seat_ranks(cores, placement)
    box = _node(machine, cores)
    width, height, drawn = _draw(box, 0, 0)
    svg = Markup(  # noqa: S704 every part is ours or escaped
        f'<svg viewBox="0 0 {width} {height}" style="max-width:{width}px" font-size="11" '
        f'fill="var(--ink)">{drawn}</svg>'
    )
    return Picture(svg, _description(cores, machine), _caption(placement, loose))


def _cores(stored: object) -> list[_Core]:
    if not isinstance(stored, Mapping) or not all(
        isinstance(stored.get(name), Sequence) for name in COLUMNS
    ):
        return []
    found: dict[tuple[int, int, int], _Core] = {}
    for cpu, core, die, package, domain in zip(*(stored[name] for name in COLUMNS), strict=False):
        key = (package, die, core)
        found.setdefault(key, _Core(key, domain)).cpus.append(cpu)
    return list(found.values())


def _seat_ranks(cores: Sequence[_Core], placement: Placement | None) -> list[int]:
    """Put each rank of the first host on its core; return those that may use several cores."""
    if placement is None:
        return []
    core_of = {cpu: core for core in cores for cpu in core.cpus}
    loose = []
    for rank, (host, binding) in enumerate(
        zip(placement.rank_host, placement.binding, strict=False)
    ):
        if host != 0:
            continue
        keys = {core_of[cpu].key: core_of[cpu] for cpu in parse_list(binding) if cpu in core_of}
        if len(keys) == 1:
            next(iter(keys.values())).ranks.append(rank)
        else:
            loose.append(rank)
    return loose


def _node(machine: Mapping[str, Any], cores: Sequence[_Core]) -> _Box:
    packages = tuple(
        _Box(
            f"package {package}",
            "var(--rule)",
            tuple(
                _domain(machine, domain, [core for core in cores if core.key[0] == package])
                for domain in sorted({core.domain for core in cores if core.key[0] == package})
            ),
        )
        for package in sorted({core.key[0] for core in cores})
    )
    return _Box(str(machine.get("cpu") or "node"), "none", packages)


def _domain(machine: Mapping[str, Any], domain: int, cores: Iterable[_Core]) -> _Box:
    here = tuple(core for core in cores if core.domain == domain)
    memory = next(
        (
            node.get("memory_bytes")
            for node in machine.get("numa", ())
            if isinstance(node, Mapping) and node.get("node") == domain
        ),
        None,
    )
    title = f"domain {domain}" + (f", {units.format_bytes(memory)}" if memory else "")
    return _Box(title, "var(--series-1)", _by_cache(machine, here))


def _by_cache(machine: Mapping[str, Any], cores: tuple[_Core, ...]) -> tuple[_Box, ...]:
    """The cores by the outermost cache that several of them share."""
    caches = [cache for cache in machine.get("caches", ()) if isinstance(cache, Mapping)]
    for cache in sorted(caches, key=lambda cache: -int(cache.get("level", 0))):
        groups = [set(parse_list(str(group))) for group in cache.get("groups", ())]
        shared = [tuple(core for core in cores if group & set(core.cpus)) for group in groups]
        shared = [members for members in shared if members]
        if any(len(members) > 1 for members in shared):
            title = f"L{cache.get('level')} {units.format_bytes(int(cache.get('bytes', 0)))}"
            return tuple(_Box(title, "var(--grid)", cores=members) for members in shared)
    return (_Box("", "none", cores=cores),)


def _draw(box: _Box, x: int, y: int) -> tuple[int, int, str]:
    """Width, height and SVG of a box whose corner is at (x, y)."""
    top = y + PAD + (TITLE if box.title else 0)
    if box.cores:
        inner_width, inner_height, drawn = _draw_cores(box.cores, x + PAD, top)
    else:
        inner_width, inner_height, drawn = _draw_parts(box.parts, x + PAD, top)
    width = max(inner_width, 7 * len(box.title)) + 2 * PAD
    height = top - y + inner_height + PAD
    frame = (
        f'<rect x="{x + 1}" y="{y + 1}" width="{width - 2}" height="{height - 2}" rx="4" '
        f'fill="none" stroke="{box.color}"/>'
    )
    title = f'<text x="{x + PAD}" y="{y + PAD + 10}">{escape(box.title)}</text>'
    return width, height, frame + (title if box.title else "") + drawn


def _draw_parts(parts: Sequence[_Box], x: int, y: int) -> tuple[int, int, str]:
    """Boxes side by side, in rows that are no wider than the page."""
    drawn, widest, row_width, row_height, top = "", 0, 0, 0, y
    for part in parts:
        width, height, _ = _draw(part, 0, 0)
        if row_width and row_width + width > MOST_WIDTH:
            top, row_width, row_height = top + row_height + GAP, 0, 0
        drawn += _draw(part, x + row_width, top)[2]
        row_width, row_height = row_width + width + GAP, max(row_height, height)
        widest = max(widest, row_width - GAP)
    return widest, top + row_height - y, drawn


def _draw_cores(cores: Sequence[_Core], x: int, y: int) -> tuple[int, int, str]:
    drawn = ""
    columns = min(len(cores), CORES_IN_A_ROW)
    for index, core in enumerate(cores):
        left = x + index % columns * (CELL + GAP)
        top = y + index // columns * (CELL + GAP)
        taken = bool(core.ranks)
        names = ",".join(map(str, core.ranks[:2])) + ("…" if len(core.ranks) > 2 else "")
        text = f"core with CPUs {format_list(tuple(core.cpus))}"
        text += f": rank {', '.join(map(str, core.ranks))}" if taken else ": no rank"
        drawn += (
            f'<g><title>{escape(text)}</title><rect x="{left}" y="{top}" width="{CELL}" '
            f'height="{CELL}" rx="3" fill="{"var(--series-1)" if taken else "var(--quiet)"}" '
            f'stroke="var(--rule)"/>'
            f'<text x="{left + CELL // 2}" y="{top + CELL // 2 + 4}" text-anchor="middle" '
            f'fill="{"var(--page)" if taken else "var(--muted)"}">'
            f"{escape(names if taken else core.cpus[0])}</text></g>"
        )
    rows = -(-len(cores) // columns)
    return columns * (CELL + GAP) - GAP, rows * (CELL + GAP) - GAP, drawn


def _description(cores: Sequence[_Core], machine: Mapping[str, Any]) -> str:
    domains = sorted({core.domain for core in cores})
    parts = []
    for domain in domains:
        here = [core for core in cores if core.domain == domain]
        ranks = sorted(rank for core in here for rank in core.ranks)
        seated = f"ranks {format_list(tuple(ranks))}" if ranks else "no rank"
        parts.append(f"domain {domain} of package {here[0].key[0]}: {len(here)} cores, {seated}")
    return f"The node {machine.get('host', '')}. {'; '.join(parts)}."


def _caption(placement: Placement | None, loose: Sequence[int]) -> str:
    text = "Filled cores carry the rank of that number, the others show the number of their CPU."
    if placement is None:
        return text
    if len(placement.hosts) > 1:
        text += f" Ranks of {placement.hosts[0]}, the first of {len(placement.hosts)} hosts."
    if loose:
        text += (
            f" Rank{'' if len(loose) == 1 else 's'} {format_list(tuple(loose))} may use several "
            "cores and stand on none."
        )
    return text
