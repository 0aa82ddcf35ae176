# SPDX-License-Identifier: BSD-3-Clause
"""How fast is memory itself? Copies within and beyond the caches, by one core and by all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from transrank.lab import units
from transrank.lab.report.figures.axes import sizes
from transrank.lab.report.figures.category_panel import BAR, Value, category_panel, in_words, rates
from transrank.lab.report.figures.figure import Figure, KeyEntry, Panel
from transrank.lab.report.figures.quantity import RATE
from transrank.lab.report.measured import Measured
from transrank.lab.report.palette import BLOCK, Style
from transrank.lab.report.phrases import kept_sentence, largest, rate_with_interval, times
from transrank.lab.report.questions.question import Context
from transrank.lab.report.questions.study import Study
from transrank.lab.report.yardstick import NAME, PLAIN_COPY, STUDY, yardstick_of
from transrank.lab.stats.compare import ratio_of
from transrank.lab.stats.summary import CaseResult

ALONE = "one core"

BAR_CAPTION = (
    "Bytes per second on the largest buffers. A copy counts each byte once, like the rate of a "
    "message; the triad counts 24 bytes per element, like STREAM. Lines at the bars' ends are "
    "95 % intervals."
)
CURVE_CAPTION = (
    "Bytes per second over the number of bytes that one core reads. Bands are 95 % intervals over "
    "launches."
)


def _bars_figure(context: Context) -> Iterator[Figure]:
    by_run = {run.name: bars for run in context.runs if (bars := _bars(context, run))}
    every = [bar for bars in by_run.values() for bar in bars]
    if not every:
        return
    scale = rates(every)
    panels = [
        Panel(
            name if context.several else "",
            f"Memory bandwidth. {in_words(bars, scale)}.",
            category_panel(bars, scale, BAR),
        )
        for name, bars in by_run.items()
    ]
    styles = {bar.series: Style(bar.style.color, BLOCK) for bar in every}
    key = tuple(KeyEntry(series, series, style) for series, style in styles.items())
    kept = kept_sentence([result for run in context.runs for result in _at_largest(run)])
    yield Figure("memory-bars", tuple(panels), BAR_CAPTION, key, "wide", kept)


def _series(result: CaseResult) -> str:
    """The copying ranks: one while the others wait, or all at once and on how many nodes."""
    if result.axes.get("active") != "together":
        return ALONE
    nodes = result.placed.nodes if result.placed is not None else 1
    where = f" on {units.counted(nodes, 'node')}" if nodes > 1 else ""
    return f"{units.counted(result.shape.ranks, 'rank')} together{where}"


def _by_series(results: Sequence[CaseResult]) -> dict[tuple[str, str], list[CaseResult]]:
    """Results by (kernel, series); one core's only from the smallest launch that measured it."""
    found: dict[tuple[str, str], list[CaseResult]] = {}
    for result in sorted(results, key=lambda result: result.shape):
        if result.axes.get("active") == "together" and result.shape.ranks == 1:
            continue  # one rank is alone either way
        kept = found.setdefault((result.text("kernel"), _series(result)), [])
        if result.rate is not None and (not kept or kept[0].shape == result.shape):
            kept.append(result)
    return found


def _chosen(run: Measured) -> Iterator[CaseResult]:
    return chain.from_iterable(_by_series(run.of_study(STUDY)).values())


def _at_largest(run: Measured) -> list[CaseResult]:
    """The result that the bar of each kernel and series shows."""
    found = [largest(results) for results in _by_series(run.of_study(STUDY)).values()]
    return [result for result in found if result is not None]


def _bars(context: Context, run: Measured) -> list[Value]:
    bars = []
    for result in _at_largest(run):
        if result.rate is None or result.headline is None:
            continue
        kernel, series = result.text("kernel"), _series(result)
        value, low, high = result.headline.value, result.headline.low, result.headline.high
        bars.append(
            Value(
                kernel,
                series,
                context.palette.style("cores", series),
                result.rate,
                result.rate * value / high if high else result.rate,
                result.rate * value / low if low else result.rate,
            )
        )
    return bars


def _answer(run: Measured) -> list[str]:
    plain = {
        series: result
        for (kernel, series), results in _by_series(run.of_study(STUDY)).items()
        if kernel == PLAIN_COPY and (result := largest(results)) is not None
    }
    alone = plain.pop(ALONE, None)
    if alone is None or alone.rate is None or alone.bytes is None:
        return []
    yardstick = yardstick_of(run)
    texts = [
        f"{NAME}, the reference for rates of messages, runs at {yardstick.facts}."
        if yardstick is not None
        else f"one core copies {rate_with_interval(alone)} in buffers of "
        f"{units.format_bytes(alone.bytes)}."
    ]
    for series, result in list(plain.items())[-1:]:
        text = f"{series} copy {rate_with_interval(result)}"
        ratio = ratio_of(result, alone)
        if ratio is not None:
            more = ratio.scaled(result.bytes_counted / alone.bytes_counted)
            text += f": {times(more)} as much"
        texts.append(f"{text}.")
    return texts


ASKED = Study(
    STUDY,
    "How fast is memory itself?",
    CURVE_CAPTION,
    "memory",
    way=("kernel",),
    where=_series,
    chosen=_chosen,
    quantities=(RATE,),
    x=sizes("bytes read"),
    said=_answer,
    figures=_bars_figure,
)
