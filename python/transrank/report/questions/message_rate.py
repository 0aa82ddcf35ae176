# SPDX-License-Identifier: BSD-3-Clause
"""How many bytes, and how many messages, get through? Rates over size."""

from __future__ import annotations

from transrank import units
from transrank.report.curves import Curve, arrange, namer
from transrank.report.figures.curve_figure import curve_figure
from transrank.report.figures.quantity import MESSAGES, RATE
from transrank.report.measured import Measured
from transrank.report.phrases import best_rate, counted, percent
from transrank.report.published import published_lines
from transrank.report.questions import message_time
from transrank.report.questions.memory_copy import copy_at, copy_curve
from transrank.report.questions.question import Context, Question
from transrank.stats.compare import ratio_of
from transrank.stats.summary import CaseResult

OWN_STUDIES = ("bandwidth", "bidirectional-bandwidth")
STUDIES = (*message_time.STUDIES, *OWN_STUDIES)
# Their rates are those of one direction, as a copy's.
ONE_WAY = ("pingpong", "bandwidth")
PAIRS_STUDY = "message-rate"

CAPTION = (
    "Rate over the message size, 10⁶ bytes per second. Bytes are counted as IMB and OSU count "
    "them: once for pingpong, pingping and bandwidth, twice for sendrecv (sent and received) and "
    "bidirectional bandwidth, four times for exchange. Bands are 95 % intervals over launches."
)
PAIRS_CAPTION = (
    "Messages per second of all pairs together over the message size: windows of messages, each "
    "answered by one byte; timed until the slowest rank is done."
)


def ask(context: Context) -> Question | None:
    """Build the question; None when nothing moved bytes from rank to rank."""
    groups = arrange(context.results_of(*STUDIES), context.palette, namer(context.all_of(*STUDIES)))
    lines = published_lines(context.palette, groups)
    limits = [curve for run in context.runs if (curve := copy_curve(run, context.several))]
    beside: dict[str, list[Curve]] = {
        group.title: [*limits, *lines.by_title.get(group.title, ())] for group in groups
    }
    figure = curve_figure("rate", groups, RATE, CAPTION, beside)
    if figure is None:
        return None
    return Question(
        "rate",
        "How many bytes per second get through?",
        tuple(text for run in context.runs for text in _answer(run, context.several)),
        (figure,),
        studies=tuple(study for study in OWN_STUDIES if context.all_of(study)),
        sources=lines.sources,
    )


def ask_for_messages(context: Context) -> Question | None:
    """Build the question of messages per second; None when no pairs were measured."""
    results = context.all_of(PAIRS_STUDY)
    groups = arrange(context.results_of(PAIRS_STUDY), context.palette, namer(results))
    figure = curve_figure("messages", groups, MESSAGES, PAIRS_CAPTION)
    if figure is None:
        return None
    return Question(
        "messages",
        "How many messages per second get through?",
        tuple(text for run in context.runs for text in _most_messages(run, context.several)),
        (figure,),
        studies=(PAIRS_STUDY,),
    )


def share_of_copy(run: Measured, result: CaseResult) -> str:
    """`85 % (83 % to 88 %) of a memcpy of as many bytes by one core (12.8 GB/s)`.

    Empty where memory was not measured, or in a single launch.
    """
    if result.rate is None or result.bytes is None:
        return ""
    copy = copy_at(run, result.bytes)
    if copy is None or copy.rate is None or copy.bytes is None:
        return ""
    ratio = ratio_of(result, copy)
    if ratio is None:
        return ""
    share = percent(ratio.scaled(result.bytes_counted / copy.bytes_counted))
    size = "as many bytes" if copy.bytes == result.bytes else units.format_bytes(copy.bytes)
    return f"{share} of a memcpy of {size} by one core ({units.format_rate(copy.rate)})"


def _answer(run: Measured, several: bool) -> list[str]:
    prefix = f"{run.name}: " if several else ""
    sentences = []
    for place, results in run.by_place(*ONE_WAY).items():
        best = best_rate(results)
        if best is None or best.rate is None or best.bytes is None:
            continue
        where = f" {place}" if place else ""
        text = (
            f"{prefix}The best rate in one direction{where} is {units.format_rate(best.rate)} "
            f"({best.study}, {units.format_bytes(best.bytes)})"
        )
        share = share_of_copy(run, best)
        sentences.append(f"{text}, {share}." if share else f"{text}.")
    return sentences


def _most_messages(run: Measured, several: bool) -> list[str]:
    rates = [
        (result.rate / result.bytes, result)
        for result in run.of_study(PAIRS_STUDY)
        if result.rate is not None and result.bytes
    ]
    if not rates:
        return []
    rate, result = max(rates, key=lambda pair: pair[0])
    assert result.bytes is not None
    pairs = result.axes.get("pairs")
    by = f"{counted(pairs, 'pair')} of ranks" if isinstance(pairs, int) else str(result.shape)
    prefix = f"{run.name}: " if several else ""
    return [
        f"{prefix}At most {MESSAGES.text(rate)}, by {by} with messages of "
        f"{units.format_bytes(result.bytes)}."
    ]
