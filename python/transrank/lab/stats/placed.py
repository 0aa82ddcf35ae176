# SPDX-License-Identifier: BSD-3-Clause
"""Where the ranks of a case were that took part in it: the others wait, and change nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from transrank.lab.store.lines import Launch, Placement, Shape

# In these ranks 0 and 1 exchange messages, however many ranks the launch has.
TWO_RANK_STUDIES = frozenset(
    {"pingpong", "pingping", "bandwidth", "bidirectional-bandwidth", "send-modes"}
)


@dataclass(frozen=True, slots=True, order=True)
class Placed:
    """How many ranks took part, on how many nodes, and how many of them on the fullest."""

    ranks: int
    nodes: int
    most_on_a_node: int


def taking_part(study: str, shape: Shape) -> int:
    """How many ranks of a launch take part in the cases of a study: the first ones."""
    return min(2, shape.ranks) if study in TWO_RANK_STUDIES else shape.ranks


def placed(study: str, shape: Shape, placement: Placement | None) -> Placed | None:
    """Where the ranks that took part were.

    Without a placement the shape tells, for nodes are filled one after the other; None where the
    shape leaves that to the launcher.
    """
    ranks = taking_part(study, shape)
    if placement is not None:
        on_a_node = Counter(placement.rank_host[:ranks])
        return Placed(ranks, len(on_a_node), max(on_a_node.values()))
    if shape.ranks_per_node == 0:
        return None
    each = min(shape.ranks_per_node, ranks)
    return Placed(ranks, -(-ranks // each), each)


class Placements:
    """The placement of each launch of a run; knows each answer after the first time."""

    def __init__(self, launches: Iterable[Launch]) -> None:
        launches = list(launches)
        self._by_launch = {launch.launch: launch.placement for launch in launches}
        # Launches of one shape are placed alike; those that measure job starts do not say where.
        self._by_shape = {launch.shape: launch.placement for launch in launches}
        self._known: dict[tuple[int, int, Shape], Placed | None] = {}

    def of(self, study: str, shape: Shape, launch: int) -> Placed | None:
        """Where the ranks were that took part in a case of this launch."""
        key = (launch, taking_part(study, shape), shape)
        if key not in self._known:
            placement = self._by_launch.get(launch) or self._by_shape.get(shape)
            self._known[key] = placed(study, shape, placement)
        return self._known[key]
