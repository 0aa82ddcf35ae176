# SPDX-License-Identifier: BSD-3-Clause
"""What holds of the time of a message over its size."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from transrank.lab.findings.guidelines import TOLERANCE
from transrank.lab.findings.rule import Rule, Trial, tried
from transrank.lab.findings.steps import steps_tried
from transrank.lab.findings.values import Curve, Numbers, curves_of

# Whose time over size is that of a memory or of a computation.
NO_MESSAGES = ("memory-copy", "locality", "overlap", "contention")

FALLS = "A message takes longer than the next larger one"
SPLIT = "One message takes longer than two of half its size"
STEPS = "The time rises in a step above what smaller sizes predict"


def falls(numbers: Numbers) -> Iterator[Trial]:
    """Each size beside the next larger one."""
    for curve in _messages(numbers):
        for small, large in pairwise(curve.values()):
            yield from tried(FALLS, TOLERANCE, lambda one, other: one / other, small, large)


def halves(numbers: Numbers) -> Iterator[Trial]:
    """Each size beside two of its half, or of the least size above that."""
    for curve in _messages(numbers):
        for size, whole in curve.items():
            half = next(each for each in curve if 2 * each >= size)
            if half < size:
                of = (lambda one, other: one / (2 * other), whole, curve[half])
                yield from tried(SPLIT + _there(half, size, numbers), TOLERANCE, *of)


def steps(numbers: Numbers) -> Iterator[Trial]:
    """Each size beside the line through two smaller ones."""
    for curve in _messages(numbers):
        for step in steps_tried(curve):
            at = curve[step.upper]
            where = (at.name, at.shape, step.upper, step.lower)
            yield Trial(
                STEPS + _there(step.lower, step.upper, numbers), *where, step.factor, step.p_value
            )


def _there(lower: int, upper: int, numbers: Numbers) -> str:
    """What else changes between the two sizes."""
    passed = [x.words for x in numbers.limits if x.first <= upper and lower <= x.last]
    return f", where {' and '.join(passed)}" if passed else ""


def _messages(numbers: Numbers) -> list[Curve]:
    sized = (value for value in numbers.values if value.bytes)
    return curves_of(value for value in sized if value.study not in NO_MESSAGES)


MONOTONY = Rule(
    "monotony",
    "a larger message takes longer than a smaller one",
    "another algorithm takes over, later than it should",
    falls,
)
SPLITTING = Rule(
    "splitting",
    "a message takes no longer than two of half its size",
    "sending it in two parts is faster",
    halves,
)
STEP = Rule(
    "step",
    "the time goes on as the sizes before predict",
    "another protocol, algorithm or memory takes over",
    steps,
)
