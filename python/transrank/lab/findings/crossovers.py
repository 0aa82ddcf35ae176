# SPDX-License-Identifier: BSD-3-Clause
"""Sizes at which one curve overtakes another, where their 95 % intervals leave no doubt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, groupby, pairwise

from transrank.lab.stats.estimate import Estimate

# One clear size may be chance; an order that holds for two is reported.
LEAST_SIZES = 2


@dataclass(frozen=True, slots=True)
class Crossover:
    """`small` is the faster one up to `lower` bytes, `large` from `upper` bytes on."""

    small: str
    large: str
    lower: int
    upper: int


def find_crossovers(curves: Mapping[str, Mapping[int, Estimate]]) -> list[Crossover]:
    """All crossovers between any two of the curves {name: {bytes: seconds}}, by size.

    The times have intervals.
    """
    found = [
        crossing
        for first, second in combinations(curves, 2)
        for crossing in _between(first, second, curves[first], curves[second])
    ]
    return sorted(found, key=lambda crossing: (crossing.lower, crossing.upper))


def _between(
    first: str, second: str, one: Mapping[int, Estimate], other: Mapping[int, Estimate]
) -> list[Crossover]:
    clear = [
        (size, order)
        for size in sorted(one.keys() & other.keys())
        if (order := _order(one[size], other[size])) != 0
    ]
    stretches = [
        (order, [size for size, _ in group])
        for order, group in groupby(clear, key=lambda item: item[1])
    ]
    lasting = [stretch for stretch in stretches if len(stretch[1]) >= LEAST_SIZES]
    crossings = []
    for (before, sizes), (after, later) in pairwise(lasting):
        if before != after:
            small, large = (first, second) if before < 0 else (second, first)
            crossings.append(Crossover(small, large, sizes[-1], later[0]))
    return crossings


def _order(one: Estimate, other: Estimate) -> int:
    assert one.low is not None
    assert one.high is not None
    assert other.low is not None
    assert other.high is not None
    if one.high < other.low:
        return -1
    return 1 if other.high < one.low else 0
