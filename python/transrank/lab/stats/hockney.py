# SPDX-License-Identifier: BSD-3-Clause
"""Hockney's model of a message, a latency and a cost per byte, between changes of protocol.

Source: Hockney, Parallel Computing 20 (1994), 389-398. Each launch has a line of its own, by least
squares of the relative error, so that the scatter between launches gives the intervals.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.launches import LEAST_LAUNCHES, combine
from transrank.lab.stats.result import CaseResult

# A line through fewer sizes says nothing of whether they lie on one.
LEAST_SIZES = 4
# A launch whose samples count at fewer of the sizes has no line.
LEAST_SHARE = 0.75

# Seconds by launch.
Times = Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a curve over message size, from its first to its last size.

    `latency` in seconds and `per_byte` in seconds per byte have intervals over launches; `misfit`
    is the median over sizes of how far the line lies off, as a share of the time.
    """

    first: int
    last: int
    latency: Estimate
    per_byte: Estimate
    misfit: float


def pieces(results: Sequence[CaseResult], breaks: Sequence[int]) -> list[Piece]:
    """Fit the stretches of a curve that begin at the sizes `breaks`.

    Left out are stretches of too few sizes, or whose sizes share too few launches.
    """
    times = _times(results)
    ends = [-1.0, *sorted(breaks), np.inf]
    fitted = (
        _fit({size: times[size] for size in times if low <= size < high})
        for low, high in pairwise(ends)
    )
    return [piece for piece in fitted if piece is not None]


def _fit(stretch: Mapping[int, Times]) -> Piece | None:
    lines = [_line(stretch, sizes, launch) for launch, sizes in _sizes_by_launch(stretch).items()]
    if len(lines) < LEAST_LAUNCHES:
        return None
    latency, per_byte = (
        combine([Estimate(x) for x in column]) for column in zip(*lines, strict=True)
    )
    off = [
        abs(latency.value + per_byte.value * size - middle) / middle
        for size, times in stretch.items()
        for middle in [float(np.median(list(times.values())))]
    ]
    return Piece(min(stretch), max(stretch), latency, per_byte, float(np.median(off)))


def _times(results: Sequence[CaseResult]) -> dict[int, Times]:
    """Seconds by size, each by launch."""
    return {
        result.bytes: {
            launch: median.value
            for launch, median in zip(result.launches, result.launch_medians, strict=True)
        }
        for result in sorted(results, key=lambda result: result.bytes or 0)
        if result.bytes is not None and result.launch_medians
    }


def _sizes_by_launch(stretch: Mapping[int, Collection[int]]) -> dict[int, list[int]]:
    """The launches that most sizes of a stretch have, each with these sizes."""
    found: dict[int, list[int]] = {}
    for size, launches in stretch.items():
        for launch in launches:
            found.setdefault(launch, []).append(size)
    least = max(LEAST_SIZES, LEAST_SHARE * len(stretch))
    return {launch: sizes for launch, sizes in sorted(found.items()) if len(sizes) >= least}


def _line(curve: Mapping[int, Times], sizes: Sequence[int], launch: int) -> tuple[float, float]:
    """Latency and seconds per byte of one launch."""
    times = np.array([curve[size][launch] for size in sizes])
    model = np.stack([1 / times, np.array(sizes) / times], axis=1)
    latency, per_byte = np.linalg.lstsq(model, np.ones_like(times))[0]
    return float(latency), float(per_byte)
