# SPDX-License-Identifier: BSD-3-Clause
"""The columns of a result, for programs, a terminal and the page: a line of code for each.

Programs see all that have a name: times in seconds, sizes in bytes, None where something is not
known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.result import CaseResult
from transrank.lab.study import launch
from transrank.lab.view.kinds import (
    COUNT,
    DASH,
    ERROR,
    INTERVAL,
    MEGABYTES,
    NUMBER,
    RATE,
    SECONDS,
    SHARE,
    WORDS,
    dash_text,
)
from transrank.lab.view.table import Column, field

# The marks of a row, and what they mean.
MARKS = {
    "~": "the interval is wider than the requested precision, or too few launches give one",
    "!": "failed or skipped in some launches",
}


def _of(part: str, name: str) -> Callable[[CaseResult], Any]:
    """What a part of a result has under a name; None where the part is not known."""
    return lambda result: None if (found := getattr(result, part)) is None else getattr(found, name)


# Where people see a column: in a terminal, there with --verbose, on the page.
TERMINAL, VERBOSE, PAGE = "t", "v", "p"
COLUMNS: tuple[tuple[str, Column], ...] = (
    ("", field("study", lambda result: result.study)),
    ("", field("case", lambda result: result.case)),
    ("p", Column("ranks", COUNT, lambda result: result.shape.ranks, "ranks")),
    ("", field("ranks_per_node", lambda result: result.shape.ranks_per_node)),
    ("p", Column("per node", NUMBER, lambda result: result.shape.ranks_per_node or None)),
    ("", field("bytes", lambda result: result.bytes)),
    ("", field("status", lambda result: result.status)),
    ("", field("reason", lambda result: result.reason)),
    ("", field("statistic", lambda result: result.statistic if result.headline else None)),
    ("tp", Column("median", SECONDS, _of("headline", "value"), "seconds")),
    ("", field("low_seconds", _of("headline", "low"))),
    ("", field("high_seconds", _of("headline", "high"))),
    ("t", Column("±", ERROR, lambda result: result.headline)),
    ("t", Column("95 % interval", DASH, lambda r: dash_text(r.headline) or _range(r))),
    ("p", Column("95 % interval", INTERVAL, lambda result: result.headline)),
    ("tp", Column("launches", NUMBER, lambda result: len(result.launches), "launches")),
    ("t", Column("first rank", SECONDS, lambda result: _first_rank(result))),
    ("", field("first_rank_seconds", lambda result: result.first_rank)),
    ("t", Column("rate", RATE, lambda result: result.rate)),
    ("p", Column("MB/s", MEGABYTES, lambda result: result.rate, "bytes_per_second")),
    ("", field("bytes_counted", lambda result: result.bytes_counted)),
    ("p", Column("fastest sample", SECONDS, lambda result: result.minimum, "minimum_seconds")),
    ("tvp", Column("IMB mean", SECONDS, lambda r: r.imb_mean, "imb_mean_seconds", optional=True)),
    ("t", Column("over ranks", DASH, lambda result: _over_ranks(result))),
    ("", field("imb_low_seconds", _of("imb", "low"))),
    ("", field("imb_high_seconds", _of("imb", "high"))),
    ("vp", Column("mean of all", SECONDS, _of("tail", "mean"), "mean_of_all_seconds")),
    ("vp", Column("P90 of all", SECONDS, _of("tail", "p90"), "p90_of_all_seconds")),
    ("vp", Column("P99 of all", SECONDS, _of("tail", "p99"), "p99_of_all_seconds")),
    ("vp", Column("imbalance", SHARE, lambda result: result.imbalance, "imbalance")),
    ("p", Column("samples", COUNT, lambda result: result.samples, "samples")),
    ("vp", Column("kept", SHARE, lambda result: result.kept_share, "kept")),
    ("", field("counted", lambda result: result.basis if result.samples else None)),
    ("", field("launches_left_out", lambda result: result.launches_left_out)),
    ("", field("verified_bytes", lambda result: result.verified)),
    ("", field("measuring_seconds", lambda result: result.measuring_seconds)),
    ("", field("warnings", lambda result: "; ".join(x.text for x in result.warnings) or None)),
    ("t", Column("", WORDS, lambda result: marks(result))),
    ("p", Column("state", WORDS, lambda result: _state(result))),
)


def columns(where: str, results: Sequence[CaseResult]) -> list[Column]:
    """Those that people see there of these results; of imported means, IMB's is the value."""
    shown = [column for places, column in COLUMNS if where in places]
    kinds = {result.statistic for result in results if result.measured}
    if "mean" in kinds:
        value = " or ".join(sorted(kinds, reverse=True))
        shown = [replace(c, heading=value) if c.name == "seconds" else c for c in shown]
    return [c for c in shown if kinds != {"mean"} or c.name != "imb_mean_seconds"]


def record(result: CaseResult) -> dict[str, Any]:
    """One result for programs."""
    return {column.name: column.value(result) for _, column in COLUMNS if column.name}  # type: ignore[misc]


def records(results: Sequence[CaseResult]) -> Iterator[dict[str, Any]]:
    """One per case and shape; the axes follow in columns of their own, `axis_NAME`."""
    axes = dict.fromkeys(name for result in results for name in result.axes if name != "bytes")
    for result in results:
        # As text: an axis may hold words in one study and numbers in another.
        yield record(result) | {f"axis_{axis}": result.text(axis) or None for axis in axes}


def marks(result: CaseResult) -> str:
    """The letters of MARKS that apply to a result."""
    applies = {"~": result.status == "wide", "!": result.reason is not None}
    return "".join(mark for mark, holds in applies.items() if holds)


def _first_rank(result: CaseResult) -> float | None:
    """Of a job start, whose value is the last rank's."""
    return result.first_rank if result.study == launch.NAME else None


def _range(result: CaseResult) -> str | None:
    """The range of launches that are too few for an interval, in brackets."""
    if result.range is None or result.statistic == "mean":
        return None
    return f"({dash_text(Estimate(result.range[0], *result.range))})"


def _over_ranks(result: CaseResult) -> Estimate | None:
    """The range over ranks of an imported mean."""
    if result.statistic != "mean" or result.imb is None or result.imb.low == result.imb.high:
        return None
    return Estimate(result.imb.mean, result.imb.low, result.imb.high)


def _state(result: CaseResult) -> str:
    if result.reason and result.status != "ok":
        return f"{result.status}: {result.reason}"
    return result.reason or result.status
