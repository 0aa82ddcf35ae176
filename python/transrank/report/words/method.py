# SPDX-License-Identifier: BSD-3-Clause
"""How a run was measured, in words, from what its record says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from transrank import units
from transrank.report.measured import Measured
from transrank.report.phrases import counted, joined
from transrank.report.tables import Column, Row, Table
from transrank.store.lines import DISTURBED, GAP, LATE, WARM_UP
from transrank.store.records import Launch

CACHE = {
    "warm": "Buffers are reused as they are, so they stay in the caches that hold them (warm).",
    "rewritten": "Buffers are rewritten before each sample (rewritten).",
    "cold": "Buffers are flushed from the caches before each sample (cold).",
}
FLAGS = (
    (WARM_UP, "as warm-up"),
    (DISTURBED, "because a rank lost its core"),
    (GAP, "for a gap in a rank's clock"),
    (LATE, "because a rank started late"),
)


@dataclass(frozen=True, slots=True)
class Part:
    """Sentences, and command lines, under a heading of their own where there are several runs."""

    heading: str
    sentences: tuple[str, ...]
    commands: tuple[str, ...] = ()


def describe_method(runs: Sequence[Measured]) -> list[Part]:
    """What holds for every run, then what each run chose."""
    several = len(runs) > 1
    parts = [Part("", tuple(_general()))]
    for run in runs:
        sentences = tuple(_imported(run) if run.run.header.imported else _chosen(run))
        parts.append(Part(run.name if several else "", sentences))
    return parts


def _general() -> Iterator[str]:
    yield (
        "A sample is the time of a batch of operations, long enough for the clock, divided by "
        "their number; where all ranks are timed it is the slowest rank's. Payloads depend on "
        "rank, position and repetition, and are compared byte by byte outside the timed region."
    )
    yield (
        "Cases are interleaved in random order over several rounds and several launches of the MPI "
        "job. The value of a case is the median over launches of each launch's median; its 95 % "
        "interval contains the differences between launches (Student's t on the logarithms), and "
        "for a single launch it is the order-statistic interval of its samples."
    )
    yield (
        "Warm-up samples, and samples during which a rank lost its core, its clock jumped or it "
        "started late, are flagged and left out; “kept” is the share of the samples after warm-up "
        "that remains. “IMB mean” is the mean over the same samples, averaged over ranks, "
        "as IMB prints it, for comparison with published tables."
    )


def _imported(run: Measured) -> Iterator[str]:
    files = run.run.header.imported
    names = joined([f"{file.file} ({file.suite} {file.version})" for file in files])
    yield (
        f"These numbers were imported from {names}. They are means: nothing is known of their "
        "samples, so they have an interval only where there were several files."
    )


def _chosen(run: Measured) -> Iterator[str]:
    options = run.run.header.options
    if options is not None:
        yield (
            f"A case is measured until its interval is narrower than "
            f"{units.format_percent(options.precision)} of the value or "
            f"{units.format_seconds(options.max_time_seconds)} are spent; then it is unstable. "
            f"{counted(options.launches, 'launch', 'launches')} of every case. "
            f"{CACHE.get(options.cache, options.cache)}"
        )
    yield from _synchronisation(run)
    yield from _batches(run)
    yield from _flags(run)


def _synchronisation(run: Measured) -> Iterator[str]:
    methods = {launch.synchronisation.method for launch in run.run.launches}
    if "barrier" in methods:
        yield "Ranks come to a common start by a barrier."
    if "clock" in methods:
        accuracies = [
            launch.synchronisation.accuracy_seconds
            for launch in run.run.launches
            if launch.synchronisation.accuracy_seconds is not None
        ]
        accuracy = (
            f"; offsets of up to {units.format_seconds(max(accuracies))} were left between nodes"
            if accuracies
            else ""
        )
        yield f"Ranks start at an agreed time of clocks synchronised across hosts{accuracy}."


def _batches(run: Measured) -> Iterator[str]:
    batches = [case.batch for case in run.run.cases if case.batch is not None]
    spent = sum(case.measuring_seconds or 0.0 for case in run.run.cases)
    verified = sum(case.verified or 0 for case in run.run.cases)
    if not batches:
        return
    ends = (
        f"{min(batches):,} to {max(batches):,}"
        if min(batches) < max(batches)
        else f"{max(batches):,}"
    )
    text = f"Batches held {ends} operations"
    yield (
        f"{text}; measuring took {units.format_wait(spent)} in all, and "
        f"{units.format_bytes(verified)} of payload were compared with what they had to be."
    )


def _flags(run: Measured) -> Iterator[str]:
    flags = [case.samples.flags for case in run.run.cases if case.samples is not None]
    if not flags:
        return
    every = np.concatenate(flags)
    counts = [(int(np.count_nonzero(every & bit)), what) for bit, what in FLAGS]
    told = [f"{count:,} {what}" for count, what in counts if count]
    flagged = f"flagged are {joined(told)}" if told else "none is flagged"
    yield f"{every.size:,} samples are stored; {flagged}."


def launch_table(run: Measured) -> Table:
    """One line per launch: its shape, hosts, binding and clock."""
    columns = (
        Column("launch"),
        Column("ranks", number=False),
        Column("hosts", number=False),
        Column("CPUs of the ranks", number=False),
        Column("clock resolution"),
        Column("clock cost"),
        Column("start", number=False),
    )
    return Table(f"Launches of {run.name}", columns, tuple(map(_launch_row, run.run.launches)))


def _launch_row(launch: Launch) -> Row:
    binding = list(dict.fromkeys(launch.placement.binding))
    shown = "; ".join(binding[:4]) + (f"; {len(binding) - 4} more" if len(binding) > 4 else "")
    return Row(
        (
            str(launch.launch),
            str(launch.shape),
            ", ".join(launch.placement.hosts[:4]),
            shown,
            units.format_seconds(launch.clock.resolution_seconds),
            units.format_seconds(launch.clock.cost_seconds),
            launch.synchronisation.method,
        )
    )
