# SPDX-License-Identifier: BSD-3-Clause
"""OSU Micro-Benchmarks: what the point-to-point and collective programs print."""

from __future__ import annotations

import re
from dataclasses import dataclass

from transrank.store.suites.reading import Reading, SuiteOutput

SUITE = "OSU"

_TITLE = re.compile(
    r"# OSU MPI(?P<device>-[A-Z]+(?: MANAGED)?)? (?P<name>.+?)(?: Test)?"
    r"(?: v(?P<version>\d\S*))?\s*$"
)
_DATATYPE = re.compile(r"# Datatype: MPI_(?P<name>\w+)\.?")
_PAIRS = re.compile(
    r"# \[ pairs: (?P<pairs>\d{1,9}) \](?: \[ window size: (?P<window>\d{1,9}) \])?"
)
_NUMBER = re.compile(r"\d{1,30}(?:\.\d{1,30})?")
_GAP = re.compile(r"\s{2,}")
# The first of these that a table has is its mean; OSU has renamed it over the years.
_MEANS = ("Avg Latency(us)", "Latency (us)", "Avg Latency (us)", "Pure Comm.(us)")
_MINIMA = ("Min Latency(us)", "Min Latency (us)", "Min Comm.(us)")
_MAXIMA = ("Max Latency(us)", "Max Latency (us)", "Max Comm.(us)")
_RATES = ("Bandwidth (MB/s)", "MB/s")
_MICROSECONDS = 1e6
_MEGABYTE = 1e6


@dataclass
class _Table:
    section: int = -1
    benchmark: str = ""
    ranks: int | None = None
    window: int | None = None
    datatype: str | None = None
    columns: tuple[str, ...] = ()


def recognises(text: str) -> bool:
    """Tell whether `text` is printed by this suite."""
    return any(_TITLE.match(line) for line in text.splitlines())


def read(text: str) -> SuiteOutput:
    """Read every table of `text`; lines that belong to none are passed over."""
    table = _Table()
    version = "unknown"
    readings: list[Reading] = []
    for line in text.splitlines():
        if title := _TITLE.match(line):
            device = (title["device"] or "").lower().lstrip("-")
            name = title["name"].lower()
            table = _Table(table.section + 1, f"{device} {name}".strip())
            version = title["version"] or version
        elif line.startswith("#"):
            _read_heading(line, table)
        elif (reading := _read_row(line, table)) is not None:
            readings.append(reading)
    return SuiteOutput(SUITE, version, tuple(readings))


def _read_heading(line: str, table: _Table) -> None:
    if match := _DATATYPE.match(line):
        table.datatype = match["name"].lower()
    elif match := _PAIRS.match(line):
        table.ranks = 2 * int(match["pairs"])
        table.window = None if match["window"] is None else int(match["window"])
    else:
        columns = tuple(_GAP.split(line.removeprefix("#").strip()))
        if set(columns) & {*_MEANS, *_RATES}:
            table.columns = columns


def _read_row(line: str, table: _Table) -> Reading | None:
    words = line.split()
    if not table.columns or len(words) != len(table.columns):
        return None
    row = {
        name: float(word)
        for name, word in zip(table.columns, words, strict=True)
        if _NUMBER.fullmatch(word)
    }
    if "Size" in table.columns and "Size" not in row:
        return None
    seconds, rate = _first(row, _MEANS), _first(row, _RATES)
    if seconds is None and rate is None:
        return None
    repetitions = row.get("Iterations")
    return Reading(
        section=table.section,
        benchmark=table.benchmark,
        ranks=table.ranks,
        bytes=int(row["Size"]) if "Size" in row else None,
        seconds=_seconds(seconds),
        minimum=_seconds(_first(row, _MINIMA)),
        maximum=_seconds(_first(row, _MAXIMA)),
        repetitions=None if repetitions is None else int(repetitions),
        bytes_per_second=_bytes_per_second(rate),
        messages_per_second=row.get("Messages/s"),
        datatype=table.datatype,
        window=table.window,
    )


def _first(row: dict[str, float], names: tuple[str, ...]) -> float | None:
    return next((row[name] for name in names if name in row), None)


def _seconds(microseconds: float | None) -> float | None:
    # Divided, not multiplied by 1e-6: the quotient is the double nearest to what is printed.
    return None if microseconds is None else microseconds / _MICROSECONDS


def _bytes_per_second(megabytes: float | None) -> float | None:
    return None if megabytes is None else megabytes * _MEGABYTE
