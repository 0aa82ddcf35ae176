# SPDX-License-Identifier: BSD-3-Clause
"""How stable are these numbers? Intervals, launches compared, samples left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from transrank.lab import units
from transrank.lab.report.figures.category_panel import TICK, Value, category_panel, deviations
from transrank.lab.report.figures.figure import Figure, Panel, Spec
from transrank.lab.report.figures.style import INK
from transrank.lab.report.measured import Measured
from transrank.lab.report.palette import Style
from transrank.lab.report.phrases import kept_sentence
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.stats.summary import CaseResult

# Farther launches are drawn at the edge: a few outliers must not squeeze the others into a line.
EDGE = 0.5
NARROWEST = 0.02
CAPTION = (
    "One tick per launch of each case: the launch's median relative to the value of the case. "
    "Launches that differ by more than 50 % are drawn at the edge."
)


def ask(context: Context) -> Question | None:
    """Build the question; None when every case was launched only once."""
    panels = []
    for run in context.runs:
        found = launch_deviations(run.results)
        if found:
            title = run.name if context.several else ""
            panels.append(Panel(title, _description(run), _strips(found)))
    if not panels:
        return None
    return Question(
        "stability",
        "How stable are these numbers?",
        context.said(stability_sentences),
        (Figure("stability", tuple(panels), CAPTION, size="wide", kept=_kept(context)),),
    )


def _kept(context: Context) -> str:
    return kept_sentence(
        [result for run in context.runs for result in run.results if len(result.launch_medians) > 1]
    )


def _strips(found: Mapping[str, Sequence[tuple[str, float]]]) -> Spec:
    """A strip per study: a tick per pair (case, relative deviation)."""
    reach = max(abs(value) for pairs in found.values() for _, value in pairs)
    scale = deviations(
        min(max(1.05 * reach, NARROWEST), EDGE), "launch relative to the value of its case"
    )
    ticks = [
        Value(study, "launch", Style(INK), value, value, value, case)
        for study, pairs in found.items()
        for case, value in pairs
    ]
    return category_panel(ticks, scale, TICK)


def launch_deviations(results: Sequence[CaseResult]) -> dict[str, list[tuple[str, float]]]:
    """By study: the relative difference of each launch's median from the value of its case."""
    deviations: dict[str, list[tuple[str, float]]] = {}
    for result in results:
        if result.headline is None or result.headline.value <= 0 or len(result.launch_medians) < 2:
            continue
        deviations.setdefault(result.study, []).extend(
            (f"{result.case}, {result.shape}", launch.value / result.headline.value - 1)
            for launch in result.launch_medians
        )
    return deviations


def stability_sentences(run: Measured) -> list[str]:
    """State the width of the intervals, the widest one, and the share of samples that count."""
    widths = [
        (width, result)
        for result in run.results
        if result.headline is not None and (width := result.headline.relative_width) is not None
    ]
    sentences = []
    if widths:
        typical = float(np.median([width for width, _ in widths]))
        worst, where = max(widths, key=lambda pair: pair[0])
        sentences.append(
            f"Half of the 95 % intervals are narrower than {units.format_spread(typical)} "
            f"of their value; the widest is {units.format_spread(worst)} "
            f"({where.case}, {where.shape})."
        )
    samples = sum(result.samples for result in run.results)
    if samples:
        kept = sum(result.kept * result.samples for result in run.results) / samples
        sentences.append(f"{units.format_percent(kept)} of {samples:,} samples count.")
    split = sum(result.groups is not None for result in run.results)
    if split:
        sentences.append(f"In {units.counted(split, 'case')} the launches fall into two groups.")
    return sentences


def _description(run: Measured) -> str:
    return " ".join(stability_sentences(run))
