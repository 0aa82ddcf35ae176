# SPDX-License-Identifier: BSD-3-Clause
"""The machine of a run as (fact, value) pairs, from the record's header."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transrank.lab import units
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import joined
from transrank.lab.store.records import Placement

Fact = tuple[str, str]


def machine_facts(measured: Measured) -> list[Fact]:
    """The known facts of the run's machine, the most important first."""
    header = measured.run.header
    machine = header.machine
    facts = [
        *_software(measured),
        *(_placement(header.placement) if header.placement else ()),
        *_processor(machine),
        *_memory(machine),
        *_system(machine),
        *_clock(measured),
    ]
    return [(name, value) for name, value in facts if value]


def short_library(library: str) -> str:
    """`MPICH 5.0.2`, `Open MPI v5.0.11`: the first words of the library's version text."""
    return library.split(",")[0].replace(" Version:", "").strip()


def processor(machine: Mapping[str, Any]) -> str:
    """`AMD EPYC, 2 cores, virtual machine`."""
    cores = machine.get("cores")
    return ", ".join(
        part
        for part in (
            _text(machine.get("cpu")),
            units.counted(cores, "core") if isinstance(cores, int) else "",
            _text(machine.get("virtualisation")),
        )
        if part
    )


def _software(measured: Measured) -> Iterator[Fact]:
    header = measured.run.header
    if header.mpi:
        standard = ".".join(map(str, header.mpi.standard))
        yield (
            "MPI",
            f"{header.mpi.library} (MPI {standard}, thread level {header.mpi.thread_level})",
        )
    for suite in dict.fromkeys((file.suite, file.version) for file in header.imported):
        yield "imported from", " ".join(suite)


def _placement(placement: Placement) -> Iterator[Fact]:
    hosts = list(placement.hosts)
    shown = (
        joined(hosts) if len(hosts) <= 4 else f"{', '.join(hosts[:3])} and {len(hosts) - 3} more"
    )
    yield "host" if len(hosts) == 1 else "hosts", shown
    lists = list(dict.fromkeys(placement.binding))
    if len(lists) == 1:
        bound = f"every rank may use CPUs {lists[0]}"
    else:
        ranks = [f"rank {rank} on CPU {cpus}" for rank, cpus in enumerate(placement.binding)]
        more = "" if len(ranks) <= 4 else f" and {len(ranks) - 4} more"
        bound = f"{', '.join(ranks[:4])}{more}"
    yield "binding", bound


def _processor(machine: Mapping[str, Any]) -> Iterator[Fact]:
    parts = [
        units.counted(machine[name], singular)
        for name, singular in (("packages", "package"), ("numa_nodes", "NUMA node"))
        if isinstance(machine.get(name), int)
    ]
    if isinstance(machine.get("cores"), int):
        threads = machine.get("threads_per_core")
        per_core = f" of {units.counted(threads, 'thread')}" if isinstance(threads, int) else ""
        parts.append(units.counted(machine["cores"], "core") + per_core)
    yield (
        "processor",
        "; ".join(part for part in (_text(machine.get("cpu")), ", ".join(parts)) if part),
    )
    caches = [
        f"L{cache['level']}{_cache_kind(cache)} {units.format_bytes(cache['bytes'])}"
        + (f" for {units.counted(cache['shared_by'], 'CPU')}" if cache.get("shared_by") else "")
        for cache in machine.get("caches", ())
        if isinstance(cache, Mapping) and "level" in cache and "bytes" in cache
    ]
    yield "caches", ", ".join(caches)


def _cache_kind(cache: Mapping[str, Any]) -> str:
    return {"data": "d", "instruction": "i"}.get(str(cache.get("kind", "")).lower(), "")


def _memory(machine: Mapping[str, Any]) -> Iterator[Fact]:
    memory = machine.get("memory")
    if not isinstance(memory, Mapping):
        return
    parts = [
        f"{units.format_bytes(memory[name])}{word}"
        for name, word in (
            ("total_bytes", ""),
            ("available_bytes", " available"),
            ("shared_memory_bytes", " in /dev/shm"),
        )
        if memory.get(name)
    ]
    pages = memory.get("transparent_huge_pages")
    if pages:
        parts.append(f"transparent huge pages: {pages}")
    yield "memory", ", ".join(parts)


def _system(machine: Mapping[str, Any]) -> Iterator[Fact]:
    governor, turbo = _text(machine.get("governor")), machine.get("turbo")
    parts = [f"governor {governor}"] if governor else []
    if isinstance(turbo, bool):
        parts.append("turbo on" if turbo else "turbo off")
    yield "frequency", ", ".join(parts)
    yield "kernel", _text(machine.get("kernel"))
    yield "runs in", _text(machine.get("virtualisation"))
    load = machine.get("load")
    if isinstance(load, Mapping) and isinstance(load.get("busy_cores"), int | float):
        yield "load before", f"{load['busy_cores']:.1f} cores busy"


def _clock(measured: Measured) -> Iterator[Fact]:
    clock = measured.run.header.clock
    if clock:
        resolution = units.format_seconds(clock.resolution_seconds)
        cost = units.format_seconds(clock.cost_seconds)
        source = _text(measured.run.header.machine.get("clock_source"))
        from_kernel = f", kernel clock source {source}" if source else ""
        yield "clock", f"{clock.name}: resolution {resolution}, a reading takes {cost}{from_kernel}"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
