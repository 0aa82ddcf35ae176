# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the page: text cells, and the table of all numbers of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transrank.lab import units
from transrank.lab.report.measured import Measured
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.summary import CaseResult

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Column:
    """A column; numbers are aligned to the right."""

    heading: str
    number: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table; `state` is a case's status, for styling."""

    cells: tuple[str, ...]
    state: str = "ok"


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its caption."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


def interval_text(estimate: Estimate | None) -> str:
    """The ends of an interval: `18.0 to 18.4 µs`."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return NOTHING
    return range_text(estimate.low, estimate.high)


def range_text(low: float, high: float) -> str:
    """Two times; a common unit is written once."""
    first, last = units.format_seconds(low), units.format_seconds(high)
    if first == last:
        return last
    number, unit = first.split(" ")
    return f"{number} to {last}" if last.endswith(f" {unit}") else f"{first} to {last}"


def megabytes_text(rate: float | None) -> str:
    """MB/s (10^6) as IMB prints them, with three significant digits."""
    return NOTHING if rate is None else f"{float(f'{rate / 1e6:.3g}'):,.10g}"


def numbers_table(study: str, measured: Sequence[Measured]) -> Table:
    """Every case of a study: value, interval, samples kept, statistics of all samples."""
    chosen = [(run, result) for run in measured for result in run.results if result.study == study]
    axes = list(dict.fromkeys(axis for _, result in chosen for axis in result.axes))
    axes.sort(key=lambda axis: axis == "bytes")
    several = len(measured) > 1
    columns = (
        *((Column("run", number=False),) if several else ()),
        *(Column(_axis_heading(axis), number=axis == "bytes") for axis in axes),
        Column("ranks"),
        Column("per node"),
        Column("median"),
        Column("95 % interval"),
        Column("fastest sample"),
        Column("MB/s"),
        Column("IMB mean"),
        Column("mean of all"),
        Column("P90 of all"),
        Column("P99 of all"),
        Column("imbalance"),
        Column("samples"),
        Column("kept"),
        Column("launches"),
        Column("state", number=False),
    )
    rows = tuple(
        Row(
            (
                *((run.name,) if several else ()),
                *(_axis_text(axis, result) for axis in axes),
                *_numbers(result),
            ),
            result.status,
        )
        for run, result in chosen
    )
    return Table(f"All numbers of {study}", columns, rows)


def _axis_heading(axis: str) -> str:
    return "size" if axis == "bytes" else axis.replace("_", " ")


def _axis_text(axis: str, result: CaseResult) -> str:
    value = result.axes.get(axis)
    if value is None:
        return NOTHING
    return units.format_bytes(value) if axis == "bytes" and isinstance(value, int) else str(value)


def _numbers(result: CaseResult) -> tuple[str, ...]:
    per_node = result.shape.ranks_per_node
    head = (str(result.shape.ranks), str(per_node) if per_node else NOTHING)
    if result.headline is None:
        return (*head, *[NOTHING] * 11, str(len(result.launches)), _state(result))
    median, imb, tail = result.median, result.imb_mean, result.tail
    felt = (tail.mean, tail.p90, tail.p99) if tail is not None else ()
    return (
        *head,
        units.format_seconds(median.value) if median else NOTHING,
        interval_text(median),
        NOTHING if result.minimum is None else units.format_seconds(result.minimum),
        megabytes_text(result.rate),
        NOTHING if imb is None else units.format_seconds(imb),
        *(map(units.format_seconds, felt) if felt else [NOTHING] * 3),
        NOTHING if result.imbalance is None else units.format_percent(result.imbalance),
        f"{result.samples:,}" if result.samples else NOTHING,
        units.format_percent(result.kept) if result.samples else NOTHING,
        str(len(result.launches)),
        _state(result),
    )


def _state(result: CaseResult) -> str:
    if result.reason and result.status != "ok":
        return f"{result.status}: {result.reason}"
    return result.reason or result.status
