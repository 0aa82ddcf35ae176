# SPDX-License-Identifier: BSD-3-Clause
"""Axes of the figures: bytes by powers of two, seconds and rates by powers of ten.

Tick values are chosen here and not by Vega, so that an axis has few, round and readable labels and
so that hiding a curve never moves it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from transrank.lab import units

BYTES_LABEL = (
    "datum.value >= 1073741824 ? datum.value / 1073741824 + ' GiB'"
    " : datum.value >= 1048576 ? datum.value / 1048576 + ' MiB'"
    " : datum.value >= 1024 ? datum.value / 1024 + ' KiB' : format(datum.value, ',') + ' B'"
)
SECONDS_LABEL = (
    "datum.value >= 0.9995 ? format(datum.value, '.3~r') + ' s'"
    " : datum.value >= 0.9995e-3 ? format(datum.value * 1e3, '.3~r') + ' ms'"
    " : datum.value >= 0.9995e-6 ? format(datum.value * 1e6, '.3~r') + ' µs'"
    " : format(datum.value * 1e9, '.3~r') + ' ns'"
)
LARGE_COUNT_LABEL = (
    "datum.value >= 1e6 ? format(datum.value / 1e6, '.3~r') + ' million'"
    " : format(datum.value, ',~r')"
)
COUNT_LABEL = "format(datum.value, ',~r')"


# So many times beyond the values an interval is drawn: one of launches that differ wildly would
# leave no room for all others.
INTERVAL_REACH = 10.0


def drawn_bounds(values: Sequence[float], bounds: Sequence[float]) -> tuple[float, float]:
    """Least and most of what an axis has room for: all values, and their bounds within reach."""
    low, high = min(values), max(values)
    least, most = min([low, *bounds]), max([high, *bounds])
    return max(least, low / INTERVAL_REACH), min(most, high * INTERVAL_REACH)


@dataclass(frozen=True, slots=True)
class Places:
    """What x is: its title, the channel of these values on a coarse axis or not, and words."""

    title: str
    channel: Callable[[Iterable[float], bool], dict[str, Any]]
    text: Callable[[float], str]
    of_sizes: bool = False


def sizes(title: str = "message size") -> Places:
    """Bytes."""
    return Places(
        title, lambda x, coarse: bytes_axis(x, coarse, title), units.format_bytes, of_sizes=True
    )


def counts(title: str, noun: str) -> Places:
    """Numbers of something, logarithmic, all of them labelled."""
    return Places(title, lambda x, _: places_axis(x, title), lambda number: f"{number:,.0f} {noun}")


SIZES = sizes()


def bytes_axis(
    sizes: Iterable[float], coarse: bool = False, title: str = "message size"
) -> dict[str, Any]:
    """Channel definition of x for these sizes: logarithmic, labelled from the largest downwards.

    Every fourth doubling has a label, on a `coarse` axis, for narrow panels, every sixth.
    """
    places = sorted(set(sizes))
    first, last = places[0], places[-1]
    powers = range(math.floor(math.log2(last)), -1, -6 if coarse else -4)
    ticks = [2.0**power for power in reversed(powers) if first <= 2.0**power <= last]
    if len(ticks) < 2:
        ticks = places
    return {
        "field": "x",
        "type": "quantitative",
        "title": title,
        "scale": {"type": "log", "base": 2, "domain": _widened(first, last), "nice": False},
        "axis": {"values": ticks, "labelExpr": BYTES_LABEL, "grid": False, "tickSize": 4},
    }


def value_axis(values: Sequence[float], title: str, label: str) -> dict[str, Any]:
    """Channel definition of y for these positive values: logarithmic."""
    low, high = min(values), max(values)
    domain = _widened(low / 1.08, high * 1.08)
    return {
        "type": "quantitative",
        "title": title,
        "scale": {"type": "log", "base": 10, "domain": domain, "nice": False},
        "axis": {
            "values": log_ticks(domain[0], domain[1]),
            "labelExpr": label,
            "minExtent": 46,
            "tickSize": 0,
        },
    }


def linear_axis(values: Iterable[float], title: str, **axis: Any) -> dict[str, Any]:
    """Channel definition for these values, of any sign."""
    every = list(values)
    scale = {"domain": [min(every), max(every)], "nice": True, "zero": False}
    return {"type": "quantitative", "title": title, "scale": scale, "axis": axis}


def places_axis(places: Iterable[float], title: str) -> dict[str, Any]:
    """Channel definition of x for these places, all of them labelled: logarithmic."""
    values = sorted(set(places))
    first, last = _widened(values[0], values[-1])
    return {
        "field": "x",
        "type": "quantitative",
        "title": title,
        "scale": {"type": "log", "base": 2, "domain": [first / 1.1, last * 1.1], "nice": False},
        "axis": {"values": values, "labelExpr": COUNT_LABEL, "grid": False},
    }


def log_ticks(low: float, high: float) -> list[float]:
    """Round values between `low` and `high`: powers of ten, with 2 and 5 where they are few."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    decades = last - first
    step = 1 if decades <= 8 else 2
    digits: tuple[int, ...] = (1,) if decades > 4 else (1, 3)
    if decades <= 2:
        digits = (1, 2, 5)
    ticks = [
        float(f"{digit}e{power}") for power in range(first, last + 1, step) for digit in digits
    ]
    inside = [tick for tick in ticks if low <= tick <= high]
    return inside if len(inside) >= 2 else [float(f"{value:.2g}") for value in (low, high)]


def _widened(low: float, high: float) -> list[float]:
    """A domain that is never empty."""
    return [low, high] if high > low else [low / 1.5, high * 1.5]
