# SPDX-License-Identifier: BSD-3-Clause
"""Intel MPI Benchmarks: the tables that IMB-MPI1 and IMB-NBC print."""

from __future__ import annotations

import re
from dataclasses import dataclass

from transrank.store.suites.reading import Reading, SuiteOutput

SUITE = "IMB"

_TITLE = re.compile(r"Intel ?\(R\) MPI Benchmarks? (?:Suite )?(?P<version>[^,\s]+)")
_BENCHMARK = re.compile(r"# Benchmarking (?P<name>.+?)\s*$")
_RANKS = re.compile(r"#\s*#processes = (?P<ranks>\d{1,9})")
_GROUPS = re.compile(r"#\s*\( ?(?P<groups>\d{1,9}) groups of (?P<ranks>\d{1,9}) processes each")
_DATATYPE = re.compile(r"# MPI_Datatype for reductions\s*:\s*MPI_(?P<name>\w+)")
_LEFT_OUT = re.compile(
    r"\s*(?P<bytes>\d{1,18})\s+(?P<reason>(?:out-of-mem|time-out|int-overflow).*)"
)
_MICROSECONDS = 1e6
_MEGABYTE = 1e6


@dataclass
class _Table:
    section: int = -1
    benchmark: str = ""
    ranks: int | None = None
    columns: tuple[str, ...] = ()
    datatype: str | None = None


def recognises(text: str) -> bool:
    """Tell whether `text` is printed by this suite."""
    return _TITLE.search(text) is not None or _BENCHMARK.search(text) is not None


def read(text: str) -> SuiteOutput:
    """Read every table of `text`; lines that belong to none are passed over."""
    title = _TITLE.search(text)
    table = _Table()
    readings: list[Reading] = []
    for line in text.splitlines():
        if _read_heading(line, table):
            continue
        reading = _read_row(line, table)
        if reading is not None:
            readings.append(reading)
    return SuiteOutput(SUITE, title["version"] if title else "unknown", tuple(readings))


def _read_heading(line: str, table: _Table) -> bool:
    """Take what a line says of the rows that follow."""
    if match := _DATATYPE.match(line):
        table.datatype = match["name"].lower()
    elif match := _BENCHMARK.match(line):
        table.section += 1
        table.benchmark = match["name"].lower()
        table.ranks, table.columns = None, ()
    elif match := _RANKS.match(line) or _GROUPS.match(line):
        table.ranks = int(match["ranks"])
    elif "#repetitions" in line:
        table.columns = tuple(line.split())
    else:
        return line.lstrip().startswith("#")
    return True


def _read_row(line: str, table: _Table) -> Reading | None:
    if not table.columns:
        return None
    if match := _LEFT_OUT.match(line):
        size, reason = int(match["bytes"]), match["reason"].strip()
        return Reading(table.section, table.benchmark, table.ranks, size, left_out=reason)
    values = _numbers(line)
    if values is None or len(values) != len(table.columns):
        return None
    row = dict(zip(table.columns, values, strict=True))
    mean = row.get("t_avg[usec]", row.get("t[usec]", row.get("t_pure[usec]")))
    size_printed = row.get("#bytes")
    return Reading(
        section=table.section,
        benchmark=table.benchmark,
        ranks=table.ranks,
        bytes=None if size_printed is None else int(size_printed),
        seconds=_seconds(mean),
        minimum=_seconds(row.get("t_min[usec]")),
        maximum=_seconds(row.get("t_max[usec]")),
        repetitions=int(row["#repetitions"]),
        bytes_per_second=_bytes_per_second(row.get("Mbytes/sec")),
        messages_per_second=row.get("Msg/sec"),
        datatype=table.datatype,
    )


def _numbers(line: str) -> list[float] | None:
    words = line.split()
    if not words or not all(_NUMBER.fullmatch(word) for word in words):
        return None
    return [float(word) for word in words]


# Neither a sign nor an exponent: the suite prints plain decimals, and an infinity is no result.
_NUMBER = re.compile(r"\d{1,30}(?:\.\d{1,30})?")


def _seconds(microseconds: float | None) -> float | None:
    # Divided, not multiplied by 1e-6: the quotient is the double nearest to what is printed.
    return None if microseconds is None else microseconds / _MICROSECONDS


def _bytes_per_second(megabytes: float | None) -> float | None:
    return None if megabytes is None else megabytes * _MEGABYTE
