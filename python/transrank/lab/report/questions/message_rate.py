# SPDX-License-Identifier: BSD-3-Clause
"""How many bytes, and how many messages, per second? Rates over size."""

from __future__ import annotations

from transrank.lab import units
from transrank.lab.report.curves import Curve, arrange, namer
from transrank.lab.report.figures.curve_figure import curve_figure
from transrank.lab.report.figures.quantity import MESSAGES, RATE
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import best_rate, rate_with_interval
from transrank.lab.report.published import published_lines
from transrank.lab.report.questions import message_time
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.report.questions.study import Study
from transrank.lab.report.yardstick import share_of_memcpy, yardstick_line

OWN_STUDIES = ("bandwidth", "bidirectional-bandwidth")
STUDIES = (*message_time.STUDIES, *OWN_STUDIES)
# Their rates are those of one direction, as a copy's.
ONE_WAY = ("pingpong", "bandwidth")

CAPTION = (
    "Rate over the message size; MB/s and GB/s are powers of 10. Bytes are counted as in IMB and "
    "OSU: once for pingpong, pingping and bandwidth, twice for sendrecv (sent and received) and "
    "bidirectional bandwidth, four times for exchange. Bands are 95 % intervals over launches."
)
PAIRS_CAPTION = (
    "Messages per second of all pairs together over the message size. Each window of messages is "
    "answered by one byte; the slowest rank counts."
)


def ask(context: Context) -> Question | None:
    """Build the question; None when nothing moved bytes from rank to rank."""
    groups = arrange(context.results_of(*STUDIES), context.palette, namer(context.all_of(*STUDIES)))
    lines = published_lines(context.palette, groups, context.machines)
    beside: dict[str, list[Curve]] = {
        group.title: [
            *(
                line
                for run in context.runs
                for line in yardstick_line(run, group.curves, context.several)
            ),
            *lines.by_title.get(group.title, ()),
        ]
        for group in groups
    }
    # The study of the answer comes first.
    best = best_rate(context.all_of(*ONE_WAY) or context.all_of(*STUDIES))
    first = [group for group in groups if best and group.example.study == best.study]
    others = [group for group in groups if group not in first]
    figures = (
        curve_figure("rate", first, RATE, CAPTION, beside),
        curve_figure("other-rates", others, RATE, CAPTION, beside),
    )
    if not any(figures):
        return None
    return Question(
        "rate",
        "How many bytes per second are transferred?",
        context.said(_answer),
        tuple(figure for figure in figures if figure is not None),
        studies=tuple(study for study in OWN_STUDIES if context.all_of(study)),
        sources=lines.sources,
    )


def _answer(run: Measured) -> list[str]:
    sentences = []
    for place, results in run.by_place(*ONE_WAY).items():
        best = best_rate(results)
        if best is None or best.rate is None or best.bytes is None:
            continue
        where = f" {place}" if place else ""
        text = (
            f"The best rate in one direction{where} is {rate_with_interval(best)} "
            f"with {best.study} of {units.format_bytes(best.bytes)}"
        )
        share = share_of_memcpy(run, best)
        sentences.append(f"{text}, {share}." if share else f"{text}.")
    return sentences


def _most_messages(run: Measured) -> list[str]:
    rates = [
        (result.rate / result.bytes, result)
        for result in run.of_study(PAIRS.name)
        if result.rate is not None and result.bytes
    ]
    if not rates:
        return []
    rate, result = max(rates, key=lambda pair: pair[0])
    assert result.bytes is not None
    pairs = result.axes.get("pairs")
    by = f"{units.counted(pairs, 'pair')} of ranks" if isinstance(pairs, int) else str(result.shape)
    return [
        f"At most {MESSAGES.text(rate)}, by {by} with messages of "
        f"{units.format_bytes(result.bytes)}."
    ]


PAIRS = Study(
    "message-rate",
    "How many messages per second are transferred?",
    PAIRS_CAPTION,
    "messages",
    quantities=(MESSAGES,),
    said=_most_messages,
    follows=("pairs",),
)
