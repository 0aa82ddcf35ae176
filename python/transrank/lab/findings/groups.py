# SPDX-License-Identifier: BSD-3-Clause
"""Times that differ with a place: of a job's nodes in the network, of a rank's memory in a node."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from transrank.lab.findings.evidence import Number, ratio_of_groups
from transrank.lab.findings.rule import Rule, Trial
from transrank.lab.findings.values import Numbers
from transrank.lab.stats.locality import p_value
from transrank.lab.store.lines import Shape

SHAPE = "The last rank of a job starts later in one shape of its nodes than in another"
FARTHER = "Memory of one domain takes longer than of another"
# So much later is of no account.
TOLERANCE = 1.1


def shapes(numbers: Numbers) -> Iterator[Trial]:
    """Every two shapes of jobs of as many ranks."""
    by_ranks: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for start in numbers.starts:
        by_ranks[start.ranks][start.nodes].append(start.last)
    for ranks, groups in by_ranks.items():
        for slow, fast, number in _pairs(groups):
            where = (f"{slow} beside {fast}", Shape(ranks), 0, 0)
            yield Trial(SHAPE, *where, number.estimate, number.chance(TOLERANCE))


def memories(numbers: Numbers) -> Iterator[Trial]:
    """Every two links to memory, by a permutation test of their difference."""
    for links in numbers.links:
        for far, near, number in _pairs({link: list(found) for link, found in links.items()}):
            where = (f"{far} beside {near}", Shape(sum(map(len, links.values()))), 0, 0)
            chance = p_value(links[near], links[far])
            yield Trial(FARTHER, *where, number.estimate, chance, asked=True)


def _pairs(groups: Mapping[str, Sequence[float]]) -> Iterator[tuple[str, str, Number]]:
    """Every two groups of several values, the slower one first."""
    several = [name for name, values in groups.items() if len(values) > 1]
    for one, other in combinations(several, 2):
        number = ratio_of_groups(groups[one], groups[other])
        if number.center >= 0:
            yield one, other, number
        else:
            yield other, one, replace(number, center=-number.center)


SHAPES = Rule("shape", "the shape of a job does not delay its start", "it does", shapes)
MEMORIES = Rule("memory", "all memory of a node is as far", "some is farther", memories)
