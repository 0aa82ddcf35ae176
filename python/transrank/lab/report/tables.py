# SPDX-License-Identifier: BSD-3-Clause
"""Columns that several tables of the page have, and the table of all numbers of a study."""

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
from transrank.lab.view.table import Column, Table, labelled

CASE = Column("case", WORDS, lambda result: result.case)
SHAPE = Column("ranks", WORDS, lambda result: str(result.shape))
TIME = Column("time", SECONDS, lambda result: result.seconds)
ENDS = Column("95 % interval", INTERVAL, lambda result: result.headline)
KEPT = Column("kept", SHARE, lambda result: result.kept_share)
NUMBERS = (
    Column("ranks", COUNT, lambda result: result.shape.ranks),
    Column("per node", NUMBER, lambda result: result.shape.ranks_per_node or None),
    Column("median", VALUE, lambda result: result.median),
    Column("95 % interval", INTERVAL, lambda result: result.median),
    Column("fastest sample", SECONDS, lambda result: _if_measured(result, "minimum")),
    Column("MB/s", MEGABYTES, lambda result: _if_measured(result, "rate")),
    Column("IMB mean", SECONDS, lambda result: _if_measured(result, "imb_mean")),
    Column("mean of all", SECONDS, lambda result: _of_all(result, "mean")),
    Column("P90 of all", SECONDS, lambda result: _of_all(result, "p90")),
    Column("P99 of all", SECONDS, lambda result: _of_all(result, "p99")),
    Column("imbalance", SHARE, lambda result: _if_measured(result, "imbalance")),
    Column("samples", COUNT, lambda result: _if_measured(result, "samples") or None),
    Column("kept", SHARE, lambda result: _if_measured(result, "kept") if result.samples else None),
    Column("launches", NUMBER, lambda result: len(result.launches)),
    Column("state", WORDS, lambda result: _state(result)),
)


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
    return labelled(caption, Column("run", WORDS), columns, pairs, status)


def status(result: CaseResult) -> str:
    """The state of a row that is a result."""
    return result.status


def words(*headings: str) -> tuple[Column, ...]:
    """Columns of rows that are sequences, with words in them."""
    return tuple(Column(heading, WORDS) for heading in headings)


def of_axis(axis: str) -> Column:
    """A column of the words of an axis, under its name."""
    return Column(axis, WORDS, lambda result: result.text(axis))


def _of_axis(axis: str) -> Column:
    if axis == "bytes":
        return Column("size", NUMBER, lambda result: _size(result.axes.get("bytes")))
    return Column(axis.replace("_", " "), WORDS, lambda result: result.axes.get(axis))


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
