# SPDX-License-Identifier: BSD-3-Clause
"""How a run was measured, in words, from its record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from transrank.lab import units
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import joined
from transrank.lab.stats.cores import MOVED, SLOWED, other_rounds, states_of
from transrank.lab.store.lines import DISTURBED, LATE, STOLEN, WARM_UP
from transrank.lab.store.records import Launch
from transrank.lab.store.settings import Settings
from transrank.lab.view.kinds import NUMBER, SECONDS, WORDS
from transrank.lab.view.table import Column, Table

LAUNCH = "launch"
CACHE = {
    "warm": "Buffers are reused as they are (warm).",
    "rewritten": "Buffers are rewritten before each sample (rewritten).",
    "cold": "Buffers are flushed from the caches before each sample (cold).",
}
FLAGS = (
    (WARM_UP, "as warm-up"),
    (DISTURBED, "because a rank lost its core"),
    (STOLEN, "because a hypervisor took time from a rank's CPU"),
    (LATE, "because a rank started late"),
)


@dataclass(frozen=True, slots=True)
class Part:
    """Sentences, and command lines, under a separate heading if there are several runs.

    Many command lines are folded away under a line that describes them.
    """

    heading: str
    sentences: tuple[str, ...]
    commands: tuple[str, ...] = ()
    folded: str = ""


def describe_method(runs: Sequence[Measured]) -> list[Part]:
    """The method common to every run, then the choices of each run."""
    several = len(runs) > 1
    parts = [Part("", tuple(_general()))]
    for run in runs:
        sentences = tuple(_imported(run) if run.run.header.imported else _chosen(run))
        parts.append(Part(run.name if several else "", sentences))
    return parts


def _general() -> Iterator[str]:
    yield (
        "A sample is the time of a batch of operations, long enough for the clock, divided by "
        "their number; if all ranks are timed, the slowest rank counts. Payloads depend on "
        "the rank, the position and the slice of samples, up to 4 KiB also on the sample. They are "
        "verified as often, outside the timed region; of several messages into one buffer, only "
        "the last can be."
    )
    yield (
        "The sizes of a study (for collectives, of an operation) are interleaved in random order "
        "over several rounds; studies follow one another, and everything is repeated in separate "
        "launches of the MPI job. The value of a case is the Hodges-Lehmann estimate of the "
        "launches' medians, on their logarithms; its 95 % interval is that of Wilcoxon's "
        "signed-rank test over the launches (of three to five launches: Student's t). Fewer than "
        "three launches have no interval. "
        "Figures cut intervals that reach far beyond all values; tables have them in full."
    )
    yield (
        "Warm-up samples do not count, nor do samples during which a rank lost its core, a "
        "hypervisor took time from its CPU, it started late, or the cores were in another state "
        "than that of the run; “kept” is the share of the samples after warm-up that counts. “IMB "
        "mean” is the mean over all samples after warm-up, averaged over ranks, as IMB prints it. "
        "“Of all” are the mean and the 90th and 99th percentile of all samples after warm-up of "
        "all launches, disturbed calls included, as programs see them. “Imbalance” is the lead of "
        "the fastest rank over the slowest, as the median over samples."
    )


def _imported(run: Measured) -> Iterator[str]:
    files = run.run.header.imported
    names = joined([f"{file.file} ({file.suite} {file.version})" for file in files])
    yield (
        f"These numbers were imported from {names}. They are means: their samples are unknown, so "
        "they have an interval only if there were several files."
    )


def _chosen(run: Measured) -> Iterator[str]:
    options = run.run.header.options
    if {case.study for case in run.run.cases} == {LAUNCH}:
        yield from _job_starts(run)
        yield from _flags(run)
        return
    if options is not None:
        yield _stopping(options)
        yield CACHE.get(options.cache, options.cache)
        if options.buffer_offset:
            offset = units.format_bytes(options.buffer_offset)
            yield f"Buffers begin {offset} after a page boundary."
    yield from _synchronisation(run)
    yield from _cores(run)
    yield from _batches(run)
    yield from _flags(run)


def _job_starts(run: Measured) -> Iterator[str]:
    """The number of job starts, if nothing else was measured."""
    counts = [case.samples.seconds.size for case in run.run.cases if case.samples is not None]
    options = run.run.header.options
    if counts and options is not None:
        yield (
            f"Each kind of job was started {max(counts) - 1} times, and once before to warm up, in "
            f"each of {units.counted(options.launches, 'repetition')}."
        )


def _stopping(options: Settings) -> str:
    """The stopping rule of a case, and how it is marked."""
    launches = units.counted(options.launches, "launch", "launches")
    if options.count is not None:
        return (
            f"Every case was measured in {launches}, in each until "
            f"{units.counted(options.count, 'operation')} were timed, at any precision."
        )
    precision = units.format_percent(options.precision)
    further = (
        ""
        if options.most_launches is None
        else (f", and in more while its interval was wider than {precision} and there was time")
    )
    return (
        f"Every case was planned for {launches}{further}. “~” marks a case whose interval is wider "
        f"than {precision} of the value, or that has none."
    )


def _synchronisation(run: Measured) -> Iterator[str]:
    methods = {launch.synchronisation.method for launch in run.run.launches}
    if "barrier" in methods:
        yield "Ranks synchronise by a barrier before each sample."
    if "clock" in methods:
        offsets = [launch.synchronisation.accuracy_seconds for launch in run.run.launches]
        offsets += [event.accuracy_seconds for event in run.run.events]
        accuracies = [seconds for seconds in offsets if seconds is not None]
        worst = max(accuracies, default=None)
        if worst == 0:
            yield "Ranks start at an agreed time of the clock of the one host that they share."
            return
        accuracy = (
            f"; offsets of up to {units.format_seconds(worst)} between nodes remained"
            if worst is not None
            else ""
        )
        yield f"Ranks start at an agreed time, on clocks synchronised across hosts{accuracy}."


def _cores(run: Measured) -> Iterator[str]:
    states = states_of(run.run)
    for shape, state in states.items():
        cases = [case for case in run.run.cases if case.shape == shape]
        others = other_rounds(cases, state)
        begin = f"With {shape}, the" if len(states) > 1 else "The"
        yield (
            f"{begin} state of the cores that counts is the most common one, by two probes after "
            f"each round: {state}. {units.format_percent(others.moved)} of the rounds were more "
            f"than a factor of {MOVED} from that distance, {units.format_percent(others.slowed)} "
            f"on a core slower by {100 * (SLOWED - 1):.0f} % or more."
        )


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
        f"{units.format_bytes(verified)} of payload were verified."
    )


def _flags(run: Measured) -> Iterator[str]:
    flags = [case.samples.flags for case in run.run.cases if case.samples is not None]
    if not flags:
        return
    every = np.concatenate(flags)
    counts = [(int(np.count_nonzero(every & bit)), what) for bit, what in FLAGS]
    reasons = [f"{count:,} {what}" for count, what in counts if count]
    flagged = f"of these, {joined(reasons)} are flagged" if reasons else "none is flagged"
    yield f"{every.size:,} samples are stored; {flagged}."


def launch_table(run: Measured) -> Table:
    """One line per launch: its shape, hosts, binding and clock."""
    return Table(f"Launches of {run.name}", LAUNCHES, run.run.launches)


def _binding(launch: Launch) -> str:
    binding = list(dict.fromkeys(launch.placement.binding))
    return "; ".join(binding[:4]) + (f"; {len(binding) - 4} more" if len(binding) > 4 else "")


LAUNCHES = (
    Column("launch", NUMBER, lambda launch: launch.launch),
    Column("ranks", WORDS, lambda launch: str(launch.shape)),
    Column("hosts", WORDS, lambda launch: ", ".join(launch.placement.hosts[:4])),
    Column("CPUs of the ranks", WORDS, _binding),
    Column("clock resolution", SECONDS, lambda launch: launch.clock.resolution_seconds),
    Column("clock cost", SECONDS, lambda launch: launch.clock.cost_seconds),
    Column("start", WORDS, lambda launch: launch.synchronisation.method),
)
