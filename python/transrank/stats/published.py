# SPDX-License-Identifier: BSD-3-Clause
"""A run beside a published machine, number by number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from transrank.reference.machine import Machine, ReferencePoint
from transrank.stats.result import CaseResult
from transrank.store.lines import Shape


@dataclass(frozen=True, slots=True)
class Beside:
    """One case of ours and the published number for it.

    Published numbers are means without an interval: `ours` is the IMB mean where it is known, and
    the ratio ours / published has no interval and no verdict.
    """

    result: CaseResult
    ours: float
    published: float
    nodes: int
    ranks: int

    @property
    def case(self) -> str:
        return self.result.case

    @property
    def shape(self) -> Shape:
        return self.result.shape

    @property
    def ratio(self) -> float:
        return self.ours / self.published


def beside_machine(
    results: Iterable[CaseResult], machine: Machine, nodes: int | None = None
) -> list[Beside]:
    """Pair each measured case with the machine's number for the same study and axes.

    Parameters
    ----------
    nodes
        of the published job; None takes the one whose number of ranks is nearest to ours.
    """
    points: dict[tuple[str, frozenset[tuple[str, str | int]]], list[ReferencePoint]] = {}
    for point in machine.points:
        if nodes is None or point.nodes == nodes:
            points.setdefault((point.study, frozenset(point.axes.items())), []).append(point)
    found = []
    for result in results:
        same = points.get((result.study, frozenset(result.axes.items())))
        if same and result.headline is not None and result.headline.value > 0:
            found.append(_pair(result, same))
    return found


def _pair(result: CaseResult, points: Sequence[ReferencePoint]) -> Beside:
    assert result.headline is not None
    nearest = min(points, key=lambda point: abs(log(point.ranks / result.shape.ranks)))
    job = (nearest.nodes, nearest.ranks)
    repetitions = [point.seconds for point in points if (point.nodes, point.ranks) == job]
    ours = result.imb.mean if result.imb else result.headline.value
    return Beside(result, ours, float(np.median(repetitions)), nearest.nodes, nearest.ranks)
