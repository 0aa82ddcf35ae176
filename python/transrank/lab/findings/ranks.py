# SPDX-License-Identifier: BSD-3-Clause
"""How times grow with the number of ranks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from transrank.lab.findings.guidelines import TOLERANCE
from transrank.lab.findings.rule import Rule, Trial, tried
from transrank.lab.findings.values import Numbers, Value, alike

# Whose work grows with the ranks, in proportion to the others at most.
PROPORTIONAL = ("collectives", "alltoall-algorithms", "plan-scaling")
FASTER = "The time grows faster than in proportion to the other ranks"


def growth(numbers: Numbers) -> Iterator[Trial]:
    """Each number of ranks beside the next smaller one."""
    for line in lines(numbers, *PROPORTIONAL):
        for few, many in pairwise(line):
            others = (many.ranks - 1) / (few.ranks - 1)
            yield from tried(
                FASTER, TOLERANCE, lambda one, other, by=others: one / (other * by), many, few
            )


def total(numbers: Numbers) -> Iterator[Trial]:
    """The most ranks beside the fewest, each with as many ghosts."""
    for line in lines(numbers, "ghost", placed=False):
        few, many = line[0], line[-1]
        if few.ranks < many.ranks:
            said = (
                f"A ghost update takes longer than on {few.ranks:,} ranks with as much for each, "
                "rather as if one rank served all than as if each had neighbors of its own"
            )
            bound = TOLERANCE * (many.ranks / few.ranks) ** 0.5
            yield from tried(said, bound, lambda one, other: one / other, many, few)


def lines(numbers: Numbers, *studies: str, placed: bool = True) -> list[list[Value]]:
    """Times of the same on two ranks and more, the fewest first; `placed`: as many on a node."""
    chosen = [value for value in numbers.of(*studies) if value.ranks > 1]
    found = alike(chosen, "plan_ranks", lambda value: placed and value.shape.ranks_per_node)
    return [sorted(line, key=lambda value: value.ranks) for line in found]


GROWTH = Rule(
    "growth",
    "an operation of all ranks takes as much longer as there are more of them, or less",
    "every rank has to do with every pair of ranks, or they share what does not grow with them",
    growth,
)
TOTAL = Rule(
    "total",
    "a ghost update takes as long on more ranks, since each has neighbors of its own",
    "one rank serves all, and the total stays flat",
    total,
)
