# SPDX-License-Identifier: BSD-3-Clause
"""Studies that no other question covers: their curves or values, under the study's name."""

from __future__ import annotations

from transrank.lab.report.curves import Entity, arrange, namer
from transrank.lab.report.figures.category_panel import Value, times_figure
from transrank.lab.report.figures.curve_figure import curve_figure
from transrank.lab.report.figures.figure import Figure
from transrank.lab.report.figures.quantity import TIME
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import kept_sentence
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.stats.summary import CaseResult

CURVES = (
    "Time of one operation over the message size. Bands are 95 % intervals over launches, small "
    "dots are outlying launches."
)
VALUES = "Time of one operation; lines are 95 % intervals over launches."


def ask_about(context: Context, study: str) -> Question:
    """Build the question of one study."""
    entity = namer(context.all_of(study))
    groups = arrange(context.results_of(study), context.palette, entity)
    figures = (
        curve_figure(f"study-{study}", groups, TIME, CURVES),
        _values(context, study, entity),
    )
    return Question(
        f"study-{study}",
        f"What does {study} cost?",
        (),
        tuple(figure for figure in figures if figure is not None),
        studies=(study,),
    )


def _values(context: Context, study: str, entity: Entity) -> Figure | None:
    """The cases without a size; None when there are none."""
    values = [
        _value(context, run, result, entity)
        for run in context.runs
        for result in run.of_study(study)
        if result.bytes is None
    ]
    kept = kept_sentence([result for result in context.all_of(study) if result.bytes is None])
    return times_figure(f"values-{study}", {"": values}, f"Times of {study}", VALUES, kept)


def _value(context: Context, run: Measured, result: CaseResult, entity: Entity) -> Value | None:
    kind, series = ("run", run.name) if context.several else ("shape", str(result.shape))
    name = entity(result)
    if context.several and len({each.shape for each in context.all_of(result.study)}) > 1:
        name = f"{name}, {result.shape}"
    label = name.removeprefix(f"{result.study}, ")
    return Value.of(result, label, series, context.palette, kind)
