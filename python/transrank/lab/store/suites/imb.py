# SPDX-License-Identifier: BSD-3-Clause
"""Intel MPI Benchmarks: the tables that IMB-MPI1, IMB-NBC, IMB-EXT and IMB-RMA print."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

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

SUITE = "IMB"

# By the suite's part.
_SYNCHRONIZATION = {"RMA": "win_flush", "2": "win_fence"}

_TITLE = re.compile(
    r"Intel ?\(R\) MPI Benchmarks? (?:Suite )?(?P<version>[^,\n]*[^,\s])"
    r"(?:, (?:MPI|IMB)-(?P<part>\w+))?"
)
_BENCHMARK = re.compile(r"# Benchmarking (?P<name>.*\S)")
_RANKS = re.compile(r"#\s*#processes = (?P<ranks>\d{1,9})")
_GROUPS = re.compile(r"#\s*\( ?(?P<groups>\d{1,9}) groups of (?P<ranks>\d{1,9}) processes each")
_MODE = re.compile(r"#\s*MODE: (?P<name>[A-Z-]+)")
_DATATYPE = re.compile(r"# MPI_Datatype for reductions\s*:\s*MPI_(?P<name>\w+)")
_LEFT_OUT = re.compile(
    r"\s*(?P<bytes>\d{1,18})\s+(?P<reason>(?:out-of-mem|time-out|int-overflow).*)"
)
_COMMAND = re.compile(r"# Calling sequence was:[ \t\r]*\n[ \t\r]*\n# (?P<command>.*)\n")


@dataclass
class _Table:
    launch: int = 0
    benchmark: str = ""
    ranks: int | None = None
    columns: tuple[str, ...] = ()
    datatype: str | None = None
    aggregate: bool = False
    part: str = ""

    @property
    def synchronization(self) -> str | None:
        """Windows are created over its buffers, and synchronized as its part of the suite does."""
        return _SYNCHRONIZATION.get(self.part)


def recognises(text: str) -> bool:
    """Tell whether `text` is printed by this suite."""
    return any(_TITLE.search(line) or _BENCHMARK.match(line) for line in lines_of(text))


def read(text: str) -> SuiteOutput:
    """Read every table of `text`; lines that belong to none are passed over."""
    lines = list(lines_of(text))
    version = "unknown"
    table = _Table()
    readings: list[Reading] = []
    lost: list[str] = []
    for line in lines:
        if title := _TITLE.search(line):
            version = title["version"]
            table = _Table(table.launch + 1, part=title["part"] or "")
        elif not _read_heading(line, table):
            found = _read_row(line, table)
            if found is not None:
                _add(readings, found)
            elif has_numbers(line) and table.benchmark:
                lost.append(line)
    command = _COMMAND.search("\n".join(lines))
    return SuiteOutput(
        SUITE,
        version,
        tuple(readings),
        command["command"].strip() if command else None,
        tuple(lost),
    )


def _add(readings: list[Reading], found: Sequence[Reading]) -> None:
    """Add results; of groups that ran at the same time the slowest counts."""
    for one in found:
        last = readings[-1] if readings and one.group else None
        if last is None or last.bytes != one.bytes:
            readings.append(one)
        elif (one.seconds or 0) > (last.seconds or 0):
            readings[-1] = one


def _read_heading(line: str, table: _Table) -> bool:
    """Take what a line says of the rows that follow."""
    if match := _DATATYPE.match(line):
        table.datatype = match["name"].lower()
    elif match := _BENCHMARK.match(line):
        # There pairs of all processes exchange messages at once.
        in_pairs = "imb-p2p " if table.part == "P2P" else ""
        table.benchmark = in_pairs + match["name"].lower()
        table.ranks, table.columns, table.aggregate = None, (), False
    elif match := _RANKS.match(line):
        table.ranks = int(match["ranks"])
    elif match := _GROUPS.match(line):
        at_once = int(match["groups"]) if table.benchmark.startswith("multi-") else 1
        table.ranks = int(match["ranks"]) * at_once
    elif match := _MODE.match(line):
        table.aggregate = match["name"] == "AGGREGATE"
    elif "#repetitions" in line:
        table.columns = tuple(line.split())
    else:
        return line.startswith("#")
    return True


def _read_row(line: str, table: _Table) -> Sequence[Reading] | None:
    """The results of a row; None for what is none."""
    if not table.columns:
        return None
    if match := _LEFT_OUT.match(line):
        size, reason = int(match["bytes"]), match["reason"].strip()
        return [Reading(table.launch, table.benchmark, table.ranks, size, left_out=reason)]
    words = line.split()
    if len(words) != len(table.columns) or not all(map(DECIMAL.fullmatch, words)):
        return None
    row = dict(zip(table.columns, words, strict=True))
    mean = row.get("t_avg[usec]", row.get("t[usec]", row.get("t_pure[usec]")))
    measured = Reading(
        launch=table.launch,
        benchmark=table.benchmark,
        ranks=table.ranks,
        bytes=count(row.get("#bytes")),
        seconds=seconds(mean),
        minimum=seconds(row.get("t_min[usec]")),
        maximum=seconds(row.get("t_max[usec]")),
        repetitions=count(row.get("#repetitions")),
        bytes_per_second=bytes_per_second(row.get("Mbytes/sec")),
        messages_per_second=number(row.get("Msg/sec")),
        datatype=table.datatype,
        creation="win_create" if table.synchronization else None,
        synchronization=table.synchronization,
        aggregate=table.aggregate,
        group=count(row.get("Group")) or 0,
    )
    return with_parts(measured, row.get("t_CPU[usec]"), row.get("t_ovrl[usec]"))
