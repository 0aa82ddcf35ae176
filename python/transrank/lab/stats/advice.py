# SPDX-License-Identifier: BSD-3-Clause
"""Warnings, each with a hint: why a result is doubtful, and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from transrank.lab.stats.cores import MOVED, SLOWED, CoreState, other_rounds, states_of
from transrank.lab.stats.discoveries import discoveries
from transrank.lab.stats.launches import LEAST_LAUNCHES
from transrank.lab.stats.placement import oversubscription, pinning, shared_cores
from transrank.lab.stats.result import CaseResult, Caution
from transrank.lab.stats.selection import MOST_SLOWED, after_warm_up
from transrank.lab.store.lines import Launch
from transrank.lab.store.records import Case, Run, lacking
from transrank.lab.store.runs import resume_command
from transrank.lab.units import counted, format_percent, format_seconds, format_spread

# Below this share of undisturbed samples the machine counts as busy.
LEAST_KEPT = 0.9
# So does one on which ranks wait for their cores for more than this share of the measuring time.
LEAST_WAITED = 0.1
# Events of a run that ended before its plan was complete.
ENDED_EARLY = ("interrupted", "launch-failed")
# A smaller share of rounds with the cores in another state is not worth a warning.
LEAST_ELSEWHERE = 0.1
# A trend smaller than this from the first to the last round is not worth a warning.
LEAST_DRIFT = 0.03
# Launches of cases whose samples are counted at once.
AT_ONCE = 1000


def case_warnings(result: CaseResult) -> tuple[Caution, ...]:
    """The warnings of one case; `run_warnings` has those of the run as a whole."""
    return tuple(_case_warnings(result))


def _case_warnings(result: CaseResult) -> Iterable[Caution]:
    if result.groups is not None:
        (fast, many), (slow, few) = result.groups.fast, result.groups.slow
        yield Caution(
            f"the launches fall into two groups: {format_seconds(fast)} in {many} "
            f"and {format_seconds(slow)} in {few}",
            "quote both values, or take more launches",
        )
    if result.basis == "all" and result.samples:
        yield Caution(
            "too few samples are undisturbed, so all samples count",
            "measure on an idle machine, or with a core for each rank",
        )
    elif result.basis == "any speed":
        yield Caution(
            "cores were slower than at their best for most of the samples, so samples at any speed "
            "count",
            "`transrank doctor` names running processes, and the governor of the clock rate",
        )
    elif result.basis == "any cores":
        yield Caution(
            "too few launches had the cores in the state of the run, so rounds in other states "
            "count as well",
            "measure again, for longer",
        )
    if result.launches_left_out:
        launches = len(result.launches) + result.launches_left_out
        yield Caution(
            f"{result.launches_left_out} of {launches} launches are left out: too few of their "
            "samples were undisturbed and taken with the cores in the state of the run",
            "measure on an idle machine, or for longer",
        )
    if result.status == "wide" and result.headline is not None:
        yield _wide(result)


def _wide(result: CaseResult) -> Caution:
    assert result.headline is not None
    width = result.headline.relative_width
    if width is None:
        launches = counted(len(result.launches), "launch counts", "launches count")
        return Caution(
            f"{launches}, but an interval needs {LEAST_LAUNCHES}",
            "take more --launches",
        )
    return Caution(
        f"the 95 % interval spans {format_spread(width)} of the value, which is wider than the "
        "precision",
        "measure for longer, or accept a larger --precision",
    )


def run_warnings(run: Run, results: Sequence[CaseResult]) -> list[Caution]:
    """The warnings of the run as a whole, the most serious first."""
    found: list[Caution] = []
    found += _lost_lines(run)
    found += _unfinished(run)
    found += oversubscription(run.launches)
    found += pinning(run.launches)
    found += _unlike_launches(run)
    found += _few_launches(run, results)
    found += busy_machine(run)
    found += _other_states(run)
    found += _drifting(results)
    found += _two_groups(results)
    said = Counter(text for launch in run.launches for text in launch.warnings)
    found += [Caution(text, "`transrank doctor` examines the machine") for text in said]
    return found


def _lost_lines(run: Run) -> list[Caution]:
    return [
        Caution(problem, f"`{resume_command(run)}` measures the missing cases")
        for problem in run.problems
    ]


def _unfinished(run: Run) -> list[Caution]:
    missing = len(lacking(run))
    if not missing:
        return []
    planned = sum(len(launch.cases) for launch in run.plan)
    said = [event.message for event in run.events if event.event in ENDED_EARLY and event.message]
    why = f" ({said[-1]})" if said else ""
    return [
        Caution(
            f"{missing} of {planned} planned measurements are missing{why}",
            f"`{resume_command(run)}` measures them",
        )
    ]


def _unlike_launches(run: Run) -> list[Caution]:
    libraries = {launch.mpi.library for launch in run.launches}
    hosts = {launch.placement.hosts for launch in _of_the_commonest_shape(run)}
    found = []
    if len(libraries) > 1:
        found.append(
            Caution(
                f"the launches used {len(libraries)} MPI libraries: {'; '.join(sorted(libraries))}",
                "measure each library in a separate run",
            )
        )
    if len(hosts) > 1:
        found.append(
            Caution(
                f"launches of one shape ran on {len(hosts)} different sets of hosts",
                "the intervals include the differences between hosts; request fixed nodes from "
                "the batch system",
            )
        )
    return found


def _of_the_commonest_shape(run: Run) -> list[Launch]:
    if not run.launches:
        return []
    shape = Counter(launch.shape for launch in run.launches).most_common(1)[0][0]
    return [launch for launch in run.launches if launch.shape == shape]


def _few_launches(run: Run, results: Sequence[CaseResult]) -> list[Caution]:
    measured = [result for result in results if result.measured]
    if run.header.imported or not measured:
        return []
    few = [result for result in measured if len(result.launches) < LEAST_LAUNCHES]
    if not few:
        return []
    left_out = sum(result.launches_left_out > 0 for result in few)
    return [
        Caution(
            f"{len(few)} of {len(measured)} cases have no interval, which needs {LEAST_LAUNCHES} "
            "launches that count",
            "measure on an idle machine, or for longer"
            if left_out == len(few)
            else f"take at least --launches {LEAST_LAUNCHES}",
        ),
    ]


def busy_machine(run: Run) -> list[Caution]:
    """A warning if other processes used the cores while the run was measured, with the share."""
    disturbed, waited = _share_disturbed(run), _share_waited(run)
    signs = []
    if waited >= LEAST_WAITED:
        signs.append(f"ranks waited for their cores during {format_percent(waited)} of the time")
    if disturbed > 1 - LEAST_KEPT or (signs and disturbed):
        signs.append(f"{format_percent(disturbed)} of the samples were disturbed")
    if not signs:
        return []
    hint = "stop other work on these nodes; `transrank doctor` names running processes"
    return [Caution(f"the machine was busy: {'; '.join(signs)}", hint)]


def _share_waited(run: Run) -> float:
    """The share of the time that ranks waited for their cores, in shapes with a core per rank."""
    shared = {launch.shape for launch in run.launches if shared_cores(launch.placement)}
    alone = [case for case in run.cases if case.shape not in shared]
    measuring = sum(case.measuring_seconds or 0.0 for case in alone)
    return sum(case.waited_seconds or 0.0 for case in alone) / measuring if measuring else 0.0


def _share_disturbed(run: Run) -> float:
    """The share of the samples after warm-up that a flag disqualifies."""
    sampled = [case.samples for case in run.cases if case.samples is not None]
    taken = disturbed = 0
    for begin in range(0, len(sampled), AT_ONCE):
        flags, after, _ = after_warm_up(sampled[begin : begin + AT_ONCE])
        taken += int(np.count_nonzero(after))
        disturbed += int(np.count_nonzero(flags[after]))
    return disturbed / taken if taken else 0.0


def _other_states(run: Run) -> list[Caution]:
    states = states_of(run)
    found: list[Caution] = []
    for shape, state in states.items():
        cases = [case for case in run.cases if case.shape == shape]
        found += _elsewhere(state, cases, f"{shape}: " if len(states) > 1 else "")
    return found


def _elsewhere(state: CoreState, cases: Sequence[Case], shape: str) -> Iterable[Caution]:
    """Warnings of rounds that do not count because of the state of the cores."""
    others = other_rounds(cases, state)
    if others.moved >= LEAST_ELSEWHERE and state.latency_seconds is not None:
        there = ""
        if others.nearest_seconds is not None and others.farthest_seconds is not None:
            span = (others.nearest_seconds, others.farthest_seconds)
            there = f" ({format_seconds(span[0])} to {format_seconds(span[1])})"
        yield Caution(
            f"{shape}in {format_percent(others.moved)} of the rounds the cores of the first two "
            f"ranks were not {format_seconds(state.latency_seconds)} apart; a cache line between "
            f"them took more or less by a factor of {MOVED}{there}, and these rounds do not count",
            "bind ranks to cores, and the CPUs of a virtual machine to those of its host",
        )
    if others.slowed >= LEAST_ELSEWHERE:
        counts = "count as well" if others.slowed > MOST_SLOWED else "do not count"
        yield Caution(
            f"{shape}in {format_percent(others.slowed)} of the rounds some rank's core was slower "
            f"by {100 * (SLOWED - 1):.0f} % or more, and these rounds {counts}",
            "`transrank doctor` names running processes, and the governor of the clock rate",
        )


def _drifting(results: Sequence[CaseResult]) -> list[Caution]:
    tested = [(result, result.drift) for result in results if result.drift is not None]
    believed = discoveries([drift.p_value for _, drift in tested])
    found = [
        (abs(drift.change), result, drift)
        for (result, drift), real in zip(tested, believed, strict=True)
        if real and abs(drift.change) >= LEAST_DRIFT
    ]
    if not found:
        return []
    _, result, drift = max(found, key=lambda each: each[0])
    direction = "slower" if drift.change > 0 else "faster"
    return [
        Caution(
            f"{len(found)} of {len(tested)} cases drift from round to round; the largest drift: "
            f"{result.case} becomes {direction} (p = {drift.p_value:.1g})",
            "measure again later; `transrank doctor` names running processes",
        )
    ]


def _two_groups(results: Sequence[CaseResult]) -> list[Caution]:
    split = [(result.groups.gap, result) for result in results if result.groups is not None]
    if not split:
        return []
    gap, result = max(split, key=lambda each: each[0])
    return [
        Caution(
            f"in {len(split)} of {len(results)} cases the launches fall into two groups; the "
            f"widest gap: {result.case}, {format_percent(gap)}",
            "more launches show how often",
        )
    ]
