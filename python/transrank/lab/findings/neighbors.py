# SPDX-License-Identifier: BSD-3-Clause
"""Whether messages to two neighbors overlap: Exchange beside PingPing, with one neighbor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from transrank.lab import units
from transrank.lab.findings.evidence import weigh
from transrank.lab.findings.guidelines import TOLERANCE
from transrank.lab.findings.rule import Rule, Trial
from transrank.lab.findings.values import Curve, Numbers, curves_of

# As many times the messages to one neighbor take in turn.
IN_TURN = 2 / TOLERANCE


def trials(numbers: Numbers) -> Iterator[Trial]:
    """Each size beside the next larger one: the smaller overlap, and the larger take turns."""
    both, one = (curves_of(numbers.of(study)) for study in ("exchange", "pingping"))
    for curve in both:
        if (beside := _beside(curve, one)) is not None:
            sizes = sorted(curve.keys() & beside.keys())
            for small, large in pairwise(sizes):
                yield from _tried(curve, beside, small, large)


def _beside(curve: Curve, others: Sequence[Curve]) -> Curve | None:
    """The messages to one neighbor in the same shape, or between two ranks placed alike."""
    shape = next(iter(curve.values())).shape
    shapes = {next(iter(other.values())).shape: other for other in others}
    alike = [each for each in shapes if each.ranks_per_node == shape.ranks_per_node]
    found = shape if shape in shapes else min(alike, default=None)
    return shapes[found] if found else None


def _tried(curve: Curve, beside: Curve, small: int, large: int) -> Iterator[Trial]:
    before, after = (
        weigh(lambda both, one: both / one, curve[size], beside[size]) for size in (small, large)
    )
    inverse = weigh(lambda both, one: one / both, curve[small], beside[small])
    if before is None or after is None or inverse is None:
        return
    at = curve[large]
    said = (
        f"Messages to two neighbors overlap up to {units.format_bytes(small)}, where they take "
        f"{before.estimate.value:.2f} times ({before.estimate.low:.2f} to "
        f"{before.estimate.high:.2f}) as long as to one by PingPing; larger ones take turns"
    )
    p_value = max(inverse.chance(1 / IN_TURN), after.chance(IN_TURN))
    yield Trial(said, at.name, at.shape, large, small, after.estimate, p_value)


RULE = Rule(
    "neighbors",
    "messages to two neighbors overlap at all sizes, or at none",
    "from some size on they take turns",
    trials,
)
