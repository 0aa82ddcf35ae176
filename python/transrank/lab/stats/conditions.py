# SPDX-License-Identifier: BSD-3-Clause
"""The conditions under which runs were measured: what makes two of them unlike."""

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
    ours, theirs = states_of(baseline), states_of(candidate)
    common = _common_states(baseline, candidate)
    for shape in ours.keys() & theirs.keys() - common.keys():
        return f"different {_unlike(shape, ours[shape], theirs[shape])}"
    return None


def summarise_both(baseline: Run, candidate: Run) -> tuple[list[CaseResult], list[CaseResult]]:
    """Summarise the runs by what they measured with the cores in the same state.

    Each by its own where the two are alike. Else by the one of the two states in which both have
    launches, the more in the run that has fewer; the values then differ from those that one of the
    runs has by itself.
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
    """In which shapes the runs are of cores in different states, and what is compared then."""
    ours, theirs = states_of(baseline), states_of(candidate)
    common = _common_states(baseline, candidate)
    return [
        _unlike(shape, ours[shape], theirs[shape])
        + (f"; judged by what both measured {common[shape]}" if shape in common else "")
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
