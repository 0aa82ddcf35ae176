# SPDX-License-Identifier: BSD-3-Clause
"""The number that decides a rule, with its interval, and how likely chance alone explains it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from scipy import special

from transrank.lab import units
from transrank.lab.findings.values import MANY, Value
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.launches import LEAST_LAUNCHES, t_quantile

# What a number is of these times, in their order.
Of = Callable[..., float]
# By which a time is changed for a derivative.
STEP = 1 + 1e-4
# A smaller factor is told in percent.
LEAST_TIMES = 1.05


@dataclass(frozen=True, slots=True)
class Number:
    """A positive number: its logarithm, with standard error and degrees of freedom."""

    center: float
    error: float
    freedom: float

    @property
    def estimate(self) -> Estimate:
        """With its 95 % interval."""
        reach = t_quantile(self.freedom) * self.error
        ends = (self.center, self.center - reach, self.center + reach)
        return Estimate(*map(math.exp, ends))

    def chance(self, bound: float) -> float:
        """The probability of a number so large where the true one is at most `bound`."""
        beyond = self.center - math.log(bound)
        if self.error == 0:
            return 0.0 if beyond > 0 else 1.0
        return float(special.stdtr(self.freedom, -beyond / self.error))


def weigh(of: Of, first: Value, *others: Value) -> Number | None:
    """The number that `of` makes of the values' seconds; None where it is not positive.

    Launches that all values have give a number each, in which cancels what they share: then its
    error is that of their mean. Else the values' own errors propagate, as if they were independent.
    """
    both = set(first.launches).intersection(*(value.launches for value in others))
    values = (first, *others)
    if len(both) >= LEAST_LAUNCHES:
        return _of_launches([of(*(v.launches[launch] for v in values)) for launch in both])
    seconds = [value.seconds for value in values]
    center, parts = of(*seconds), []
    for i, value in enumerate(values):
        up, down = (
            of(*seconds[:i], seconds[i] * step, *seconds[i + 1 :]) for step in (STEP, 1 / STEP)
        )
        if min(center, up, down) <= 0:
            return None
        parts.append((math.log(up / down) / (2 * math.log(STEP)) * value.error) ** 2)
    freedom = _welch(parts, [value.freedom for value in values])
    return Number(math.log(center), math.sqrt(sum(parts)), freedom)


def ratio_of_groups(above: Sequence[float], below: Sequence[float]) -> Number:
    """Of the geometric means of two groups, each with its own scatter (Welch)."""
    (one, first), (other, second) = (
        _mean([math.log(value) for value in group]) for group in (above, below)
    )
    freedom = _welch((first, second), (len(above) - 1, len(below) - 1))
    return Number(one - other, math.sqrt(first + second), freedom)


def _of_launches(numbers: list[float]) -> Number | None:
    if min(numbers) <= 0:
        return None
    center, part = _mean([math.log(number) for number in numbers])
    return Number(center, math.sqrt(part), len(numbers) - 1)


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """And its variance. The modules that know how are slow for a handful of numbers."""
    mean = sum(values) / len(values)
    squares = sum((value - mean) ** 2 for value in values)
    return mean, squares / (len(values) - 1) / len(values)


def _welch(parts: Sequence[float], freedoms: Iterable[float]) -> float:
    """Degrees of freedom of a sum of variances (Satterthwaite)."""
    each = sum(part**2 / freedom for part, freedom in zip(parts, freedoms, strict=True))
    return min(sum(parts) ** 2 / each, MANY) if each else MANY


def factor(ratio: Estimate) -> str:
    """`1.42 times (1.40 to 1.45)`; `1.3 % longer (1.1 % to 1.6 %)` where it is hardly one."""
    text = _percent if ratio.value < LEAST_TIMES else _number
    low, high = ratio.low or ratio.value, ratio.high or ratio.value
    unit = "longer" if ratio.value < LEAST_TIMES else "times"
    return f"{text(ratio.value)} {unit} ({text(low)} to {text(high)})"


def _number(value: float) -> str:
    return units.three_digits(value) if value < 1000 else f"{float(f'{value:.3g}'):,.0f}"


def _percent(value: float) -> str:
    return units.format_percent(value - 1)
