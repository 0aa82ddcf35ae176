# SPDX-License-Identifier: BSD-3-Clause
"""The conditions under which runs were measured: what makes two of them unlike."""

from __future__ import annotations

from transrank import units
from transrank.stats.advice import busy_machine
from transrank.stats.cores import states_of
from transrank.store.lines import Header
from transrank.store.records import Run


def differences(baseline: Run, candidate: Run) -> list[str]:
    """What makes the two runs unlike, in words: `MPI: MPICH 5.0 / Open MPI 5.0`.

    What one of them does not tell, such as the MPI of imported results, is no difference.
    """
    ours, theirs = _conditions(baseline), _conditions(candidate)
    return [
        f"{name}: {value} / {theirs[name]}"
        for name, value in ours.items()
        if name in theirs and theirs[name] != value
    ] + _cores(baseline, candidate)


def obstacle(baseline: Run, candidate: Run) -> str | None:
    """Why no verdict between the runs is possible, whatever their values; None where it is."""
    for name, run in (("baseline", baseline), ("candidate", candidate)):
        for caution in busy_machine(run):
            return f"of the {name}, {caution.text}"
    cores = _cores(baseline, candidate)
    return f"the cores were not in one state: {cores[0]}" if cores else None


def _cores(baseline: Run, candidate: Run) -> list[str]:
    """In which shapes the runs are of cores in different states."""
    ours, theirs = states_of(baseline), states_of(candidate)
    return [
        f"state of the cores ({shape}): {ours[shape]} / {theirs[shape]}"
        for shape in sorted(ours.keys() & theirs.keys())
        if not ours[shape].like(theirs[shape])
    ]


def _conditions(run: Run) -> dict[str, str]:
    header = run.header
    shapes = {str(case.shape) for case in run.cases}
    conditions = {
        "source": ", ".join(sorted({f"{file.suite} {file.version}" for file in header.imported}))
        or "transrank",
        "shapes": "; ".join(sorted(shapes)) or "none",
    }
    if header.mpi is not None:
        conditions["MPI"] = header.mpi.library
        conditions["thread level"] = header.mpi.thread_level
    conditions |= _measuring_conditions(header)
    return conditions


def _measuring_conditions(header: Header) -> dict[str, str]:
    conditions = {}
    if header.options is not None:
        conditions["cache"] = header.options.cache
        conditions["buffer offset"] = units.format_bytes(header.options.buffer_offset)
        conditions["synchronisation"] = header.options.synchronisation
    if header.placement is not None:
        conditions["nodes"] = str(len(set(header.placement.hosts)))
        conditions["binding"] = " ".join(header.placement.binding[:4])
    threads = header.environment.get("OMP_NUM_THREADS")
    if threads is not None:
        conditions["OMP_NUM_THREADS"] = threads
    return conditions
