# SPDX-License-Identifier: BSD-3-Clause
"""Steps of a time curve: sizes at which a message suddenly costs more, or less, than before.

Between protocol changes the time of a message is close to affine in its size (Hockney's model), so
each size is held against the line through the two sizes before it. Only what the 95 % intervals
leave no doubt of is a step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from transrank.lab.stats.estimate import Estimate

# A step must exceed what the sizes before predict by this factor, also at its interval's near end.
LEAST_FACTOR = 1.2
# Beyond a step the curve goes on less steeply than across it; beyond a mere bend it does not.
STEEPEST_AFTER = 0.75
LEAST_FALL = 1.1


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with both ends of its 95 % interval."""

    value: float
    low: float
    high: float

    @staticmethod
    def of(estimate: Estimate) -> Interval | None:
        """The interval of an estimate that has one."""
        if estimate.low is None or estimate.high is None:
            return None
        return Interval(estimate.value, estimate.low, estimate.high)


@dataclass(frozen=True, slots=True)
class Step:
    """Between `lower` and `upper` bytes the time is `factor` times what the sizes before predict.

    A factor below 1 is a fall: the larger message takes less time than the smaller one. The ends
    of its interval are the farthest that those of the times leave.
    """

    lower: int
    upper: int
    factor: Estimate


def find_steps(curve: Mapping[int, Interval]) -> list[Step]:
    """Steps and falls of a curve {bytes: seconds}, by size.

    A rise needs two sizes before it and one after.
    """
    sizes = sorted(curve)
    rises = [
        step
        for index in range(2, len(sizes) - 1)
        if (step := _rise(curve, sizes[index - 2 : index + 2])) is not None
    ]
    falls = [
        Step(lower, upper, _ratio(curve[upper], curve[lower]))
        for lower, upper in pairwise(sizes)
        if curve[upper].high * LEAST_FALL < curve[lower].low
    ]
    return sorted(rises + falls, key=lambda step: step.lower)


def _rise(curve: Mapping[int, Interval], sizes: Sequence[int]) -> Step | None:
    first, lower, upper, beyond = sizes
    before, here, there, after = (curve[size] for size in sizes)
    stride = (upper - lower) / (lower - first)
    expected = Interval(
        here.value + max(0.0, here.value - before.value) * stride,
        here.low + max(0.0, here.low - before.high) * stride,
        here.high + max(0.0, here.high - before.low) * stride,
    )
    if there.low <= LEAST_FACTOR * expected.high:
        return None
    across = (there.low - here.high) / (upper - lower)
    onward = (after.high - there.low) / (beyond - upper)
    if onward >= STEEPEST_AFTER * across:
        return None
    return Step(lower, upper, _ratio(there, expected))


def _ratio(one: Interval, other: Interval) -> Estimate:
    return Estimate(one.value / other.value, one.low / other.high, one.high / other.low)
