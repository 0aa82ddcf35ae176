# SPDX-License-Identifier: BSD-3-Clause
"""The first screen: how far to trust the run, five numbers, and the warnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from transrank.lab import units
from transrank.lab.report.measured import PLACES, Measured, telling_shape
from transrank.lab.report.phrases import (
    best_rate,
    joined,
    nearest,
    rate_interval,
    sentence,
    times_as_long,
)
from transrank.lab.report.published import BLOCKING
from transrank.lab.report.questions import collectives, ghost, redistribute
from transrank.lab.report.questions.launch import range_of
from transrank.lab.report.questions.message_rate import ONE_WAY
from transrank.lab.report.questions.message_time import SMALL_BYTES
from transrank.lab.report.questions.missing import statuses
from transrank.lab.report.questions.question import Question
from transrank.lab.report.questions.study import Study
from transrank.lab.report.yardstick import NAME, yardstick_of
from transrank.lab.stats.summary import CaseResult, Caution
from transrank.lab.stats.trust import NOT_MEASURED, Trust
from transrank.lab.view.kinds import interval_text, range_text

MOST_NUMBERS = 5
NO_INTERVAL = "no interval"
BEWARE = "Warnings"
# The largest number of words before the first fold of a page of one run.
MOST_WORDS = 150


@dataclass(frozen=True, slots=True)
class Number:
    """A headline number with its name, its interval, and its reference."""

    name: str
    value: str
    detail: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The top of the page, below its title; `trust` has the names of several runs."""

    trust: tuple[tuple[str, Trust], ...]
    lead: tuple[str, ...]
    numbers: tuple[Number, ...] = ()
    beware: tuple[str, ...] = ()


def give_verdict(
    runs: Sequence[Measured], questions: Sequence[Question] = (), title: str = ""
) -> Verdict:
    """Judge the runs; for a single one, in few words, those of the page's `title` included.

    The verdict on several runs is the answer to the first question, which of them is faster. The
    verdict on a run without any of the numbers is the answer to the first of its `questions`.
    """
    answers = [text for each in questions for text in each.answer]
    if len(runs) > 1:
        trust = tuple((f"{run.name}: ", run.trust) for run in runs)
        gravest = tuple(
            f"{run.name}: {_clause(warning)}." for run in runs for warning in _further(run)[:1]
        )
        widths = tuple(f"{run.name}: {_widths(run)}" for run in runs)
        return Verdict(trust, (*answers[:1], *widths), beware=gravest)
    (run,) = runs
    numbers = tuple(islice(_numbers(run), MOST_NUMBERS))
    lead = (*answers[: not numbers], _widths(run))
    said = [
        title,
        BEWARE,
        str(run.trust),
        *lead,
        *(text for each in numbers for text in (each.name, each.value)),
    ]
    said += [each.detail for each in numbers]
    words = sum(len(text.replace("·", "").split()) for text in said)
    return Verdict((("", run.trust),), lead, numbers, tuple(_cautions(run, MOST_WORDS - words)))


def _further(run: Measured) -> list[Caution]:
    """The warnings that the grade of the run does not say already."""
    return [warning for warning in run.warnings if warning.text != run.trust.why]


def _widths(run: Measured) -> str:
    """The number of cases within the precision, and the state of the others."""
    counts = statuses(run.results)
    total = units.counted(len(run.results), "case")
    measured = sum(result.measured for result in run.results)
    widths = [
        width
        for result in run.results
        if result.headline is not None and (width := result.headline.relative_width) is not None
    ]
    lacking = {NOT_MEASURED: "not measured", "skipped": "skipped", "failed": "failed"}
    if widths:
        held = counts.get("ok", 0) if len(widths) == measured else len(widths)
        precision = run.run.header.precision
        within = f" within {units.format_percent(precision)}" if precision is not None else ""
        first = (
            f"{'all' if held == len(run.results) else f'{held:,} of'} {total} have a 95 % "
            f"interval{within} (median {units.format_spread(float(np.median(widths)))})"
        )
        lacking = {"wide": "with a wider one or none", **lacking}
    elif measured:
        verb = "has" if measured == 1 else "have"
        first = f"{units.counted(measured, 'case')} {verb} a value without an interval"
    else:
        first = f"none of {total} was measured"
    others = [
        f"{counts[status]:,} {words}" for status, words in lacking.items() if status in counts
    ]
    return sentence(f"{first}; {joined(others)}." if others else f"{first}.")


