# SPDX-License-Identifier: BSD-3-Clause
"""How long does a message take? Point-to-point time over size."""

from __future__ import annotations

from transrank.lab import units
from transrank.lab.report.curves import arrange, namer
from transrank.lab.report.figures.curve_figure import curve_figure
from transrank.lab.report.figures.quantity import TIME
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import (
    largest,
    nearest,
    sentence,
    time_with_interval,
)
from transrank.lab.report.published import published_lines
from transrank.lab.report.questions.question import Context, Question

STUDIES = ("pingpong", "pingping", "sendrecv", "exchange")
SMALL_BYTES = 8

WHAT_IS_TIMED = {
    "pingpong": "pingpong: half a round trip, timed on rank 0",
    "pingping": "pingping: two ranks send to each other at the same time",
    "sendrecv": "sendrecv: every rank sends to its right and receives from its left neighbor",
    "exchange": "exchange: every rank exchanges with both neighbors",
}


def ask(context: Context) -> Question | None:
    """Build the question; None when no point-to-point study was measured."""
    runs = context.results_of(*STUDIES)
    groups = arrange(runs, context.palette, namer(context.all_of(*STUDIES)))
    if not groups:
        return None
    studies = tuple(study for study in STUDIES if context.all_of(study))
    lines = published_lines(context.palette, groups, context.machines)
    first = [group for group in groups if group.example.study == studies[0]]
    others = [group for group in groups if group.example.study != studies[0]]
    figures = (
        curve_figure("message-time", first, TIME, _caption(studies[:1]), lines.by_title),
        curve_figure("other-messages", others, TIME, _caption(studies[1:]), lines.by_title),
    )
    if not any(figures):
        return None
    return Question(
        "message-time",
        "How long does a message take?",
        context.said(_answer),
        tuple(figure for figure in figures if figure is not None),
        studies=studies,
        sources=lines.sources,
    )


def _caption(studies: tuple[str, ...]) -> str:
    timed = "; ".join(WHAT_IS_TIMED[study] for study in studies)
    return (
        "Time of one operation over the message size. Bands are 95 % intervals over launches, "
        f"small dots are outlying launches. {sentence(timed)}."
    )


def _answer(run: Measured) -> list[str]:
    sentences = []
    places = run.by_place("pingpong")
    for place, results in places.items():
        small, large = nearest(results, SMALL_BYTES), largest(results)
        if small is None or large is None or small.bytes is None or large.bytes is None:
            continue
        text = f"{units.format_bytes(small.bytes)} take {time_with_interval(small)}"
        if large is not small:
            text += f", {units.format_bytes(large.bytes)} {time_with_interval(large)}"
        where = f" {place}" if place else ""
        sentences.append(f"One way between two ranks{where}, {text}.")
    return sentences
