# SPDX-License-Identifier: BSD-3-Clause
"""What each rank of a redistribution moves: asked of transrank-run, which needs no MPI for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from transrank.lab.study import catalogue


@dataclass(frozen=True)
class Peer:
    """What one rank sends to another, or receives from it: cells, and contiguous runs of them."""

    peer: int
    cells: int
    runs: int


@dataclass(frozen=True)
class RankMovement:
    """One rank's part; what it keeps is a peer of its own number on both sides."""

    rank: int
    sends: tuple[Peer, ...]
    receives: tuple[Peer, ...]

    @property
    def peers(self) -> tuple[int, ...]:
        """Those that it sends to or receives from, without itself."""
        ranks = {each.peer for each in (*self.sends, *self.receives)}
        return tuple(sorted(ranks - {self.rank}))

    @property
    def messages(self) -> int:
        """As many as there are other ranks to send to."""
        return sum(each.peer != self.rank for each in self.sends)

    @property
    def cells_out(self) -> int:
        return sum(each.cells for each in self.sends if each.peer != self.rank)

    @property
    def cells_in(self) -> int:
        return sum(each.cells for each in self.receives if each.peer != self.rank)

    @property
    def cells_kept(self) -> int:
        return sum(each.cells for each in self.sends if each.peer == self.rank)


def plan_redistribution(
    grid: str, source: str, destination: str, rank: int | None = None
) -> list[RankMovement]:
    """Return every rank's part in the redistribution of a grid, or only that of one rank.

    Parameters
    ----------
    grid
        extents, ``512x1024x16``.
    source, destination
        parts along its first dimensions, ``2x4``; the first varies fastest over the ranks.

    Raises
    ------
    UsageError
        something is no such list of numbers, or there is no such rank.
    LaunchError
        transrank-run cannot be asked.
    """
    words = [grid, source, destination, *([] if rank is None else [str(rank)])]
    answer = catalogue.ask(["--plan", ",".join(words)])
    lines = [json.loads(line) for line in answer.splitlines()]
    return [
        RankMovement(line["rank"], _peers(line["sends"]), _peers(line["receives"]))
        for line in lines
    ]


def _peers(listed: Sequence[dict[str, int]]) -> tuple[Peer, ...]:
    return tuple(Peer(each["peer"], each["cells"], each["runs"]) for each in listed)
