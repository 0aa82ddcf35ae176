# SPDX-License-Identifier: BSD-3-Clause
"""Columns that several tables of the page have, and the table of all numbers of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from transrank.lab.report.measured import Measured
from transrank.lab.stats.result import CaseResult
from transrank.lab.units import format_bytes
from transrank.lab.view.kinds import INTERVAL, NUMBER, SECONDS, SHARE, WORDS
from transrank.lab.view.results import PAGE, columns
from transrank.lab.view.table import Column, Table, labelled

CASE = Column("case", WORDS, lambda result: result.case)
SHAPE = Column("ranks", WORDS, lambda result: str(result.shape))
TIME = Column("time", SECONDS, lambda result: result.seconds)
ENDS = Column("95 % interval", INTERVAL, lambda result: result.headline)
KEPT = Column("kept", SHARE, lambda result: result.kept_share)


def numbers_table(study: str, measured: Sequence[Measured]) -> Table:
    """Every case of a study: value, interval, samples kept, statistics of all samples."""
    chosen = [
        (run.name, result if result.measured else _nothing(result))
        for run in measured
        for result in run.results
        if result.study == study
    ]
    results = [result for _, result in chosen]
    axes = list(dict.fromkeys(axis for result in results for axis in result.axes))
    axes.sort(key=lambda axis: axis == "bytes")
    shown = (*(_of_axis(axis) for axis in axes), *columns(PAGE, results))
    caption = f"All numbers of {study}"
    if len(measured) == 1:
        return Table(caption, shown, results, status)
    return labelled(caption, Column("run", WORDS), shown, chosen, status)


def _nothing(result: CaseResult) -> CaseResult:
    """A result without a value, and so without anything else that was measured."""
    return replace(result, minimum=None, imb=None, tail=None, imbalance=None, samples=0)


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