def _numbers(run: Measured) -> Iterator[Number]:
    """The headline numbers of the record, the most informative first."""
    places = [place for place in PLACES if place in run.by_place("pingpong", *ONE_WAY)]
    where = {place: f" {place}" if len(places) > 1 else "" for place in places}
    for place in places:
        yield from _message(run, place, where[place])
    for place in places:
        yield from _rate(run, place, where[place])
    yield from _allreduce(run)
    yield from _beside_floor(run, ghost.STUDY, "ghost update")
    yield from _beside_floor(run, redistribute.STUDY, "redistribution of 8 fields")
    yield from _job_start(run)
    yield from _memory(run)


def _message(run: Measured, place: str, where: str) -> Iterator[Number]:
    small = nearest(run.by_place("pingpong").get(place, []), SMALL_BYTES)
    if small is not None and small.bytes is not None:
        yield _time(f"{units.format_bytes(small.bytes)} message{where}", small)


def _rate(run: Measured, place: str, where: str) -> Iterator[Number]:
    best = best_rate(run.by_place(*ONE_WAY).get(place, []))
    if best is None or best.rate is None:
        return
    detail = rate_interval(best) or NO_INTERVAL
    yardstick = yardstick_of(run)
    share = yardstick.share_text(best) if yardstick is not None else ""
    if yardstick is not None and yardstick.beyond.rate is not None and share:
        detail += f"; {share} ({units.format_rate(yardstick.beyond.rate)}"
        if yardstick.within is not None and yardstick.within.rate is not None:
            detail += f"; in cache {units.format_rate(yardstick.within.rate)}"
        detail += ")"
    yield Number(f"best one-way rate{where}", units.format_rate(best.rate), detail)


def _allreduce(run: Measured) -> Iterator[Number]:
    found = [
        result
        for result in run.of_study(collectives.STUDY.name)
        if collectives.operation(result) == "allreduce" and collectives.form_of(result) == BLOCKING
    ]
    shape = telling_shape(found, run)
    small = nearest([result for result in found if result.shape == shape], SMALL_BYTES)
    if small is not None and small.bytes is not None:
        yield _time(f"{units.format_bytes(small.bytes)} allreduce, {small.shape}", small)


def _beside_floor(run: Measured, study: Study, name: str) -> Iterator[Number]:
    """The library's choice and its memory floor, in the first place."""
    own = [found for found in study.telling(study.of(run)) if study.way_of(found[0]) == "auto"]
    for chosen, ways in own[:1]:
        yield _time(name, chosen, study.floor(ways))


def _job_start(run: Measured) -> Iterator[Number]:
    timed = [r for r in run.of_study("launch") if r.axes.get("stamp") == "init"]
    if timed:
        most = max(timed, key=lambda result: result.shape)
        fastest, slowest = range_of(most)
        yield Number(
            f"start of {units.counted(most.shape.ranks, 'rank')}",
            units.format_seconds(slowest),
            f"first to last rank {range_text(fastest, slowest)}",
        )


def _memory(run: Measured) -> Iterator[Number]:
    yardstick = yardstick_of(run)
    if yardstick is not None and yardstick.beyond.rate is not None:
        value = units.format_rate(yardstick.beyond.rate)
        yield Number(NAME, value, rate_interval(yardstick.beyond) or NO_INTERVAL)


def _time(name: str, result: CaseResult, floor: CaseResult | None = None) -> Number:
    detail = interval_text(result.headline) or NO_INTERVAL
    ratio = times_as_long(floor, result) if floor is not None else ""
    return Number(
        name,
        units.format_seconds(result.seconds),
        f"{detail}; {ratio} its memory floor" if ratio else detail,
    )


def _clause(warning: Caution) -> str:
    """The first clause of a warning, without details."""
    return sentence(warning.text.split("; ")[0])


def _cautions(run: Measured, room: int) -> Iterator[str]:
    """The first clause of each warning while there is room for its words, the gravest first."""
    # The note on further warnings needs some words, too.
    room -= 3
    further = _further(run)
    for shown, warning in enumerate(further):
        words = _clause(warning).split()
        if shown and len(words) > room:
            yield f"{len(further) - shown} more below."
            return
        yield f"{' '.join(words)}." if len(words) <= room else f"{' '.join(words[: room - 1])} …"
        room -= len(words)
