# SPDX-License-Identifier: BSD-3-Clause
"""OSU Micro-Benchmarks: what the point-to-point and collective programs print."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from transrank.lab.store.suites.reading import (
    DECIMAL,
    Reading,
    SuiteOutput,
    bytes_per_second,
    count,
    has_numbers,
    lines_of,
    number,
    seconds,
    with_parts,
)

SUITE = "OSU"

_TITLE = re.compile(
    r"# OSU (?:MPI(?P<device>-[A-Z]+(?: MANAGED)?)? )?(?P<name>.+?)(?: Test)?"
    r"(?: v(?P<version>\d\S*))?$"
)
_DATATYPE = re.compile(r"# Datatype: MPI_(?P<name>\w+)\.?")
_PAIRS = re.compile(
    r"# \[ pairs: (?P<pairs>\d{1,9}) \](?: \[ window size: (?P<window>\d{1,9}) \])?"
)
_CREATION = re.compile(r"# Window creation: MPI_(?P<function>\w+)")
_SYNCHRONIZATION = re.compile(r"# Synchronization: MPI_(?P<functions>\S+)")
_DIMENSIONS = re.compile(r"Dimensions size = (?P<ranks>\d{1,9}(?: \d{1,9})*)$")
_GAP = re.compile(r"\s{2,}")
# The first of these that a table has is its mean; OSU has renamed it over the years.
_MEANS = ("Avg Latency(us)", "Latency (us)", "Avg Latency (us)", "Pure Comm.(us)")
_MINIMA = ("Min Latency(us)", "Min Latency (us)", "Min Comm.(us)")
_MAXIMA = ("Max Latency(us)", "Max Latency (us)", "Max Comm.(us)")
_RATES = ("Bandwidth (MB/s)", "MB/s")


@dataclass
class _Table:
    launch: int = -1  # each program prints its title once
    benchmark: str = ""
    ranks: int | None = None
    window: int | None = None
    datatype: str | None = None
    creation: str | None = None
    synchronization: str | None = None
    dimensions: tuple[int, ...] | None = None
    columns: tuple[str, ...] = ()


def recognises(text: str) -> bool:
    """Tell whether `text` is printed by this suite."""
    return any(map(_TITLE.search, lines_of(text)))


def read(text: str) -> SuiteOutput:
    """Read every table of `text`; lines that belong to none are passed over."""
    table = _Table()
    version = "unknown"
    readings: list[Reading] = []
    lost: list[str] = []
    dimensions: tuple[int, ...] | None = None  # of the table that follows
    for line in lines_of(text):
        if title := _TITLE.search(line):  # what was printed before may lack its end of line
            device = (title["device"] or "").lower().lstrip("-")
            name = title["name"].lower()
            table = _Table(table.launch + 1, f"{device} {name}".strip())
            table.dimensions, dimensions = dimensions, None
            version = title["version"] or version
        elif _read_heading(line, table):
            continue
        elif match := _DIMENSIONS.match(line):
            dimensions = tuple(map(int, match["ranks"].split()))
        elif (found := _read_row(line, table)) is not None:
            readings += found
        elif table.launch >= 0 and (has_numbers(line) or _begins_as_a_row(line, table)):
            lost.append(line)
    return SuiteOutput(SUITE, version, tuple(readings), lost=tuple(lost))


def _read_heading(line: str, table: _Table) -> bool:
    """Take what a line says of the rows that follow."""
    if match := _DATATYPE.match(line):
        table.datatype = match["name"].lower()
    elif match := _CREATION.match(line):
        table.creation = match["function"].lower()
    elif match := _SYNCHRONIZATION.match(line):
        table.synchronization = match["functions"].lower()
    elif match := _PAIRS.match(line):
        table.ranks = 2 * int(match["pairs"])
        table.window = None if match["window"] is None else int(match["window"])
    else:
        columns = tuple(_GAP.split(line.removeprefix("#").strip()))
        if not set(columns) & {*_MEANS, *_RATES}:
            return line.startswith("#")
        table.columns = columns
    return True


def _begins_as_a_row(line: str, table: _Table) -> bool:
    """Whether a line begins with a size, and has no more words than the rows of its table."""
    words = line.split()
    return (
        "Size" in table.columns
        and 0 < len(words) <= len(table.columns)
        and DECIMAL.fullmatch(words[0]) is not None
    )


def _read_row(line: str, table: _Table) -> Sequence[Reading] | None:
    """The results of a row; None for what is none."""
    words = line.split()
    if not table.columns or len(words) != len(table.columns):
        return None
    row = {
        name: word
        for name, word in zip(table.columns, words, strict=True)
        if DECIMAL.fullmatch(word)
    }
    if "Size" in table.columns and "Size" not in row:
        return None
    point = Reading(
        table.launch,
        table.benchmark,
        table.ranks,
        count(row.get("Size")),
        datatype=table.datatype,
        window=table.window,
        creation=table.creation,
        synchronization=table.synchronization,
        dimensions=table.dimensions,
    )
    if "Validation" in table.columns and words[table.columns.index("Validation")] == "Fail":
        return [replace(point, left_out="its validation failed", failed=True)]
    mean, rate = _first(row, _MEANS), _first(row, _RATES)
    if mean is None and rate is None:
        return None
    measured = replace(
        point,
        seconds=seconds(mean),
        minimum=seconds(_first(row, _MINIMA)),
        maximum=seconds(_first(row, _MAXIMA)),
        repetitions=count(row.get("Iterations")),
        bytes_per_second=bytes_per_second(rate),
        messages_per_second=number(row.get("Messages/s")),
    )
    return with_parts(measured, row.get("Compute(us)"), row.get("Overall(us)"))


def _first(row: dict[str, str], names: tuple[str, ...]) -> str | None:
    return next((row[name] for name in names if name in row), None)
