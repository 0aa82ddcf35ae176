# SPDX-License-Identifier: BSD-3-Clause
"""All questions in the order of the page. A new question is one file and one row here."""

from __future__ import annotations

from collections.abc import Callable

from transrank.lab.report.questions import (
    advection,
    advection_solution,
    alltoall_algorithms,
    collectives,
    comparison,
    contention,
    datatypes,
    ghost,
    launch,
    locality,
    memory_copy,
    message_rate,
    message_time,
    neighborhood,
    one_sided,
    other_studies,
    overlap,
    plan_scaling,
    redistribute,
    send_modes,
    source,
    stability,
)
from transrank.lab.report.questions.growth import with_growth
from transrank.lab.report.questions.question import Context, Question

QUESTIONS: tuple[Callable[[Context], Question | None], ...] = (
    comparison.ask,
    message_time.ask,
    message_rate.ask,
    message_rate.ask_for_messages,
    send_modes.ask,
    datatypes.ask,
    one_sided.ask,
    collectives.ask,
    overlap.ask,
    neighborhood.ask,
    alltoall_algorithms.ask,
    ghost.ask,
    redistribute.ask,
    advection.ask,
    advection_solution.ask,
    plan_scaling.ask,
    memory_copy.ask,
    locality.ask,
    contention.ask,
    launch.ask,
    source.ask,
)


def ask_all(context: Context) -> list[Question]:
    """The questions that these runs answer; a study that none of them covers gets its own."""
    asked = [question for ask in QUESTIONS if (question := ask(context)) is not None]
    covered = {study for question in asked for study in question.studies}
    measured = dict.fromkeys(result.study for run in context.runs for result in run.results)
    asked += [other_studies.ask_about(context, study) for study in measured if study not in covered]
    asked = [with_growth(context, question) for question in asked]
    closing = stability.ask(context)
    return [*asked, closing] if closing else asked
