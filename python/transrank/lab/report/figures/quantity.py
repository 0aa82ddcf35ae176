# SPDX-License-Identifier: BSD-3-Clause
"""Quantities of the y axis of a curve panel: time, bytes per second, messages per second."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from transrank.lab import units
from transrank.lab.report.curves import Point
from transrank.lab.report.figures import axes


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity of the y axis: `value` of a point and its two bounds, or None without a value.

    The axis is logarithmic unless it is `linear`, which values of any sign are.
    """

    title: str
    axis_label: str
    value: Callable[[Point], tuple[float, float, float] | None]
    text: Callable[[float], str]
    of_launch: Callable[[Point, float], float] = lambda _, seconds: seconds
    linear: bool = False


def _seconds(point: Point) -> tuple[float, float, float] | None:
    return (point.seconds, point.low, point.high) if point.seconds > 0 else None


def _megabytes(point: Point) -> tuple[float, float, float] | None:
    if point.rate is None or point.rate <= 0:
        return None
    scale = point.rate * point.seconds / 1e6
    high = scale / point.low if point.low > 0 else point.rate / 1e6
    return point.rate / 1e6, scale / point.high, high


def _messages(point: Point) -> tuple[float, float, float] | None:
    rates = _megabytes(point)
    if rates is None or point.x == 0:
        return None
    rate, low, high = (1e6 * value / point.x for value in rates)
    return rate, low, high


TIME = Quantity(
    "time per operation",
    axes.SECONDS_LABEL,
    _seconds,
    units.format_seconds,
)
RATE = Quantity(
    "MB/s (10⁶ bytes per second)",
    axes.COUNT_LABEL,
    _megabytes,
    lambda megabytes: units.format_rate(megabytes * 1e6),
    lambda point, seconds: (point.rate or 0) * point.seconds / seconds / 1e6,
)
MESSAGES = Quantity(
    "messages per second",
    axes.LARGE_COUNT_LABEL,
    _messages,
    lambda messages: f"{units.three_digits(messages / 1e6)} million/s",
    lambda point, seconds: (point.rate or 0) / point.x * point.seconds / seconds,
)
