# SPDX-License-Identifier: BSD-3-Clause
"""Warnings, each with a hint: what makes a result doubtful, and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from transrank.stats.core_distance import CoreLatency
from transrank.stats.core_speed import SLOWED, CoreSpeed
from transrank.stats.core_state import CoreState, core_states
from transrank.stats.discoveries import discoveries
from transrank.stats.estimate import Estimate
from transrank.stats.placement import oversubscription, pinning, shared_cores
from transrank.stats.result import CaseResult, Caution
from transrank.store.lines import Launch, Shape
from transrank.store.records import Run, finished_cases
from transrank.store.runs import resume_command
from transrank.units import format_percent, format_seconds, format_spread

# Below this share of undisturbed samples the machine counts as busy.
LEAST_KEPT = 0.9
# So does one on which ranks wait for their cores for more than this share of the measuring time.
LEAST_WAITED = 0.1
# What the record says of why a run ended before its plan did.
ENDED_EARLY = ("interrupted", "launch-failed")
# A smaller share of rounds on slowed cores is not worth a warning.
LEAST_SLOWED = 0.1
# A median of fewer samples than this has no 95 % interval of its own.
FEW_CLEAN = 6
# A trend smaller than this from the first to the last round is not worth a warning.
LEAST_DRIFT = 0.03
MOVING_HINT = "bind ranks to cores, and the CPUs of a virtual machine to those of its host"


def case_warnings(result: CaseResult) -> tuple[Caution, ...]:
    """What to beware of in one case; `run_warnings` speaks of the run as a whole."""
    return tuple(_case_warnings(result))


def _case_warnings(result: CaseResult) -> Iterable[Caution]:
    if result.groups is not None:
        (fast, many), (slow, few) = result.groups.fast, result.groups.slow
        yield Caution(
            f"the launches fall into two groups: {format_seconds(fast)} in {many} "
            f"and {format_seconds(slow)} in {few}",
            "quote both values, or take more launches",
        )
    if result.all_used:
        yield Caution(
            f"only {format_percent(result.kept)} of {result.samples} samples are undisturbed: "
            "too few, so that the disturbed ones count too",
            "measure on an idle machine or raise --max-time",
        )
    elif result.disturbed and result.clean < FEW_CLEAN:
        yield Caution(
            f"only {result.clean} of {result.samples} samples are undisturbed"
            f"{' and of the usual cores' if result.unusual else ''}, and they alone count",
            "measure on an idle machine or raise --max-time",
        )
    if result.launches_left_out:
        launches = len(result.launches) + result.launches_left_out
        yield Caution(
            f"{result.launches_left_out} of {launches} launches are left out: "
            "all their samples were disturbed"
            + (
                ", or taken with the cores farther apart or slower than usual"
                if result.unusual
                else ""
            ),
            "measure on an idle machine or raise --max-time",
        )
    if result.status == "unstable" and result.headline is not None:
        yield _unstable(result.headline)
    if result.status == "differing":
        yield Caution(
            f"each launch is precise, but the launches lie {format_percent(result.launch_spread)} "
            "apart",
            "take more --launches",
        )


def _unstable(value: Estimate) -> Caution:
    if value.relative_width is None:
        return Caution(
            "unstable: a single sample counts, which has no interval",
            "raise --max-time or --launches",
        )
    return Caution(
        f"unstable: the 95 % interval spans {format_spread(value.relative_width)} of the value, "
        "and the time was spent",
        "raise --max-time or --launches, or accept a larger --precision",
    )


def run_warnings(run: Run, results: Sequence[CaseResult]) -> list[Caution]:
    """What to beware of in the run as a whole, the most serious first."""
    found: list[Caution] = []
    found += _lost_lines(run)
    found += _unfinished(run)
    found += oversubscription(run.launches)
    found += pinning(run.launches)
    found += _unlike_launches(run)
    found += _few_launches(run, results)
    found += _busy_machine(run, results)
    states = core_states(run.cases)
    found += _moving_cores(states)
    found += _slowed_cores(states)
    found += _drifting(results)
    found += _two_groups(results)
    said = Counter(text for launch in run.launches for text in launch.warnings)
    found += [Caution(text, "`transrank doctor` examines the machine") for text in said]
    return found


def _lost_lines(run: Run) -> list[Caution]:
    return [
        Caution(problem, f"`{resume_command(run.path)}` measures what is missing")
        for problem in run.problems
    ]


def _unfinished(run: Run) -> list[Caution]:
    planned = [(launch.launch, case) for launch in run.header.plan for case in launch.cases]
    done = finished_cases(run)
    lacking = sum(pair not in done for pair in planned)
    if not lacking:
        return []
    said = [event.message for event in run.events if event.event in ENDED_EARLY and event.message]
    why = f" ({said[-1]})" if said else ""
    return [
        Caution(
            f"{lacking} of {len(planned)} planned measurements are missing{why}",
            f"`{resume_command(run.path)}` measures them",
        )
    ]


def _unlike_launches(run: Run) -> list[Caution]:
    libraries = {launch.mpi.library for launch in run.launches}
    hosts = {launch.placement.hosts for launch in _of_the_commonest_shape(run)}
    found = []
    if len(libraries) > 1:
        found.append(
            Caution(
                f"the launches ran {len(libraries)} MPI libraries: {'; '.join(sorted(libraries))}",
                "measure each library in a run of its own",
            )
        )
    if len(hosts) > 1:
        found.append(
            Caution(
                f"launches of one shape ran on {len(hosts)} different sets of hosts",
                "their differences enter the intervals; ask the batch system for fixed nodes",
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
    fewest = min(len(result.launches) for result in measured)
    if fewest >= 3:
        return []
    few = [result for result in measured if len(result.launches) == fewest]
    left_out = sum(result.launches_left_out for result in few)
    counting = " that counts" if fewest == 1 else " that count"
    text = f"{'one launch' if fewest == 1 else 'two launches'}{counting if left_out else ''}"
    if fewest == 1:
        text += ": its interval says nothing about the next launch"
    have = "has" if len(few) == 1 else "have each"
    return [
        Caution(
            f"{len(few)} of {len(measured)} cases {have} {text}",
            "measure on an idle machine, or take more --launches"
            if left_out
            else "take at least --launches 3",
        ),
    ]


def _busy_machine(run: Run, results: Sequence[CaseResult]) -> list[Caution]:
    taken = sum(result.samples for result in results)
    kept = sum((result.kept + result.unusual) * result.samples for result in results)
    disturbed = 1 - kept / taken if taken else 0.0
    waited = _share_waited(run)
    signs = []
    if waited >= LEAST_WAITED:
        signs.append(f"ranks waited for their cores during {format_percent(waited)} of the time")
    if disturbed > 1 - LEAST_KEPT or (signs and disturbed):
        signs.append(f"{format_percent(disturbed)} of the samples were disturbed and are left out")
    if not signs:
        return []
    hint = "stop other work on these nodes; `transrank doctor` names what runs"
    return [Caution(f"the machine was busy: {'; '.join(signs)}", hint)]


def _share_waited(run: Run) -> float:
    """How much of the time others had the cores of ranks that have each its own."""
    shared = {launch.shape for launch in run.launches if shared_cores(launch.placement)}
    alone = [case for case in run.cases if case.shape not in shared]
    measuring = sum(case.measuring_seconds or 0.0 for case in alone)
    return sum(case.waited_seconds or 0.0 for case in alone) / measuring if measuring else 0.0


def _moving_cores(states: Mapping[Shape, CoreState]) -> list[Caution]:
    return [
        _moved(state.latency, f"{shape}: " if len(states) > 1 else "")
        for shape, state in states.items()
        if state.latency is not None and state.latency.changed
    ]


def _slowed_cores(states: Mapping[Shape, CoreState]) -> list[Caution]:
    return [
        _slowed(state.speed, f"{shape}: " if len(states) > 1 else "")
        for shape, state in states.items()
        if state.speed is not None and state.speed.slowed_share >= LEAST_SLOWED
    ]


def _slowed(speed: CoreSpeed, shape: str) -> Caution:
    return Caution(
        f"{shape}in {format_percent(speed.slowed_share)} of the rounds some rank's core was slower "
        f"by {100 * (SLOWED - 1):.0f} % or more; they "
        + ("are left out" if speed.counts else "count, too"),
        "`transrank doctor` names what else runs, and how the clock rate is governed",
    )


def _moved(cores: CoreLatency, shape: str) -> Caution:
    begin = f"{shape}between the cores of the first two ranks a cache line took"
    if not cores.several:
        return Caution(
            f"{begin} {format_seconds(cores.nearest)} to {format_seconds(cores.farthest)} in "
            "different launches",
            MOVING_HINT + "; more launches over a longer time see more of it",
        )
    usual, *others = [
        f"{format_seconds(distance.median)} in {format_percent(distance.share)}"
        for distance in sorted(cores.distances, key=lambda each: each is not cores.usual)
    ]
    return Caution(
        f"{begin} {usual} of the rounds, and these alone count; {'; '.join(others)}", MOVING_HINT
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
            f"{len(found)} of {len(tested)} cases drift from round to round; most: {result.case} "
            f"becomes {direction} (p = {drift.p_value:.1g})",
            "measure again, later; `transrank doctor` names what else runs",
        )
    ]


def _two_groups(results: Sequence[CaseResult]) -> list[Caution]:
    split = [(result.groups.gap, result) for result in results if result.groups is not None]
    if not split:
        return []
    gap, result = max(split, key=lambda each: each[0])
    return [
        Caution(
            f"in {len(split)} of {len(results)} cases the launches fall into two groups; most: "
            f"{result.case}, {format_percent(gap)} apart",
            "more launches tell how often",
        )
    ]
