# SPDX-License-Identifier: BSD-3-Clause
"""How `compare` compares a run with a published machine."""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import Console

from transrank.errors import RecordError, UsageError
from transrank.lab import units
from transrank.lab.cli import domains, output, results
from transrank.lab.reference.machine import Machine
from transrank.lab.stats.domains import domain_times
from transrank.lab.stats.published import Apart, Beside, Comparison, beside_machine
from transrank.lab.stats.summary import run_warnings, summarise
from transrank.lab.view.kinds import ERROR, FACTOR, SECONDS, VALUE, WORDS
from transrank.lab.view.table import Column, Table, field

NO_INTERVAL = "Published numbers are means without an interval, so there is no verdict."
NO_TIMES = (
    "The times of {0} were only plotted, so there is no number to compare with; "
    "`transrank show {0}` prints the facts that were published."
)


def print_beside(arguments: argparse.Namespace, machine: Machine) -> int:
    """Print a run beside `machine`; return status 0, since there is no verdict.

    A study published only for other numbers of ranks has a line that names these; a machine whose
    times were only plotted has one that says so.

    Raises RecordError: the run has none of the studies that were published for the machine.
    Raises UsageError: the machine was not measured on that number of nodes.
    """
    known = sorted({point.nodes for point in machine.points})
    if arguments.nodes is not None and arguments.nodes not in known:
        raise UsageError(
            f"{machine.name} was not measured on {arguments.nodes} nodes",
            f"known: {', '.join(map(str, known))}",
        )
    record = results.open_run(arguments.baseline, arguments.store)
    every = summarise(record)
    chosen = results.select_cases(every, arguments.case)
    found = beside_machine(chosen, machine, arguments.nodes)
    if machine.studies and found.unmeasured == machine.studies:
        raise RecordError(
            f"{record.name} has no case of a study that was published for {machine.name}",
            f"measure one: transrank measure {' '.join(machine.studies)}",
        )
    times = domains.by_case(domain_times(record.cases, chosen))
    output.answer(
        arguments,
        lambda: _as_json(found, machine),
        lambda: Table("", _columns(machine), found.pairs).records(),
        lambda console: _print(console, found, machine, times),
    )
    # A mean includes every disturbance of the machine: the warnings say how far to trust it.
    results.warn(run_warnings(record, every))
    return 0


def _print(console: Console, found: Comparison, machine: Machine, times: domains.Of) -> None:
    axes = {pair.case: pair.result.axes for pair in found.pairs}
    for group in results.tabulate(found.pairs, axes):
        jobs = sorted({(pair.ranks, pair.nodes) for _, pair in group.rows})
        theirs = results.some_of([_job(*job) for job in jobs])
        more = f"; {machine.name}: {theirs}"
        output.print_table(console, group.table(_columns(machine), more))
        domains.print_links(console, group, machine, times)
        console.print()
    sentences = _sentences(found) if machine.studies else [NO_TIMES.format(machine.name)]
    for sentence in sentences:
        output.paragraph(console, sentence)
    if sentences:
        console.print()
    output.paragraph(console, f"{machine.name}: {machine.title}. {machine.attribution}.")
    for sentence in (*machine.conditions, *([NO_INTERVAL] if machine.studies else [])):
        output.paragraph(console, sentence)


def _sentences(found: Comparison) -> list[str]:
    """The studies that cannot be compared, and what would be comparable."""
    sentences = [_apart_text(each) for each in found.apart]
    if any(None in each.ours for each in found.apart):
        sentences.append(
            "the placement of the ranks is unknown; give it with: transrank import "
            "--ranks-per-node N"
        )
    if found.unmeasured:
        sentences.append(f"not measured in this run: {', '.join(found.unmeasured)}")
    return sentences


def _apart_text(apart: Apart) -> str:
    theirs = results.some_of([_job(*job) for job in apart.jobs])
    if not apart.ours:
        axes = " ".join(
            f"--{'sizes' if name == 'bytes' else name} {','.join(map(str, values))}"
            for name, values in apart.axes.items()
        )
        return (
            f"{apart.study}: not comparable, the run has other cases; comparable would be "
            f"transrank measure {apart.study} {axes}{' with ' if theirs else ''}{theirs}"
        )
    ours = [
        _job(place.ranks, place.nodes) if place else "ranks on unknown nodes"
        for place in apart.ours
    ]
    return (
        f"{apart.study}: not comparable, the run has {' and '.join(ours)}; comparable would be "
        f"{theirs}"
    )


def _job(ranks: int, nodes: int) -> str:
    return f"{units.counted(ranks, 'rank')} on {units.counted(nodes, 'node')}"


def _columns(machine: Machine) -> tuple[Column, ...]:
    return (
        *results.CASE,
        Column("median", VALUE, lambda pair: pair.result.median),
        field("median_seconds", lambda pair: pair.result.median and pair.result.median.value),
        Column("±", ERROR, lambda pair: pair.result.median, optional=True),
        Column("mean", SECONDS, lambda pair: pair.ours, "mean_seconds"),
        field("machine", lambda _: machine.name),
        field("machine_nodes", lambda pair: pair.nodes),
        field("machine_ranks", lambda pair: pair.ranks),
        Column(machine.name, SECONDS, lambda pair: pair.published, "machine_seconds"),
        Column("ratio of means", FACTOR, lambda pair: pair.ratio, "ratio"),
        Column("first rank", SECONDS, _first_rank),
        field("first_rank_seconds", lambda pair: pair.result.first_rank),
        Column(
            f"{machine.name}'s",
            SECONDS,
            lambda pair: pair.first_rank if _first_rank(pair) else None,
        ),
        field("machine_first_rank_seconds", lambda pair: pair.first_rank),
        Column("job shape", WORDS, lambda pair: pair.job_shape or None, "machine_job_shape"),
    )


def _first_rank(pair: Beside) -> float | None:
    """When the first rank ran here, where that was published."""
    return None if pair.first_rank is None else pair.result.first_rank


def _as_json(found: Comparison, machine: Machine) -> dict[str, Any]:
    return {
        "machine": machine.name,
        "title": machine.title,
        "attribution": machine.attribution,
        "conditions": list(machine.conditions),
        "pairs": Table("", _columns(machine), found.pairs).records(),
        "not_comparable": [
            {
                "study": apart.study,
                "ours": [[place.ranks, place.nodes] for place in apart.ours if place],
                "published": [list(job) for job in apart.jobs],
            }
            for apart in found.apart
        ],
        "not_measured": list(found.unmeasured),
    }
