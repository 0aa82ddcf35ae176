# SPDX-License-Identifier: BSD-3-Clause
"""Phrases that several answers use."""

from __future__ import annotations

import math
from collections.abc import Sequence

from transrank.lab import units
from transrank.lab.stats.compare import ratio_of
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.summary import CaseResult
from transrank.lab.view.kinds import ends as ends
from transrank.lab.view.kinds import range_text


def joined(parts: Sequence[str], last: str = "and") -> str:
    """`a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def time_with_interval(result: CaseResult) -> str:
    """`1.42 µs (95 % interval 1.40 to 1.45 µs)`."""
    assert result.headline is not None
    text = units.format_seconds(result.headline.value)
    low, high = result.headline.low, result.headline.high
    if low is None or high is None:
        return text
    return f"{text} (95 % interval {range_text(low, high)})"


def rate_with_interval(result: CaseResult) -> str:
    """`12.9 GB/s (12.8 to 13.0 GB/s)`: the rate, and the interval that follows from its time's."""
    assert result.rate is not None
    text, ends = units.format_rate(result.rate), rate_interval(result)
    return f"{text} ({ends})" if ends else text


def rate_interval(result: CaseResult) -> str:
    """`12.8 to 13.0 GB/s`; empty without an interval."""
    value = result.headline
    if value is None or value.low is None or value.high is None or value.low <= 0:
        return ""
    low, high = (units.format_rate(result.bytes_counted / end) for end in (value.high, value.low))
    number, unit = low.split(" ")
    return f"{number} to {high}" if high.endswith(f" {unit}") else f"{low} to {high}"


def times(ratio: Estimate) -> str:
    """`1.42 times (1.40 to 1.45)`: a ratio that has an interval."""
    return f"{units.three_digits(ratio.value)} times ({ends(ratio)})"


def percent(share: Estimate) -> str:
    """`85 % (83 % to 88 %)`: a share that has an interval."""
    return f"{units.format_percent(share.value)} ({ends(share, units.format_percent)})"


def times_as_long(baseline: CaseResult, candidate: CaseResult) -> str:
    """`1.42 times (1.40 to 1.45)`; empty with too few launches for an interval."""
    ratio = ratio_of(baseline, candidate)
    return times(ratio) if ratio is not None else ""


def nearest(results: Sequence[CaseResult], size: int) -> CaseResult | None:
    """The result whose size is nearest to `size` by ratio; the larger of two equally near."""
    sized = [(result.bytes, result) for result in results if result.bytes is not None]
    if not sized:
        return None
    return min(sized, key=lambda pair: (_distance(pair[0], size), -pair[0]))[1]


def _distance(one: int, other: int) -> float:
    return abs(math.log2((one + 1) / (other + 1)))


def largest(results: Sequence[CaseResult]) -> CaseResult | None:
    """The result of the largest size."""
    sized = [(result.bytes, result) for result in results if result.bytes is not None]
    return max(sized, key=lambda pair: pair[0])[1] if sized else None


def best_rate(results: Sequence[CaseResult]) -> CaseResult | None:
    """The result with the highest rate."""
    rated = [(result.rate, result) for result in results if result.rate is not None]
    return max(rated, key=lambda pair: pair[0])[1] if rated else None


def kept_share(results: Sequence[CaseResult]) -> str:
    """`97 % kept`: the share of these results' samples that count."""
    taken = sum(result.samples for result in results)
    if not taken:
        return "samples unknown"
    return f"{units.format_percent(sum(result.counted for result in results) / taken)} kept"


def kept_sentence(results: Sequence[CaseResult]) -> str:
    """`97 % of 1,234 samples are kept.`, for below a figure or a table; empty without samples."""
    return kept_words(
        sum(result.counted for result in results), sum(result.samples for result in results)
    )


def kept_words(clean: int, taken: int) -> str:
    """The same for `clean` undisturbed samples of `taken`."""
    if not taken:
        return ""
    return f"{units.format_percent(clean / taken)} of {taken:,} samples are kept."


def sentence(text: str) -> str:
    """`text` with a capital first letter; the rest is left alone."""
    return text[:1].upper() + text[1:]


def are(number: int) -> str:
    """`was` or `were`."""
    return "was" if number == 1 else "were"
