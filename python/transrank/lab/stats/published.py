# SPDX-License-Identifier: BSD-3-Clause
"""A run beside a published machine: numbers of the same case on equally many ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from transrank.lab.reference.machine import JOB_SHAPE, Machine, ReferencePoint
from transrank.lab.stats.placed import Placed
from transrank.lab.stats.result import CaseResult
from transrank.lab.store.lines import Shape

# Values of our axes that are no part of what was published: floors, and a route made for few ranks.
UNPUBLISHED = {"transport": ("floor", "floor-from-peers"), "pattern": ("remote",)}
# Axes with the number of ranks that a case is about, however many measure it.
OWN_RANKS = "plan_ranks"


@dataclass(frozen=True, slots=True)
class Beside:
    """One case of ours and the published number for it.

    Published numbers are means without an interval: `ours` is the mean of all samples after
    warm-up, over ranks as IMB takes it, or of the slowest rank where that was published; then
    `first_rank` is what was published of the fastest. The ratio ours / published has no interval
    and no verdict. If the job was published on nodes of several shapes, there is one for each.
    """

    result: CaseResult
    ours: float
    published: float
    nodes: int
    ranks: int
    first_rank: float | None = None
    job_shape: str = ""

    @property
    def case(self) -> str:
        return self.result.case

    @property
    def shape(self) -> Shape:
        return self.result.shape

    @property
    def ratio(self) -> float:
        return self.ours / self.published


@dataclass(frozen=True, slots=True)
class Apart:
    """Cases of a study of which none was published, or for other ranks or places alone.

    Attributes
    ----------
    ours
        the placement of the run's ranks; None if unknown.
    jobs
        (ranks, nodes) for which the same was published, or anything of the study; none where any
        ranks will do.
    axes
        where nothing is the same: the published values of the axes that our cases have.
    """

    study: str
    ours: tuple[Placed | None, ...]
    jobs: tuple[tuple[int, int], ...]
    axes: Mapping[str, tuple[str | int, ...]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run and a machine.

    Attributes
    ----------
    unmeasured
        published studies that the run lacks.
    """

    pairs: tuple[Beside, ...]
    apart: tuple[Apart, ...]
    unmeasured: tuple[str, ...]


def beside_machine(
    results: Iterable[CaseResult], machine: Machine, nodes: int | None = None
) -> Comparison:
    """Pair each measured case with the machine's number for the same question.

    That has the same study and axes, as many ranks, and these on one node in both or on several in
    both.

    Parameters
    ----------
    nodes
        of the published job; None takes the one with the nearest number of nodes.
    """
    measured = [r for r in results if r.headline is not None and r.headline.value > 0]
    found = []
    unmeasured = []
    for study in machine.studies:
        ours = [result for result in measured if result.study == study]
        points = [p for p in machine.of_study(study) if nodes is None or p.nodes == nodes]
        if not ours:
            unmeasured.append(study)
        elif points:
            found.append(_of_study(ours, points))
    return Comparison(
        tuple(pair for pairs, _ in found for pair in pairs),
        tuple(apart for _, apart in found if apart is not None),
        tuple(unmeasured),
    )


def _of_study(
    ours: Sequence[CaseResult], points: Sequence[ReferencePoint]
) -> tuple[list[Beside], Apart | None]:
    """The pairs of a study, and what is left without a partner for want of ranks or cases."""
    pairs: list[Beside] = []
    alone: list[tuple[CaseResult, list[ReferencePoint]]] = []
    for result in ours:
        same = [point for point in points if _asks_the_same(result, point)]
        alike = [point for point in same if _is_placed_alike(result, point)]
        if alike:
            pairs += _pairs(result, alike)
        elif same:
            alone.append((result, same))
    study = ours[0].study
    if alone:
        places = tuple(dict.fromkeys(result.placed for result, _ in alone))
        return pairs, Apart(study, places, _jobs(point for _, same in alone for point in same), {})
    if pairs:
        return pairs, None
    return pairs, Apart(study, (), _jobs(points), _axes(points, ours[0]))


def _jobs(points: Iterable[ReferencePoint]) -> tuple[tuple[int, int], ...]:
    jobs = {(point.ranks, point.nodes) for point in points if OWN_RANKS not in point.axes}
    return tuple(sorted(jobs))


def _asks_the_same(result: CaseResult, point: ReferencePoint) -> bool:
    """Whether no axis differs that both have; a size is an axis that both must have, or none."""
    ours = result.axes
    if point.bytes != result.bytes:
        return False
    if any(ours.get(axis) in values for axis, values in UNPUBLISHED.items()):
        return False
    return all(str(ours.get(axis, value)) == str(value) for axis, value in point.axes.items())


def _axes(points: Iterable[ReferencePoint], ours: CaseResult) -> dict[str, tuple[str | int, ...]]:
    found: dict[str, dict[str | int, None]] = {}
    for point in points:
        for axis, value in point.axes.items():
            if axis in ours.axes:
                found.setdefault(axis, {})[value] = None
    return {axis: tuple(values) for axis, values in found.items()}


def _is_placed_alike(result: CaseResult, point: ReferencePoint) -> bool:
    if OWN_RANKS in point.axes:
        return True
    ours = result.placed
    if ours is None:
        return False
    return ours.ranks == point.ranks and (ours.nodes == 1) == (point.nodes == 1)


def _pairs(result: CaseResult, points: Sequence[ReferencePoint]) -> list[Beside]:
    """One for each shape of the nodes of the job with the nearest number of them."""
    here = result.placed.nodes if result.placed else 1
    nearest = min(points, key=lambda point: abs(log(point.nodes / here)))
    job = (nearest.nodes, nearest.ranks)
    by_shape: dict[str, list[ReferencePoint]] = {}
    for point in points:
        if (point.nodes, point.ranks) == job:
            by_shape.setdefault(str(point.axes.get(JOB_SHAPE, "")), []).append(point)
    return [_pair(result, found, shape) for shape, found in by_shape.items()]


def _pair(result: CaseResult, points: Sequence[ReferencePoint], job_shape: str) -> Beside:
    assert result.headline is not None
    mean = result.imb.mean if result.imb else result.headline.value
    first = [point.fastest_seconds for point in points if point.fastest_seconds is not None]
    if first and result.tail is not None:
        mean = result.tail.mean
    return Beside(
        result,
        mean,
        float(np.mean([point.seconds for point in points])),
        points[0].nodes,
        points[0].ranks,
        float(np.mean(first)) if first else None,
        job_shape,
    )
