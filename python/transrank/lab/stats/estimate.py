# SPDX-License-Identifier: BSD-3-Clause
"""A value with its 95 % interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

# Surveys of one machine, minutes apart, differ by so much more, relative and with 95 % confidence,
# than the launches of each let expect. Measured by benchmarks/aa.py.
BETWEEN_SURVEYS = 0.01
# The width of an interval that has no other part.
LEAST_WIDTH = 2 * BETWEEN_SURVEYS


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and the ends of its 95 % interval, None if it has no interval."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def relative_width(self) -> float | None:
        """(high - low) / value: what `--precision` bounds. None without an interval."""
        if self.low is None or self.high is None or self.value == 0:
            return None
        return (self.high - self.low) / self.value

    @property
    def relative_error(self) -> float | None:
        """The distance of the farther end from the value, relative to it: 0.011 for `±1.1 %`."""
        if self.low is None or self.high is None or self.value == 0:
            return None
        return max(self.high - self.value, self.value - self.low) / self.value

    def scaled(self, factor: float) -> Estimate:
        """The same estimate in another unit; `factor` is positive."""
        low = None if self.low is None else self.low * factor
        high = None if self.high is None else self.high * factor
        return Estimate(self.value * factor, low, high)

    def across_surveys(self) -> Estimate:
        """The estimate with an interval for what other surveys of the machine find.

        BETWEEN_SURVEYS is added in quadrature to either side of the logarithm.
        """
        if self.low is None or self.high is None or self.low <= 0:
            return self
        further = math.log1p(BETWEEN_SURVEYS)
        below = math.hypot(math.log(self.value / self.low), further)
        above = math.hypot(math.log(self.high / self.value), further)
        return Estimate(self.value, self.value * math.exp(-below), self.value * math.exp(above))
