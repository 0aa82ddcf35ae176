# SPDX-License-Identifier: BSD-3-Clause
"""Record lines as transrank writes them, for tests: change what a test is about, keep the rest."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

Line = dict[str, Any]

SHAPE = {"ranks": 2, "ranks_per_node": 0}
MPI = {"library": "MPICH Version: 5.0.2", "standard": [5, 0], "thread_level": "single"}
PLACEMENT = {"hosts": ["node0"], "rank_host": [0, 0], "binding": ["0", "1"], "cores": [0, 1]}
CLOCK = {"name": "CLOCK_MONOTONIC_RAW", "resolution_seconds": 1e-9, "cost_seconds": 2.1e-8}


def header(**changes: Any) -> Line:
    """A header; a change to None leaves the field out."""
    line: Line = {
        "kind": "header",
        "schema": 2,
        "run": "20261120-123456-ab12",
        "created": "2026-11-20T12:34:56Z",
        "transrank": "0.1.0",
        "command": ["transrank", "survey", "--quick"],
        "seed": 7,
        "options": {
            "precision": 0.05,
            "max_time_seconds": 1.0,
            "launches": 3,
            "cache": "warm",
            "synchronisation": "barrier",
        },
        "plan": [],
        "mpi": MPI,
        "placement": PLACEMENT,
        "clock": CLOCK,
        "machine": {},
        "environment": {"OMP_NUM_THREADS": "1"},
    }
    return _changed(line, changes)


def launch(number: int = 0, **changes: Any) -> Line:
    line: Line = {
        "kind": "launch",
        "launch": number,
        "shape": SHAPE,
        "started": 1795178096.5,
        "command": ["transrank-run", "--study", "pingpong"],
        "mpi": MPI,
        "placement": PLACEMENT,
        "clock": CLOCK,
        "synchronisation": {"method": "barrier"},
    }
    return _changed(line, changes)


def _case(size: int, launch: int, status: str, **more: Any) -> Line:
    """A case of pingpong."""
    return {
        "kind": "case",
        "study": "pingpong",
        "case": f"pingpong/{size}B",
        "axes": {"bytes": size},
        "launch": launch,
        "shape": SHAPE,
        "status": status,
        **more,
    }


def case(
    size: int = 1024,
    launch: int = 0,
    seconds: Sequence[float] = (1.1e-6,) * 10,
    flags: Sequence[int] | None = None,
    rounds: Sequence[int] | None = None,
    core_latency_seconds: Sequence[float | None] | None = None,
    core_work_seconds: Sequence[float] | None = None,
    memory_copy_seconds: Sequence[float] | None = None,
    **changes: Any,
) -> Line:
    """A measured pingpong case; `changes` replace or, with None, remove fields."""
    fastest = [0.9 * value for value in seconds]
    probed = {
        "core_latency_seconds": core_latency_seconds,
        "core_work_seconds": core_work_seconds,
        "memory_copy_seconds": memory_copy_seconds,
    }
    line = _case(
        *(size, launch, "ok"),
        stop="precise",
        timing="bulk",
        clocks="root",
        batch=20,
        bytes_counted=float(size),
        measuring_seconds=0.05,
        verified=4 * size,
        samples={
            "seconds": list(seconds),
            "fastest": fastest,
            "flags": list(flags) if flags is not None else [0] * len(seconds),
            "rounds": list(rounds) if rounds is not None else [len(seconds)],
            **{name: list(values) for name, values in probed.items() if values is not None},
        },
        ranks={
            "median": [max(seconds), max(fastest)],
            "minimum": [min(seconds), min(fastest)],
            "mean": [sum(seconds) / len(seconds), sum(fastest) / len(fastest)],
        },
    )
    return _changed(line, changes)


def barrier() -> Line:
    """A case without a size."""
    axes = {"operation": "barrier", "form": "blocking"}
    case_ = "collectives/barrier/blocking"
    return case(study="collectives", case=case_, axes=axes, bytes_counted=0)


def over_ranks(ranks: int) -> Line:
    """How times of many ranks spread, where those of rank i are i + 1 microseconds."""
    at = (0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)
    spread = {
        "count": ranks,
        "first": 1e-6,
        "mean": 1e-6 * (ranks + 1) / 2,
        "quantiles": [1e-6 * (1 + probability * (ranks - 1)) for probability in at],
        "fastest": {"ranks": [0, 1], "seconds": [1e-6, 2e-6]},
        "slowest": {"ranks": [ranks - 1], "seconds": [1e-6 * ranks]},
    }
    return {"ranks": ranks, **dict.fromkeys(("median", "minimum", "mean", "mean_of_all"), spread)}


def outcome() -> Line:
    """What an operation computed: one of each kind."""
    return {
        "values": {"error_mean": 0.25, "mass": 3.0},
        "series": {"time": [0.5, 1.0], "error_mean": [0.125, None]},
        "fields": {"after": {"extents": [2, 3], "values": [1.0, 2.0, 3.0, 4.0, 5.0, 6.5]}},
    }


def memory(
    toucher: Sequence[int], domain: Sequence[int], link: Sequence[str], **changes: Any
) -> Line:
    """Where the ranks and their pages are, of a case of the study `locality`."""
    ranks = len(toucher)
    line: Line = {
        "toucher": list(toucher),
        "domain": list(domain),
        "data_domain": [domain[rank] for rank in toucher],
        "link": list(link),
        "pages": [256] * ranks,
        **{name: [0] * ranks for name in ("package", "pages_elsewhere", "pages_unknown")},
    }
    return _changed(line, changes)


def planned(number: int = 0, cases: Sequence[str] = ("pingpong/1024B",), **changes: Any) -> Line:
    """A launch that the run began without."""
    arguments = ["--study", "pingpong", "--seed", str(number)]
    line: Line = {
        "kind": "planned",
        "launch": number,
        "shape": SHAPE,
        "cases": list(cases),
        "arguments": arguments,
    }
    return _changed(line, changes)


def cores(latency: float | None = 50e-9, work: float | None = 10e-6, **changes: Any) -> Line:
    """The event that names the state of the cores that the run is of."""
    line: Line = {"kind": "event", "event": "cores", "time": "2026-11-20T00:00:00Z", "shape": SHAPE}
    state = {"latency_seconds": latency, "work_seconds": work}
    line |= {name: seconds for name, seconds in state.items() if seconds is not None}
    return _changed(line, changes)


def skipped(size: int = 1024, launch: int = 0, reason: str = "needs 3 GiB", **changes: Any) -> Line:
    return _changed(_case(size, launch, "skipped", reason=reason), changes)


def imported_header(files: int = 1, suite: str = "OSU", **changes: Any) -> Line:
    line: Line = {
        **{name: header()[name] for name in ("kind", "schema", "created", "transrank")},
        "run": "20261120-123456-cd34",
        "command": ["transrank", "import"],
        "imported": [{"file": f"{i}.txt", "suite": suite, "version": "7.4"} for i in range(files)],
    }
    return _changed(line, changes)


def imported_case(size: int = 1024, launch: int = 0, mean: float = 1e-6, **changes: Any) -> Line:
    imported = {"mean": mean, "benchmark": "osu_latency"}
    line = _case(
        size, launch, "ok", timing="imported", bytes_counted=float(size), imported=imported
    )
    return _changed(line, changes)


def event(name: str = "finished", **changes: Any) -> Line:
    return _changed({"kind": "event", "event": name, "time": "2026-11-20T12:40:00Z"}, changes)


def _changed(line: Line, changes: Line) -> Line:
    return {name: value for name, value in (line | changes).items() if value is not None}


def places(value: Any) -> list[tuple[Any, ...]]:
    """The keys and numbers that lead to each value within it."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    below = [(key, places(item) if isinstance(item, dict | list) else []) for key, item in items]
    return [place for key, rest in below for place in ((key,), *((key, *it) for it in rest))]


def text(lines: Iterable[Line]) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


def write(path: Path, lines: Iterable[Line]) -> Path:
    path.write_text(text(lines), encoding="utf-8")
    return path
