# SPDX-License-Identifier: BSD-3-Clause
"""Figures beside the distance between the cores at which they were taken.

A hypervisor moves virtual CPUs between the cores of its host, and all that crosses between ranks
takes longer or shorter by that. A summary holds the values of the state that the run is of; what
the same run says of other distances is told here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from bars import Figure, Part
from numpy.typing import NDArray
from survey import state_of

from transrank.lab.stats.cores import CoreState, commonest_distance
from transrank.lab.stats.summary import CaseResult, summarise
from transrank.lab.store.records import Event, Run
from transrank.lab.units import format_percent, format_seconds

# Distances with a smaller share of the rounds are passing ones.
LEAST_SHARE = 0.1


@dataclass(frozen=True)
class AtDistance:
    """The results of a run at one distance, and the distance in words."""

    words: str
    results: Sequence[CaseResult]


def by_distance(run: Run) -> list[AtDistance]:
    """Summarise a run in the state that it is of, and at each other distance that is not rare.

    One without words where the distance was not measured.
    """
    latencies = _latencies(run)
    (shape,) = {case.shape for case in run.cases}
    own = state_of(run)
    if own.latency_seconds is None:
        return [AtDistance("", summarise(run))]
    found = [AtDistance(_words(own, latencies), summarise(run))]
    for state in distances(latencies):
        assert state.latency_seconds is not None
        if not own.at_distance(np.array([state.latency_seconds])).any():
            event = Event("cores", "", None, None, None, shape, state.latency_seconds)
            there = summarise(replace(run, events=(*run.events, event)))
            met = [each for each in there if each.basis == "clean"]
            found.append(AtDistance(_words(state, latencies), met))
    return found


def distances(latencies: NDArray[np.float64]) -> list[CoreState]:
    """Return the distances that are not rare, the nearest first."""
    found, rest = [], latencies
    while rest.size >= max(LEAST_SHARE * latencies.size, 1):
        state = CoreState(commonest_distance(rest))
        found.append(state)
        rest = rest[~state.at_distance(rest)]
    return sorted(found, key=lambda state: state.latency_seconds or 0.0)


def _latencies(run: Run) -> NDArray[np.float64]:
    rounds = [
        case.samples.core_latency_seconds
        for case in run.cases
        if case.samples is not None and case.samples.core_latency_seconds is not None
    ]
    every = np.concatenate(rounds) if rounds else np.empty(0)
    return every[every > 0]


def judge(
    runs: Sequence[AtDistance], makers: Sequence[Callable[[Sequence[CaseResult]], Figure]]
) -> list[Figure]:
    """Make each figure of the run's own distance; those of the other distances become its parts.

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


def _words(state: CoreState, latencies: NDArray[np.float64]) -> str:
    assert state.latency_seconds is not None
    return (
        f"cores {format_seconds(state.latency_seconds)} apart, "
        f"{format_percent(float(state.at_distance(latencies).mean()))} of the rounds"
    )
