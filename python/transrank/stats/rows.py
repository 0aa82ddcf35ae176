# SPDX-License-Identifier: BSD-3-Clause
"""Results and samples as flat rows: what CSV, Parquet and JSON are written from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from transrank.stats.result import CaseResult
from transrank.store.lines import Case

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
        "bytes_per_second": result.rate,
        "bytes_counted": result.bytes_counted,
        "imbalance": result.imbalance,
        "samples": result.samples,
        "kept": result.kept if result.samples else None,
        "launches": len(result.launches),
        "verified_bytes": result.verified,
        "measuring_seconds": result.measuring_seconds,
        "warnings": "; ".join(caution.text for caution in result.warnings) or None,
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


def sample_rows(cases: Iterable[Case]) -> Iterator[Row]:
    """One row per sample, warm-up and disturbed ones included, in the order taken."""
    for case in cases:
        if case.samples is None:
            continue
        samples = case.samples
        rounds = [number for number, count in enumerate(samples.rounds) for _ in range(count)]
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
                "late_seconds": None if late is None else float(late[i]),
            }
