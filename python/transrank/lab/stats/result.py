# SPDX-License-Identifier: BSD-3-Clause
"""The result of one case of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from transrank.lab.stats.drift import Drift
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.launches import Groups
from transrank.lab.stats.placed import Placed
from transrank.lab.store.lines import Shape


@dataclass(frozen=True, slots=True)
class Caution:
    """A warning, and what to do about it."""

    text: str
    hint: str


@dataclass(frozen=True, slots=True)
class ImbMean:
    """Means as IMB and OSU print them: each rank's mean over samples; mean and extremes over ranks.

    Over all samples after warm-up, flagged or not. If only rank 0's clock counts, its mean.
    With several launches the median over launches of each of the three.
    """

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Tail:
    """Statistics of all samples after warm-up, disturbed ones included, as programs see them."""

    mean: float
    p90: float
    p99: float


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case of a run, over all launches of one shape. Times are seconds per operation.

    Attributes
    ----------
    status
        `ok`; `wide` if the interval is wider than the requested precision, or there are too few
        launches for one; `skipped` or `failed` with the `reason`.
    headline
        the value to quote: the median, or the mean if only means are known (imported results).
        None without a value.
    statistic
        `median` or `mean`: which one `headline` is.
    minimum
        the fastest sample that counts.
    first_rank
        the time of the rank that was done first: median over launches of the medians over samples.
    imbalance
        median over samples of (slowest - fastest rank) / slowest.
    tail
        over all samples after warm-up, disturbed or not; None if only means are known.
    samples, kept
        the number of samples after warm-up in all launches, and the share of them that counts.
    basis
        the requirement on samples that count: see `transrank.lab.stats.selection.BASES`.
    launches, launch_medians
        the launches that count, and the median of each with its own interval.
    launches_left_out
        the number of other launches, of which too few samples count.
    launch_imb
        the IMB mean of every launch.
    memory_copy
        seconds of the copy of 4 MiB beside the samples that count, median over launches; None if
        it was not measured.
    placed
        the placement of the participating ranks; None if unknown (imported results).
    groups, drift
        groups of launches that differ, and a trend over rounds; None if there are none.
    bytes_counted
        bytes that one operation counts for `rate`, by the study's convention.
    """

    study: str
    case: str
    axes: Mapping[str, str | int]
    shape: Shape
    status: str
    reason: str | None = None
    headline: Estimate | None = None
    statistic: str = "median"
    minimum: float | None = None
    imb: ImbMean | None = None
    first_rank: float | None = None
    imbalance: float | None = None
    tail: Tail | None = None
    samples: int = 0
    kept: float = 0.0
    basis: str = "clean"
    launches: tuple[int, ...] = ()
    launch_medians: tuple[Estimate, ...] = ()
    launch_imb: tuple[float, ...] = ()
    bytes_counted: float = 0.0
    verified: int = 0
    measuring_seconds: float = 0.0
    timing: str | None = None
    launches_left_out: int = 0
    memory_copy: float | None = None
    placed: Placed | None = None
    groups: Groups | None = None
    drift: Drift | None = None
    warnings: tuple[Caution, ...] = ()

    @property
    def by_launch(self) -> dict[int, float]:
        """The median of each launch that counts."""
        pairs = zip(self.launches, self.launch_medians, strict=True)
        return {launch: median.value for launch, median in pairs}

    @property
    def median(self) -> Estimate | None:
        """The headline if it is a median."""
        return self.headline if self.statistic == "median" else None

    @property
    def imb_mean(self) -> float | None:
        return None if self.imb is None else self.imb.mean

    @property
    def bytes(self) -> int | None:
        """The message size in bytes, if the case has one."""
        size = self.axes.get("bytes")
        return size if isinstance(size, int) else None

    @property
    def rate(self) -> float | None:
        """Counted bytes per second at the headline."""
        if self.headline is None or self.headline.value <= 0 or self.bytes_counted <= 0:
            return None
        return self.bytes_counted / self.headline.value

    @property
    def range(self) -> tuple[float, float] | None:
        """The lowest and the highest end of the launches' own intervals."""
        ends = [
            end
            for launch in self.launch_medians
            for end in (launch.value, launch.low, launch.high)
            if end is not None
        ]
        return (min(ends), max(ends)) if ends else None

    @property
    def seconds(self) -> float:
        """The headline's value, infinite without one."""
        return math.inf if self.headline is None else self.headline.value

    @property
    def kept_share(self) -> float | None:
        """The share of the samples that counts, None if there are no samples."""
        return self.kept if self.samples else None

    def text(self, axis: str) -> str:
        """The value of an axis, empty if the case has no such axis."""
        return str(self.axes.get(axis, ""))

    @property
    def counted(self) -> int:
        """Samples that count."""
        return round(self.kept * self.samples)

    @property
    def measured(self) -> bool:
        return self.headline is not None
