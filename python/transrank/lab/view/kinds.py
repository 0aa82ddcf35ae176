# SPDX-License-Identifier: BSD-3-Clause
"""Kinds of values: how people read them, and on which side of a column they stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from transrank.lab import units
from transrank.lab.stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value: its text, None where nothing is to be seen, and whether it stands right."""

    text: Callable[[Any], str | None] = str
    right: bool = True


def interval_text(estimate: Estimate | None) -> str | None:
    """The ends of an interval: `18.0 to 18.4 µs`."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return None
    return range_text(estimate.low, estimate.high)


def range_text(low: float, high: float) -> str:
    """Two times, or one if they look alike; a common unit is written once."""
    last = units.format_seconds(high)
    return last if units.format_seconds(low) == last else _between(low, high, " to ")


def dash_text(estimate: Estimate | None) -> str | None:
    """Return `823–841 ns`, both ends in the unit of the upper one."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return None
    return _between(estimate.low, estimate.high, "–")


def _between(low: float, high: float, to: str) -> str:
    first, last = units.format_seconds(low), units.format_seconds(high)
    number, _, unit = first.partition(" ")
    return f"{number if unit == last.partition(' ')[2] else first}{to}{last}"


def error_text(estimate: Estimate | None) -> str | None:
    """The ± of an estimate, None if it has no interval."""
    if estimate is None or estimate.relative_error is None:
        return None
    return units.format_spread(estimate.relative_error)


def ends(estimate: Estimate, text: Callable[[float], str] = units.three_digits) -> str:
    """`1.40 to 1.45`: the interval of an estimate that has one."""
    assert estimate.low is not None
    assert estimate.high is not None
    return f"{text(estimate.low)} to {text(estimate.high)}"


def _megabytes(rate: float) -> str:
    """MB/s (10^6) as IMB prints them, with three significant digits."""
    return f"{float(f'{rate / 1e6:.3g}'):,.10g}"


def _value(estimate: Estimate) -> str:
    return units.format_seconds(estimate.value)


WORDS = Kind(right=False)
NUMBER = Kind()
COUNT = Kind(lambda number: f"{number:,}")
BYTES = Kind(units.format_bytes)
AMOUNT = Kind(units.format_amount)
SECONDS = Kind(units.format_seconds)
RATE = Kind(units.format_rate)
MEGABYTES = Kind(_megabytes)
SHARE = Kind(units.format_percent)
FACTOR = Kind(units.three_digits)
# Of an estimate in seconds: its value, its error, its interval in a terminal and on the page.
VALUE, ERROR, DASH, INTERVAL = Kind(_value), Kind(error_text), Kind(dash_text), Kind(interval_text)
