# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithm for which size: chosen beyond noise, in the fewest ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from transrank.lab.stats.compare import paired_ratio

# What a choice must gain at least, beyond the interval, to be written.
MARGIN = 0.03

# Seconds of one operation, by algorithm and bytes, one value for each round.
Times = Mapping[str, Mapping[int, Sequence[float]]]


@dataclass(frozen=True, slots=True)
class Range:
    """An algorithm for sizes from `first` to `last`, both measured; None: the library's choice."""

    first: int
    last: int
    algorithm: str | None


def gains(times: Times, default: Mapping[int, Sequence[float]], size: int) -> list[str]:
    """Algorithms that beat the default at a size by more than the margin beyond the interval."""
    found = []
    for algorithm, by_size in times.items():
        ours = by_size.get(size, ())
        if len(ours) == len(default[size]) >= 2:
            ratio = paired_ratio(default[size], ours)
            if ratio.high is not None and ratio.high < 1 - MARGIN:
                found.append((ratio.value, algorithm))
    return [algorithm for _, algorithm in sorted(found)]


def choose(times: Times, default: Mapping[int, Sequence[float]]) -> tuple[Range, ...]:
    """The fewest ranges whose algorithm gains at each measured size that has one that does.

    Sizes follow each other as measured. As long as one algorithm gains at each of them they are one
    range; among several that do so the one that is best at the first size is taken.
    """
    ranges: list[Range] = []
    first: int | None = None
    candidates: list[str] = []
    last = 0
    for size in sorted(default):
        better = gains(times, default, size)
        common = [algorithm for algorithm in candidates if algorithm in better]
        same = first is not None and (bool(common) or (not candidates and not better))
        if not same:
            if first is not None:
                ranges.append(Range(first, last, candidates[0] if candidates else None))
            first, common = size, better
        candidates, last = common, size
    if first is not None:
        ranges.append(Range(first, last, candidates[0] if candidates else None))
    return tuple(ranges)
