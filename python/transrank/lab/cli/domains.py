# SPDX-License-Identifier: BSD-3-Clause
"""How verbs print mean and deviation over ranks, by memory domain, below the table of the cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from transrank.lab.cli import output, results
from transrank.lab.cli.output import Column
from transrank.lab.reference.machine import Machine
from transrank.lab.report.findings.published import guide_workers
from transrank.lab.stats.contention import DomainTime
from transrank.lab.stats.domains import DomainOfCase
from transrank.lab.stats.locality import by_link
from transrank.lab.stats.published import Beside
from transrank.lab.store.lines import Shape
from transrank.lab.units import format_seconds, three_digits

CAPTION = "mean and standard deviation over the ranks of a domain and their launches"
LINKS_CAPTION = "mean and standard deviation by where the memory is, over ranks and launches"
WHERE = (Column("", right=True), Column("domain", right=True), "memory")
ONE = [Column(heading, right=True) for heading in ("values", "mean", "deviation")]
TWO = [
    Column(heading, right=True) for heading in ("baseline", "deviation", "candidate", "deviation")
] + [Column("ratio", right=True, optional=True)]
Times = NDArray[np.float64]
Of = Mapping[tuple[str, Shape], Sequence[DomainOfCase]]


def by_case(times: Sequence[DomainOfCase]) -> dict[tuple[str, Shape], list[DomainOfCase]]:
    """The domains of each case."""
    found: dict[tuple[str, Shape], list[DomainOfCase]] = {}
    for one in times:
        found.setdefault((one.case, one.shape), []).append(one)
    return found


def print_domains(console: Console, table: results.Table, times: Of) -> None:
    """Print the domains of the cases in a table of one run; nothing for other studies."""
    rows = [
        [*_where(label, one), str(one.time.values.size), *_mean_and_deviation(one.time.values)]
        for label, item in table.rows
        for one in times.get((item.case, item.shape), ())
    ]
    _print(console, [*WHERE, *ONE], rows)


def print_both(console: Console, table: results.Table, baseline: Of, candidate: Of) -> None:
    """The same of two runs: the domains that both have."""
    rows = [
        [
            *_where(label, one),
            *_mean_and_deviation(one.time.values),
            *_mean_and_deviation(other.time.values),
            three_digits(other.time.mean / one.time.mean),
        ]
        for label, item in table.rows
        for one, other in _in_both(
            baseline.get((item.case, item.shape), ()), candidate.get((item.case, item.shape), ())
        )
    ]
    _print(console, [*WHERE, *TWO], rows)


def print_links(console: Console, table: results.Table, machine: Machine, times: Of) -> None:
    """Print our ranks and published threads on memory over each kind of link, case by case."""
    names = ("mean", "deviation", machine.name, "deviation")
    columns: list[Column | str] = [Column("", right=True), "memory"]
    columns += [Column(name, right=True) for name in names]
    rows = [
        [label, link, *_mean_and_deviation(ours), *_mean_and_deviation(theirs)]
        for label, pair in table.rows
        for link, ours, theirs in _by_link(pair, machine, times)
    ]
    _print(console, columns, rows, LINKS_CAPTION)


def both_as_json(baseline: Of, candidate: Of) -> list[dict[str, Any]]:
    """The same as flat rows, in seconds."""
    return [
        {
            **_place(one),
            "baseline_mean_seconds": one.time.mean,
            "baseline_deviation_seconds": one.time.deviation,
            "candidate_mean_seconds": other.time.mean,
            "candidate_deviation_seconds": other.time.deviation,
            "ratio": other.time.mean / one.time.mean,
        }
        for key in baseline
        for one, other in _in_both(baseline[key], candidate.get(key, ()))
    ]


def flat(one: DomainOfCase) -> dict[str, Any]:
    """One domain of a case as a row, in seconds."""
    return {
        **_place(one),
        "values": one.time.values.size,
        "mean_seconds": one.time.mean,
        "deviation_seconds": one.time.deviation,
    }


def _place(one: DomainOfCase) -> dict[str, Any]:
    return {
        "case": one.case,
        "ranks": one.shape.ranks,
        "ranks_per_node": one.shape.ranks_per_node,
        "domain": one.time.domain,
        "memory": one.link or None,
    }


def _in_both(
    baseline: Sequence[DomainOfCase], candidate: Sequence[DomainOfCase]
) -> list[tuple[DomainOfCase, DomainOfCase]]:
    others = {one.key: one for one in candidate}
    return [(one, others[one.key]) for one in baseline if one.key in others]


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


def _where(label: str, one: DomainOfCase) -> list[str]:
    return [label, str(one.time.domain), one.link]


def _mean_and_deviation(values: Times) -> list[str]:
    if not values.size:
        return ["", ""]
    time = DomainTime(0, values)
    return [format_seconds(time.mean), format_seconds(time.deviation)]


def _print(
    console: Console,
    columns: Sequence[Column | str],
    rows: Sequence[Sequence[str | Text]],
    caption: str = CAPTION,
) -> None:
    if rows:
        console.print(Text(caption))
        console.print(output.table(*results.without_empty(columns, rows)))
