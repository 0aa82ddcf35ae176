# SPDX-License-Identifier: BSD-3-Clause
"""Results and samples as flat rows, for CSV, Parquet and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from transrank.lab.stats.result import CaseResult, Tail
from transrank.lab.stats.summary import counted_samples
from transrank.lab.store.records import Case, Run

Row = dict[str, Any]


def result_row(result: CaseResult) -> Row:
    """One result; times in seconds, sizes in bytes, None where something is not known."""
    headline = result.headline
    return {
        "study": result.study,
        "case": result.case,
        "ranks": result.shape.ranks,
        "ranks_per_node": result.shape.ranks_per_node,
        "bytes": result.bytes,
        "status": result.status,
        "reason": result.reason,
        "statistic": result.statistic if headline else None,
        "seconds": headline.value if headline else None,
        "low_seconds": headline.low if headline else None,
        "high_seconds": headline.high if headline else None,
        "minimum_seconds": result.minimum,
        "imb_mean_seconds": result.imb.mean if result.imb else None,
        "imb_low_seconds": result.imb.low if result.imb else None,
        "imb_high_seconds": result.imb.high if result.imb else None,
        **_tail_row(result.tail),
        "bytes_per_second": result.rate,
        "bytes_counted": result.bytes_counted,
        "first_rank_seconds": result.first_rank,
        "imbalance": result.imbalance,
        "samples": result.samples,
        "kept": result.kept_share,
        "counted": result.basis if result.samples else None,
        "launches": len(result.launches),
        "launches_left_out": result.launches_left_out,
        "verified_bytes": result.verified,
        "measuring_seconds": result.measuring_seconds,
        "warnings": "; ".join(caution.text for caution in result.warnings) or None,
    }


def _tail_row(tail: Tail | None) -> Row:
    """Statistics of all samples after warm-up, disturbed or not; seconds."""
    return {
        "mean_of_all_seconds": tail.mean if tail else None,
        "p90_of_all_seconds": tail.p90 if tail else None,
        "p99_of_all_seconds": tail.p99 if tail else None,
    }


def result_rows(results: Sequence[CaseResult]) -> Iterator[Row]:
    """One row per case and shape; the axes follow in columns of their own, `axis_NAME`."""
    axes = list(
        dict.fromkeys(name for result in results for name in result.axes if name != "bytes")
    )
    for result in results:
        row = result_row(result)
        # As text: an axis may hold words in one study and numbers in another.
        row.update({f"axis_{name}": _text(result.axes.get(name)) for name in axes})
        yield row


def _text(value: str | int | None) -> str | None:
    return None if value is None else str(value)


def sample_rows(run: Run, cases: Iterable[Case]) -> Iterator[Row]:
    """One row per sample of `cases`, warm-up and disturbed ones included, in the order taken.

    `counted` says which of them the headline is made of: the median over launches of the medians
    of each launch's counted samples.
    """
    for case, counted in counted_samples(run, cases):
        samples = case.samples
        assert samples is not None
        rounds = np.repeat(np.arange(samples.rounds.size), samples.rounds).tolist()
        late = samples.late_seconds
        for i, seconds in enumerate(samples.seconds.tolist()):
            yield {
                "study": case.study,
                "case": case.case,
                "ranks": case.shape.ranks,
                "ranks_per_node": case.shape.ranks_per_node,
                "launch": case.launch,
                "round": rounds[i],
                "sample": i,
                "seconds": seconds,
                "fastest_seconds": float(samples.fastest[i]),
                "flags": int(samples.flags[i]),
                "counted": bool(counted[i]),
                "late_seconds": None if late is None else float(late[i]),
            }
