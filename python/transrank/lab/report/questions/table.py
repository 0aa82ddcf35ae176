# SPDX-License-Identifier: BSD-3-Clause
"""All questions in the order of the page. A new question is one file and one row here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
    matching,
    memory_copy,
    message_rate,
    message_time,
    neighborhood,
    one_sided,
    overlap,
    plan_scaling,
    redistribute,
    send_modes,
    source,
    stability,
)
from transrank.lab.report.questions.growth import with_growth
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.report.questions.study import Study, answer

# A study is asked by the roles of its axes, or by a question of its own.
QUESTIONS: tuple[Study | Callable[[Context], Question | None], ...] = (
    comparison.ask,
    message_time.ask,
    message_rate.ask,
    message_rate.PAIRS,
    send_modes.STUDY,
    matching.STUDY,
    datatypes.STUDY,
    one_sided.STUDY,
    collectives.STUDY,
    overlap.STUDY,
    neighborhood.STUDY,
    alltoall_algorithms.STUDY,
    ghost.STUDY,
    redistribute.STUDY,
    advection.STUDY,
    advection_solution.ask,
    plan_scaling.STUDY,
    memory_copy.ASKED,
    locality.ask,
    contention.ask,
    launch.STUDY,
    source.ask,
)
# Of the others what a figure over ranks has to know.
_OTHERS = (
    Study("fan", follows=("peers",)),
    Study("multi-pingpong", follows=("pairs",)),
)
STUDIES: Mapping[str, Study] = {
    study.name: study for study in (*QUESTIONS, *_OTHERS) if isinstance(study, Study)
}


def ask_all(context: Context) -> list[Question]:
    """The questions that these runs answer; a study that none of them covers gets its own."""
    asks = [answer(each) if isinstance(each, Study) else each for each in QUESTIONS]
    asked = [question for ask in asks if (question := ask(context)) is not None]
    covered = {study for question in asked for study in question.studies}
    measured = dict.fromkeys(result.study for run in context.runs for result in run.results)
    others = [answer(study_of(name))(context) for name in measured if name not in covered]
    asked += [question for question in others if question is not None]
    asked = [with_growth(context, question, map(study_of, question.studies)) for question in asked]
    closing = stability.ask(context)
    return [*asked, closing] if closing else asked


def study_of(name: str) -> Study:
    """The roles of a study's axes."""
    return STUDIES.get(name) or Study(name)
