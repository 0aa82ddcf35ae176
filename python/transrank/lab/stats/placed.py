# SPDX-License-Identifier: BSD-3-Clause
"""The placement of the ranks that take part in a case; the others wait without effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from transrank.lab.store.lines import Case, Launch, Placement, Shape


@dataclass(frozen=True, slots=True, order=True)
class Placed:
    """The number of participating ranks, of their nodes, and of ranks on the fullest node."""

    ranks: int
    nodes: int
    most_on_a_node: int


def taking_part(case: Case) -> int:
    """The number of ranks that take part in a case: the first of its launch; it has their times."""
    if case.over_ranks is not None:
        return case.over_ranks.ranks
    return case.shape.ranks if case.ranks is None else len(case.ranks.median)


def placed(ranks: int, shape: Shape, placement: Placement | None) -> Placed | None:
    """The placement of the first `ranks` of a launch.

    Without a recorded placement it follows from the shape, since nodes are filled one after the
    other; None if the shape leaves that to the launcher.
    """
    if placement is not None:
        on_a_node = Counter(placement.rank_host[:ranks])
        return Placed(ranks, len(on_a_node), max(on_a_node.values()))
    if shape.ranks_per_node == 0:
        return None
    each = min(shape.ranks_per_node, ranks)
    return Placed(ranks, -(-ranks // each), each)


class Placements:
    """The placement of each launch of a run, cached."""

    def __init__(self, launches: Iterable[Launch]) -> None:
        launches = list(launches)
        self._by_launch = {launch.launch: launch.placement for launch in launches}
        # Launches of one shape are placed alike; those that measure job starts have no placement.
        self._by_shape = {launch.shape: launch.placement for launch in launches}
        self._known: dict[tuple[int, int, Shape], Placed | None] = {}

    def of(self, case: Case) -> Placed | None:
        """The placement of the ranks that take part in a case."""
        ranks, shape = taking_part(case), case.shape
        key = (case.launch, ranks, shape)
        if key not in self._known:
            placement = self._by_launch.get(case.launch) or self._by_shape.get(shape)
            self._known[key] = placed(ranks, shape, placement)
        return self._known[key]
