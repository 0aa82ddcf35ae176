# SPDX-License-Identifier: BSD-3-Clause
"""Steps of a time curve: sizes at which a message suddenly costs more than before.

Between protocol changes the time of a message is close to affine in its size (Hockney's model), so
each size is held against the line through the two sizes before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from transrank.lab.findings.evidence import weigh
from transrank.lab.findings.values import Curve
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.median import CONFIDENCE

# A step must exceed what the sizes before predict by this factor.
LEAST_FACTOR = 1.2
# Beyond a step the curve goes on less steeply than across it; beyond a mere bend it does not.
STEEPEST_AFTER = 0.75
# Of the slope across a step: no less is told apart from none.
LEAST_SLOPE = 0.05


@dataclass(frozen=True, slots=True)
class Step:
    """Between `lower` and `upper` bytes the time is `factor` times what the sizes before predict.

    `p_value`: the probability of so much of a step where there is none.
    """

    lower: int
    upper: int
    factor: Estimate
    p_value: float


def find_steps(curve: Curve) -> list[Step]:
    """The steps that a single look would believe, by size."""
    return [step for step in steps_tried(curve) if step.p_value < (1 - CONFIDENCE) / 2]


def steps_tried(curve: Curve) -> Iterator[Step]:
    """A step at each size that has two before it and one after."""
    sizes = sorted(curve)
    for first, lower, upper, beyond in zip(sizes, sizes[1:], sizes[2:], sizes[3:], strict=False):
        stride = (upper - lower) / (lower - first)
        onward = (beyond - upper) / (upper - lower)

        def rise(before: float, here: float, there: float, _: float, by: float = stride) -> float:
            return there / (here + max(0.0, here - before) * by)

        def bend(_: float, here: float, there: float, after: float, by: float = onward) -> float:
            across = max(there - here, 0.0)
            slope = max((after - there) / by, LEAST_SLOPE * across)
            return STEEPEST_AFTER * across / slope if slope else 0.0

        values = [curve[size] for size in (first, lower, upper, beyond)]
        factor, flatter = weigh(rise, *values), weigh(bend, *values)
        if factor is not None and flatter is not None:
            p_value = max(factor.chance(LEAST_FACTOR), flatter.chance(1.0))
            yield Step(lower, upper, factor.estimate, p_value)
