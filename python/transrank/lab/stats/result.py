# SPDX-License-Identifier: BSD-3-Clause
"""What a run says of one case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from transrank.lab.stats.drift import Drift
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.launches import Groups
from transrank.lab.stats.placed import Placed
from transrank.lab.store.lines import Shape


@dataclass(frozen=True, slots=True)
class Caution:
    """Something to beware of, and what to do about it."""

    text: str
    hint: str


@dataclass(frozen=True, slots=True)
class ImbMean:
    """Means as IMB and OSU print them: each rank's mean over samples; mean and extremes over ranks.

    Over all samples after warm-up, flagged or not. Where rank 0's clock alone counts, its mean.
    With several launches the median over launches of each of the three.
    """

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Tail:
    """What programs meet that cannot leave disturbed calls out: of all samples after warm-up."""

    mean: float
    p90: float
    p99: float


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case of a run, over all launches of one shape. Times are seconds per operation.

    Attributes
    ----------
    status
        `ok`; `wide` when the interval is wider than the precision asked for, or there is none for
        want of launches; `skipped` or `failed` with the `reason`.
    headline
        what to quote: the median, or the mean where only means are known (imported results).
        None without a value.
    statistic
        `median` or `mean`: which one `headline` is.
    minimum
        the fastest sample that counts.
    imbalance
        median over samples of (slowest - fastest rank) / slowest.
    tail
        of all samples after warm-up, whatever disturbed them; None where only means are known.
    samples, kept
        samples after warm-up, all launches, and the share of them that count.
    basis
        what was asked of the samples that count: see `transrank.lab.stats.selection.BASES`.
    launches, launch_medians
        the launches that count, and the median of each with its own interval.
    launches_left_out
        how many others there were: too few of their samples count.
    launch_imb
        the IMB mean of every launch.
    placed
        where the ranks were that took part; None where nobody knows (imported results).
    groups, drift
        what tells of launches that differ and of a trend over rounds; None when nothing does.
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
    placed: Placed | None = None
    groups: Groups | None = None
    drift: Drift | None = None
    warnings: tuple[Caution, ...] = ()

    @property
    def median(self) -> Estimate | None:
        """The headline where it is a median."""
        return self.headline if self.statistic == "median" else None

    @property
    def imb_mean(self) -> float | None:
        return None if self.imb is None else self.imb.mean

    @property
    def bytes(self) -> int | None:
        """The message size, where the case has one."""
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
        """From the lowest to the highest end that the launches' own intervals have."""
        ends = [
            end
            for launch in self.launch_medians
            for end in (launch.value, launch.low, launch.high)
            if end is not None
        ]
        return (min(ends), max(ends)) if ends else None

    @property
    def counted(self) -> int:
        """Samples that count."""
        return round(self.kept * self.samples)

    @property
    def measured(self) -> bool:
        return self.headline is not None
