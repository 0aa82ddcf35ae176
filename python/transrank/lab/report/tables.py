# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the page: text cells, and the table of all numbers of a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from transrank.lab.report.measured import Measured
from transrank.lab.stats.result import CaseResult
from transrank.lab.units import format_bytes
from transrank.lab.view.kinds import (
    COUNT,
    INTERVAL,
    MEGABYTES,
    NUMBER,
    SECONDS,
    SHARE,
    VALUE,
    WORDS,
)
from transrank.lab.view.kinds import range_text as range_text
from transrank.lab.view.table import NOTHING as NOTHING
from transrank.lab.view.table import Column as Of
from transrank.lab.view.table import Row as Row
from transrank.lab.view.table import Table as Table
from transrank.lab.view.table import labelled

CASE = Of("case", WORDS, lambda result: result.case)
SHAPE = Of("ranks", WORDS, lambda result: str(result.shape))
TIME = Of("time", SECONDS, lambda result: result.seconds)
ENDS = Of("95 % interval", INTERVAL, lambda result: result.headline)
KEPT = Of("kept", SHARE, lambda result: result.kept_share)
NUMBERS = (
    Of("ranks", COUNT, lambda result: result.shape.ranks),
    Of("per node", NUMBER, lambda result: result.shape.ranks_per_node or None),
    Of("median", VALUE, lambda result: result.median),
    Of("95 % interval", INTERVAL, lambda result: result.median),
    Of("fastest sample", SECONDS, lambda result: _if_measured(result, "minimum")),
    Of("MB/s", MEGABYTES, lambda result: _if_measured(result, "rate")),
    Of("IMB mean", SECONDS, lambda result: _if_measured(result, "imb_mean")),
    Of("mean of all", SECONDS, lambda result: _of_all(result, "mean")),
    Of("P90 of all", SECONDS, lambda result: _of_all(result, "p90")),
    Of("P99 of all", SECONDS, lambda result: _of_all(result, "p99")),
    Of("imbalance", SHARE, lambda result: _if_measured(result, "imbalance")),
    Of("samples", COUNT, lambda result: _if_measured(result, "samples") or None),
    Of("kept", SHARE, lambda result: _if_measured(result, "kept") if result.samples else None),
    Of("launches", NUMBER, lambda result: len(result.launches)),
    Of("state", WORDS, lambda result: _state(result)),
)


class Column(Of):
    """A column of texts."""

    def __init__(self, heading: str, number: bool = True) -> None:
        super().__init__(heading, NUMBER if number else WORDS)


def numbers_table(study: str, measured: Sequence[Measured]) -> Table:
    """Every case of a study: value, interval, samples kept, statistics of all samples."""
    chosen = [(run, result) for run in measured for result in run.results if result.study == study]
    axes = list(dict.fromkeys(axis for _, result in chosen for axis in result.axes))
    axes.sort(key=lambda axis: axis == "bytes")
    columns = (*(_of_axis(axis) for axis in axes), *NUMBERS)
    caption = f"All numbers of {study}"
    if len(measured) == 1:
        return Table(caption, columns, [result for _, result in chosen], status)
    pairs = [(run.name, result) for run, result in chosen]
    return labelled(caption, Of("run", WORDS), columns, pairs, status)


def status(result: CaseResult) -> str:
    """The state of a row that is a result."""
    return result.status


def words(*headings: str) -> tuple[Of, ...]:
    """Columns of rows that are sequences, with words in them."""
    return tuple(Of(heading, WORDS) for heading in headings)


def of_axis(axis: str) -> Of:
    """A column of the words of an axis, under its name."""
    return Of(axis, WORDS, lambda result: result.text(axis))


def _of_axis(axis: str) -> Of:
    if axis == "bytes":
        return Of("size", NUMBER, lambda result: _size(result.axes.get("bytes")))
    return Of(axis.replace("_", " "), WORDS, lambda result: result.axes.get(axis))


def _size(value: str | int | None) -> str | None:
    return format_bytes(value) if isinstance(value, int) else value


def _if_measured(result: CaseResult, name: str) -> Any:
    return getattr(result, name) if result.headline is not None else None


def _of_all(result: CaseResult, name: str) -> float | None:
    tail = _if_measured(result, "tail")
    return getattr(tail, name) if tail is not None else None


def _state(result: CaseResult) -> str:
    if result.reason and result.status != "ok":
        return f"{result.status}: {result.reason}"
    return result.reason or result.status
