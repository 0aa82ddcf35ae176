# SPDX-License-Identifier: BSD-3-Clause
"""How verbs print mean and deviation over ranks, by memory domain, below the table of the cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from transrank.lab.cli import output, results
from transrank.lab.reference.machine import Machine
from transrank.lab.stats.contention import DomainTime
from transrank.lab.stats.domains import DomainOfCase
from transrank.lab.stats.locality import by_link, guide_workers
from transrank.lab.stats.published import Beside
from transrank.lab.store.lines import Shape
from transrank.lab.view.kinds import FACTOR, NUMBER, SECONDS, WORDS
from transrank.lab.view.table import Column, Table, labelled

CAPTION = "mean and standard deviation over the ranks of a domain and their launches"
LINKS_CAPTION = "mean and standard deviation by where the memory is, over ranks and launches"
PLACE = (
    *results.CASE,
    Column("domain", NUMBER, lambda one: one.time.domain, "domain"),
    Column("memory", WORDS, lambda one: one.link or None, "memory"),
)
ONE = (
    *PLACE,
    Column("values", NUMBER, lambda one: one.time.values.size, "values"),
    Column("mean", SECONDS, lambda one: one.time.mean, "mean_seconds"),
    Column("deviation", SECONDS, lambda one: one.time.deviation, "deviation_seconds"),
)
BOTH = (
    *(column.of(itemgetter(0)) for column in PLACE),
    Column("baseline", SECONDS, lambda both: both[0].time.mean, "baseline_mean_seconds"),
    Column("deviation", SECONDS, lambda both: both[0].time.deviation, "baseline_deviation_seconds"),
    Column("candidate", SECONDS, lambda both: both[1].time.mean, "candidate_mean_seconds"),
    Column(
        "deviation", SECONDS, lambda both: both[1].time.deviation, "candidate_deviation_seconds"
    ),
    Column("ratio", FACTOR, lambda both: both[1].time.mean / both[0].time.mean, "ratio", True),
)
Times = NDArray[np.float64]
Of = Mapping[tuple[str, Shape], Sequence[DomainOfCase]]


def by_case(times: Sequence[DomainOfCase]) -> dict[tuple[str, Shape], list[DomainOfCase]]:
    """The domains of each case."""
    found: dict[tuple[str, Shape], list[DomainOfCase]] = {}
    for one in times:
        found.setdefault((one.case, one.shape), []).append(one)
    return found


def print_domains(console: Console, group: results.Group, times: Of) -> None:
    """Print the domains of the cases in a group of one run; nothing for other studies."""
    of = [(label, one) for label, item in group.rows for one in times.get(_key(item), ())]
    _print(console, ONE, of)


def print_both(console: Console, group: results.Group, baseline: Of, candidate: Of) -> None:
    """The same of two runs: the domains that both have."""
    pairs = [
        (label, pair)
        for label, item in group.rows
        for pair in _in_both(_key(item), baseline, candidate)
    ]
    _print(console, BOTH, pairs)


def print_links(console: Console, group: results.Group, machine: Machine, times: Of) -> None:
    """Print our ranks and published threads on memory over each kind of link, case by case."""
    columns = (
        Column("memory", WORDS, lambda row: row[0]),
        Column("mean", SECONDS, lambda row: _time(row[1], "mean")),
        Column("deviation", SECONDS, lambda row: _time(row[1], "deviation")),
        Column(machine.name, SECONDS, lambda row: _time(row[2], "mean")),
        Column("deviation", SECONDS, lambda row: _time(row[2], "deviation")),
    )
    pairs = [(label, row) for label, pair in group.rows for row in _by_link(pair, machine, times)]
    _print(console, columns, pairs, LINKS_CAPTION)


def as_rows(times: Sequence[DomainOfCase]) -> list[dict[str, Any]]:
    """One row per domain of a case, in seconds."""
    return Table("", ONE, times).records()


def both_as_rows(baseline: Of, candidate: Of) -> list[dict[str, Any]]:
    """The same of the domains that two runs have."""
    pairs = [pair for key in baseline for pair in _in_both(key, baseline, candidate)]
    return Table("", BOTH, pairs).records()


def _key(item: results.Named) -> tuple[str, Shape]:
    return item.case, item.shape


def _in_both(
    key: tuple[str, Shape], baseline: Of, candidate: Of
) -> list[tuple[DomainOfCase, DomainOfCase]]:
    others = {one.key: one for one in candidate.get(key, ())}
    return [(one, others[one.key]) for one in baseline.get(key, ()) if one.key in others]


def _by_link(pair: Beside, machine: Machine, times: Of) -> Iterator[tuple[str, Times, Times]]:
    found = times.get((pair.case, pair.shape), ())
    points = [
        point
        for point in machine.of_study(pair.result.study)
        if "link" in point.axes and point.axes["arrangement"] == pair.result.axes["arrangement"]
    ]
    theirs = by_link(guide_workers(points))
    for link in dict.fromkeys((*(one.link for one in found), *theirs)):
        ours = [one.time.values for one in found if one.link == link]
        yield link, np.concatenate(ours) if ours else np.array([]), theirs.get(link, np.array([]))


def _time(values: Times, statistic: str) -> float | None:
    return getattr(DomainTime(0, values), statistic) if values.size else None


def _print(
    console: Console,
    columns: Sequence[Column],
    pairs: Sequence[tuple[str, Any]],
    caption: str = CAPTION,
) -> None:
    if pairs:
        console.print(Text(caption))
        output.print_table(console, labelled("", Column(""), columns, pairs).shown())
