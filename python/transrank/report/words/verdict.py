# SPDX-License-Identifier: BSD-3-Clause
"""The verdict: what a run says of its machine, in sentences and a few numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from transrank import units
from transrank.report.curves import intervals_of
from transrank.report.findings.steps import find_steps
from transrank.report.measured import PLACES, Measured
from transrank.report.phrases import (
    are,
    best_rate,
    counted,
    joined,
    kept_share,
    nearest,
    sentence,
)
from transrank.report.questions.launch import range_of
from transrank.report.questions.memory_copy import copy_at
from transrank.report.questions.message_rate import ONE_WAY, share_of_copy
from transrank.report.questions.message_time import SMALL_BYTES, step_sentence
from transrank.report.questions.missing import statuses
from transrank.report.questions.question import Question
from transrank.report.tables import interval_text, range_text
from transrank.stats.summary import CaseResult


@dataclass(frozen=True, slots=True)
class Number:
    """A headline number with what it is and how sure."""

    name: str
    value: str
    detail: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What stands at the top of the page."""

    lead: tuple[str, ...]
    glance: tuple[Number, ...]
    findings: tuple[str, ...]


def give_verdict(runs: Sequence[Measured], questions: Sequence[Question] = ()) -> Verdict:
    """Judge the runs; the headline numbers are shown for a single run only.

    A run without messages is judged by what the first of its `questions` is answered.
    """
    if len(runs) == 1:
        run = runs[0]
        answers = (one.answer[0] for one in questions if one.studies and one.answer)
        answer = next(answers, None)
        return Verdict((_lead(run, answer),), tuple(_glance(run)), tuple(_findings(run)))
    names = joined([run.name for run in runs])
    lead = f"This page lays {counted(len(runs), 'run')} side by side: {names}."
    findings = tuple(f"{run.name}: {_lead(run)}" for run in runs)
    return Verdict((lead,), (), findings)


def _lead(run: Measured, answer: str | None = None) -> str:
    """One or two sentences: latency, bandwidth by place, and how much of it to believe."""
    parts = [part for place in PLACES if (part := _messages(run, place))]
    if not parts:
        parts.append(answer or f"{counted(len(run.results), 'case')} were measured")
    return f"{sentence('; '.join(parts)).rstrip('.')}. {_trust(run)}"


def _messages(run: Measured, place: str) -> str:
    """What small and large messages do where two ranks are; empty where none were measured."""
    parts = []
    small, best = _small_message(run, place), _best_rate(run, place)
    if small is not None and small.headline is not None and small.bytes is not None:
        parts.append(
            f"a message of {units.format_bytes(small.bytes)} takes "
            f"{units.format_seconds(small.headline.value)}"
        )
    if best is not None and best.rate is not None:
        share = share_of_copy(run, best)
        parts.append(
            f"large messages move at {units.format_rate(best.rate)}"
            + (f", {share}" if share else "")
        )
    return f"{place} {joined(parts)}".strip() if parts else ""


def _trust(run: Measured) -> str:
    counts = statuses(run.results)
    lacking = []
    if wide := counts.get("wide"):
        verb = "has" if wide == 1 else "have"
        lacking.append(f"{wide:,} {verb} an interval wider than the precision")
    if skipped := counts.get("skipped"):
        lacking.append(f"{skipped:,} {are(skipped)} skipped")
    if failed := counts.get("failed"):
        lacking.append(f"{failed:,} failed")
    total = counted(len(run.results), "case")
    if not lacking:
        return f"{total} {are(len(run.results))} measured, none skipped, failed or wide."
    return f"Of {total}, {joined(lacking)}."


def _small_message(run: Measured, place: str) -> CaseResult | None:
    return nearest(run.by_place("pingpong").get(place, []), SMALL_BYTES)


def _best_rate(run: Measured, place: str) -> CaseResult | None:
    return best_rate(run.by_place(*ONE_WAY).get(place, []))


def _glance(run: Measured) -> Iterator[Number]:
    for place in PLACES:
        yield from _message_numbers(run, place)
    yield from _copy_number(run)
    yield from _launch_number(run)
    yield from _spread_number(run)


def _message_numbers(run: Measured, place: str) -> Iterator[Number]:
    where = f" {place}" if place else ""
    small, best = _small_message(run, place), _best_rate(run, place)
    if small is not None and small.headline is not None and small.bytes is not None:
        yield Number(
            f"a message of {units.format_bytes(small.bytes)}{where}",
            units.format_seconds(small.headline.value),
            f"{interval_text(small.headline)}; {kept_share([small])}",
        )
    if best is not None and best.rate is not None and best.bytes is not None:
        yield Number(
            f"best rate in one direction{where}",
            units.format_rate(best.rate),
            f"{best.study}, {units.format_bytes(best.bytes)}; {kept_share([best])}",
        )


def _copy_number(run: Measured) -> Iterator[Number]:
    bests = [best for place in PLACES if (best := _best_rate(run, place)) is not None]
    size = bests[0].bytes if bests else None
    copy = copy_at(run, size) if size is not None else None
    if copy is not None and copy.rate is not None and copy.bytes is not None:
        yield Number(
            "memcpy by one core",
            units.format_rate(copy.rate),
            f"{units.format_bytes(copy.bytes)}: what the rate is held against; "
            f"{kept_share([copy])}",
        )


def _launch_number(run: Measured) -> Iterator[Number]:
    timed = [r for r in run.of_study("launch") if r.axes.get("stamp") == "init"]
    if timed:
        most = max(timed, key=lambda result: result.shape)
        fastest, slowest = range_of(run, most)
        yield Number(
            f"start of {counted(most.shape.ranks, 'rank')}",
            units.format_seconds(slowest),
            f"MPI_Init returns after {range_text(fastest, slowest)}; {kept_share([most])}",
        )


def _spread_number(run: Measured) -> Iterator[Number]:
    widths = [
        width
        for result in run.results
        if result.headline is not None and (width := result.headline.relative_width) is not None
    ]
    if widths:
        yield Number(
            "typical width of a 95 % interval",
            units.format_spread(float(np.median(widths))),
            f"median of {counted(len(widths), 'case')}; widest {units.format_spread(max(widths))}; "
            f"{kept_share(run.results)}",
        )


def _findings(run: Measured) -> Iterator[str]:
    """Where the curve of a single message steps."""
    places = run.by_place("pingpong")
    for place, results in places.items():
        for step in find_steps(intervals_of(results)):
            where = f" {place}" if len(places) > 1 else ""
            yield f"pingpong{where}: {step_sentence(step, run)}"
