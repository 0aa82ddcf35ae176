# SPDX-License-Identifier: BSD-3-Clause
"""Whether the numbers of a run can be used, and which of them are none."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from transrank.lab.stats.advice import busy_machine
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.result import CaseResult
from transrank.lab.store.records import Run
from transrank.lab.units import format_percent, format_spread

# A value whose 95 % interval spans a larger factor tells nothing.
WIDEST_FACTOR = 2.0
NOT_MEASURED = "not measured"

USABLE, WITH_CARE, NOT_USABLE = "usable", "usable with care", "not usable"
# Of a usable run: how wide few of its intervals may be, how many are few, and the median width.
WIDE, FEW, USUAL_WIDTH = 0.1, 0.2, 0.06
# A run of which less has a value is not usable.
LEAST_MEASURED = 0.5


class Trust(NamedTuple):
    """A grade, and why the run has it."""

    grade: str
    why: str

    def __str__(self) -> str:
        return f"{self.grade}: {self.why}"


def trust_in(run: Run, results: Sequence[CaseResult]) -> Trust:
    """The grade of a run, of which these are the results."""
    for caution in busy_machine(run):
        return Trust(NOT_USABLE, caution.text)
    tried = [result for result in results if result.status != "skipped"]
    told = [result for result in tried if _is_told(result)]
    if not tried or len(told) < LEAST_MEASURED * len(tried):
        return Trust(NOT_USABLE, f"{len(tried) - len(told)} of {len(tried)} cases have no value")
    widths = [width for result in told if (width := _width(result)) is not None]
    if len(widths) < LEAST_MEASURED * len(told):
        return Trust(WITH_CARE, f"{len(told) - len(widths)} of {len(told)} values have no interval")
    share, usual = float(np.mean(np.array(widths) > WIDE)), float(np.median(widths))
    if share <= FEW and usual > USUAL_WIDTH:
        return Trust(WITH_CARE, f"half of the intervals are wider than {format_spread(usual)}")
    grade = USABLE if share <= FEW else WITH_CARE
    text = f"{format_percent(share)} of the intervals are wider than {format_percent(WIDE)}"
    return Trust(grade, text)


def without_noise(results: Iterable[CaseResult]) -> list[CaseResult]:
    """The results; those with an interval wider than WIDEST_FACTOR have no value, but say so."""
    return [result if _is_told(result) else _not_measured(result) for result in results]


def is_noise(estimate: Estimate) -> bool:
    """Whether an interval spans more than WIDEST_FACTOR."""
    low, high = estimate.low, estimate.high
    return low is not None and high is not None and high > WIDEST_FACTOR * low


def _is_told(result: CaseResult) -> bool:
    return result.headline is not None and not is_noise(result.headline)


def _width(result: CaseResult) -> float | None:
    return None if result.headline is None else result.headline.relative_width


def _not_measured(result: CaseResult) -> CaseResult:
    if result.headline is None:
        return result
    why = f"the 95 % interval is wider than a factor of {WIDEST_FACTOR:.0f}"
    return dataclasses.replace(result, status=NOT_MEASURED, reason=why, headline=None)
