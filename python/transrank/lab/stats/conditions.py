# SPDX-License-Identifier: BSD-3-Clause
"""The conditions under which runs were measured, and how those of two runs differ."""

from __future__ import annotations

from transrank.lab import units
from transrank.lab.stats.advice import busy_machine
from transrank.lab.stats.cores import CoreState, states_of
from transrank.lab.stats.launches import LEAST_LAUNCHES
from transrank.lab.stats.result import CaseResult
from transrank.lab.stats.summary import summarise
from transrank.lab.store.lines import Header, Shape
from transrank.lab.store.records import Run


def differences(baseline: Run, candidate: Run) -> list[str]:
    """The differences between two runs, in words: `MPI: MPICH 5.0 / Open MPI 5.0`.

    A condition unknown for one of them, such as the MPI of imported results, is not a difference.
    """
    ours, theirs = _conditions(baseline), _conditions(candidate)
    return [
        f"{name}: {value} / {theirs[name]}"
        for name, value in ours.items()
        if name in theirs and theirs[name] != value
    ] + _cores(baseline, candidate)


def reason_against(baseline: Run, candidate: Run) -> str | None:
    """Why no verdict between the runs is possible, whatever their values; None if one is."""
    for name, run in (("baseline", baseline), ("candidate", candidate)):
        for caution in busy_machine(run):
            return f"in the {name}, {caution.text}"
    ours, theirs = states_of(baseline), states_of(candidate)
    common = _common_states(baseline, candidate)
    for shape in ours.keys() & theirs.keys() - common.keys():
        return f"different {_unlike(shape, ours[shape], theirs[shape])}"
    return None


def summarise_both(baseline: Run, candidate: Run) -> tuple[list[CaseResult], list[CaseResult]]:
    """Summarise the runs from launches with the cores in the same state.

    If the two states are alike, each run is summarised in its own. Else both are summarised in the
    one of the two states in which both have launches (if in both, the state with more launches in
    the run with fewer); the values of one run then differ from those of the run alone.
    """
    common = _common_states(baseline, candidate)
    ours, theirs = states_of(baseline), states_of(candidate)
    return summarise(baseline, ours | common), summarise(candidate, theirs | common)


def _common_states(baseline: Run, candidate: Run) -> dict[Shape, CoreState]:
    """The state of the cores in which the runs compare, for each shape that has one."""
    ours, theirs = states_of(baseline), states_of(candidate)
    found = {}
    for shape in ours.keys() & theirs.keys():
        pair = (ours[shape], theirs[shape])
        if pair[0].like(pair[1]):
            found[shape] = pair[0]
        elif pair[0].as_fast_as(pair[1]):
            launches = [
                min(_launches_in(state, shape, run) for run in (baseline, candidate))
                for state in pair
            ]
            if max(launches) >= LEAST_LAUNCHES:
                found[shape] = pair[launches.index(max(launches))]
    return found


def _launches_in(state: CoreState, shape: Shape, run: Run) -> int:
    return len(
        {
            case.launch
            for case in run.cases
            if case.shape == shape and case.samples is not None and state.met_in(case.samples).any()
        }
    )


def _cores(baseline: Run, candidate: Run) -> list[str]:
    """The shapes in which the runs have different states of the cores, and the common one."""
    ours, theirs = states_of(baseline), states_of(candidate)
    common = _common_states(baseline, candidate)
    return [
        _unlike(shape, ours[shape], theirs[shape])
        + (f"; compared by the launches of both with {common[shape]}" if shape in common else "")
        for shape in sorted(ours.keys() & theirs.keys())
        if not ours[shape].like(theirs[shape])
    ]


def _unlike(shape: Shape, ours: CoreState, theirs: CoreState) -> str:
    return f"state of the cores ({shape}): {ours} / {theirs}"


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
    conditions: dict[str, str] = {}
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
