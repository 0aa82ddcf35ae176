# SPDX-License-Identifier: BSD-3-Clause
"""Figures beside the distance between the cores at which they were taken.

A hypervisor moves virtual CPUs between the cores of its host, and all that crosses between ranks
takes longer or shorter by that. A summary holds the values of one distance, the usual one; what the
same run says of the others is told here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bars import Figure, Part

from transrank.stats.core_distance import USUAL_SHARE, Distance, core_latency
from transrank.stats.summary import CaseResult, summarise
from transrank.store.records import Case, Run
from transrank.units import format_percent, format_seconds

# A launch with fewer samples of a case at a distance says nothing of it.
LEAST_SAMPLES = 3


@dataclass(frozen=True)
class AtDistance:
    """The results of a run at one distance, and the distance in words."""

    words: str
    results: Sequence[CaseResult]


def by_distance(run: Run) -> list[AtDistance]:
    """Summarise a run at the usual distance between its cores, and at each other that is not rare.

    One without words where the distance was not measured.
    """
    cores = core_latency(run.cases)
    if cores is None:
        return [AtDistance("", summarise(run))]
    usual = AtDistance(_words(cores.usual), summarise(run))
    others = [
        AtDistance(_words(other), summarise(_only_at(other, run)))
        for other in cores.distances
        if other is not cores.usual and other.share >= USUAL_SHARE
    ]
    return [usual, *others]


def judge(
    runs: Sequence[AtDistance], makers: Sequence[Callable[[Sequence[CaseResult]], Figure]]
) -> list[Figure]:
    """Make each figure of the usual distance; those of the other distances become its parts.

    A maker raises KeyError or ValueError where a case was not measured, and its figure is nan where
    no launch has both cases.
    """
    usual, *others = runs
    found = []
    for make in makers:
        figure = make(usual.results)
        note = "; ".join(words for words in (figure.note, usual.words) if words)
        beside = [part for other in others for part in _parts(other, make)]
        found.append(replace(figure, note=note, parts=[*figure.parts, *beside]))
    return found


def _parts(other: AtDistance, make: Callable[[Sequence[CaseResult]], Figure]) -> list[Part]:
    try:
        figure = make(other.results)
    except (KeyError, ValueError):
        return []
    if math.isnan(figure.value):
        return []
    whole = Part(other.words, figure.value, figure.low, figure.high)
    return [whole, *(replace(part, name=f"  {part.name}") for part in figure.parts)]


def _words(distance: Distance) -> str:
    return (
        f"cores {format_seconds(distance.median)} apart, "
        f"{format_percent(distance.share)} of the rounds"
    )


def _only_at(distance: Distance, run: Run) -> Run:
    cases = (_case_at(distance, case) for case in run.cases)
    return replace(run, cases=tuple(case for case in cases if case is not None))


def _case_at(distance: Distance, case: Case) -> Case | None:
    samples = case.samples
    if samples is None or samples.core_latency_seconds is None:
        return None
    rounds = distance.holds(samples.core_latency_seconds)
    chosen = distance.samples(samples)
    if chosen.sum() < LEAST_SAMPLES:
        return None
    late, work = samples.late_seconds, samples.core_work_seconds
    return replace(
        case,
        samples=replace(
            samples,
            seconds=samples.seconds[chosen],
            fastest=samples.fastest[chosen],
            flags=samples.flags[chosen],
            rounds=samples.rounds[rounds],
            late_seconds=None if late is None else late[chosen],
            core_latency_seconds=samples.core_latency_seconds[rounds],
            core_work_seconds=None if work is None else work[rounds],
        ),
    )
