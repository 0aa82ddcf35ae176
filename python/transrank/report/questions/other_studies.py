# SPDX-License-Identifier: BSD-3-Clause
"""Studies without a page of their own: their curves and numbers, under the study's name."""

from __future__ import annotations

from transrank.report.curves import arrange, namer
from transrank.report.figures.curve_figure import curve_figure
from transrank.report.figures.quantity import TIME
from transrank.report.questions.question import Context, Question

CAPTION = "Time of one operation over the message size. Bands are 95 % intervals over launches."


def ask_about(context: Context, study: str) -> Question:
    """Build the question of a study that no other question covers."""
    entity = namer(context.all_of(study))
    groups = arrange(context.results_of(study), context.palette, entity)
    figure = curve_figure(f"study-{study}", groups, TIME, CAPTION)
    return Question(
        f"study-{study}",
        f"What does {study} cost?",
        (),
        (figure,) if figure else (),
        studies=(study,),
    )
