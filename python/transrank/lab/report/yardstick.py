# SPDX-License-Identifier: BSD-3-Clause
"""The reference for bandwidths on every machine: one core's memcpy beyond the caches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from transrank.lab import units
from transrank.lab.report.curves import Curve, Point
from transrank.lab.report.measured import Measured
from transrank.lab.report.palette import Style
from transrank.lab.report.phrases import percent, rate_with_interval, times
from transrank.lab.stats.compare import ratio_of
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.summary import CaseResult

STUDY = "memory-copy"
PLAIN_COPY, ALONE = "memcpy", "alone"
NAME = "memcpy beyond the caches"


@dataclass(frozen=True, slots=True)
class Yardstick:
    """`beyond` is a copy larger than the last-level cache, `within` the fastest copy in it."""

    beyond: CaseResult
    within: CaseResult | None

    def share(self, result: CaseResult) -> Estimate | None:
        """A result's rate over that of the yardstick; None without an interval of both."""
        ratio = ratio_of(result, self.beyond)
        if ratio is None:
            return None
        return ratio.scaled(result.bytes_counted / self.beyond.bytes_counted)

    def share_text(self, result: CaseResult) -> str:
        """`85 % (83 % to 88 %) of memcpy beyond the caches`; above it, how many times its rate.

        Empty without an interval of both.
        """
        share = self.share(result)
        if share is None:
            return ""
        how_much = f"{times(share)} the rate" if share.value > 1 else percent(share)
        return f"{how_much} of {NAME}"

    @property
    def facts(self) -> str:
        """`9.99 GB/s (9.55 to 10.3 GB/s) by one core in 256 MiB; in cache 90.6 GB/s (4 KiB)`."""
        text = f"{rate_with_interval(self.beyond)} by one core in {_size(self.beyond)}"
        if self.within is not None and self.within.rate is not None:
            text += f"; in cache {units.format_rate(self.within.rate)} ({_size(self.within)})"
        return text


def yardstick_of(run: Measured) -> Yardstick | None:
    """The yardstick of a run; None if no such copy was measured, or no cache is known."""
    cache = last_level_cache(run.run.header.machine)
    copies: dict[int, CaseResult] = {}
    for result in sorted(run.of_study(STUDY), key=lambda result: result.shape):
        if is_plain(result) and result.rate is not None and result.bytes is not None:
            copies.setdefault(result.bytes, result)
    if cache is None or not copies or max(copies) <= cache:
        return None
    # A copy has two buffers.
    held = [result for size, result in copies.items() if 2 * size <= cache]
    within = max(held, key=lambda result: result.rate or 0.0, default=None)
    return Yardstick(copies[max(copies)], within)


def last_level_cache(machine: Mapping[str, Any]) -> int | None:
    """Bytes of one cache of the highest level; None if unknown."""
    known = [
        (cache["level"], cache["bytes"])
        for cache in machine.get("caches", ())
        if isinstance(cache, Mapping)
        and isinstance(cache.get("level"), int)
        and isinstance(cache.get("bytes"), int)
    ]
    return max(known)[1] if known else None


def is_plain(result: CaseResult) -> bool:
    """Whether one core copied by memcpy."""
    return result.axes.get("kernel") == PLAIN_COPY and result.axes.get("active") == ALONE


def share_of_memcpy(run: Measured, result: CaseResult) -> str:
    """`85 % (83 % to 88 %) of memcpy beyond the caches`; empty if unknown."""
    yardstick = yardstick_of(run)
    return yardstick.share_text(result) if yardstick is not None else ""


def yardstick_line(run: Measured, curves: Sequence[Curve], several: bool) -> list[Curve]:
    """The yardstick among rates of messages, at all of their sizes; empty if unknown."""
    yardstick = yardstick_of(run)
    sizes = sorted({point.x for curve in curves for point in curve.points})
    if yardstick is None or yardstick.beyond.rate is None:
        return []
    rate = yardstick.beyond.rate
    label = NAME + (f", {run.name}" if several else "")
    points = tuple(Point(size, size / rate, size / rate, size / rate, rate) for size in sizes)
    return [Curve(label, label, Style("var(--muted)", dash=(1, 0)), points, published=True)]


def _size(result: CaseResult) -> str:
    assert result.bytes is not None
    return units.format_bytes(result.bytes)
