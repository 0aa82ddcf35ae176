# SPDX-License-Identifier: BSD-3-Clause
"""What is missing or doubtful? Cases skipped, failed or wide, failed launches."""

from __future__ import annotations

from collections.abc import Sequence

from transrank.lab import units
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import are
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.report.tables import CASE, KEPT, SHAPE
from transrank.lab.stats.summary import CaseResult
from transrank.lab.stats.trust import NOT_MEASURED
from transrank.lab.store.runs import resume_command
from transrank.lab.view.kinds import WORDS
from transrank.lab.view.table import Column, Table

MOST_ROWS = 20
EVENTS = {"launch-failed": "A launch failed", "interrupted": "The run was interrupted"}


def ask(context: Context) -> Question | None:
    """Build the question; None when everything planned was measured well."""
    sentences = context.said(_events)
    tables = [
        table
        for run in context.runs
        for status, caption in _KINDS
        if (table := _table(context, run, status, caption)).rows
    ]
    unplanned = context.said(_unmeasured)
    if not (sentences or tables or unplanned):
        return None
    return Question(
        "missing", "What is missing or doubtful?", (*sentences, *unplanned), tables=tuple(tables)
    )


_KINDS = (
    ("failed", "Failed"),
    ("skipped", "Skipped"),
    (NOT_MEASURED, "Not measured: the 95 % interval is wider than a factor of 2"),
    ("wide", "Wide: the interval is wider than the precision, or there is none"),
)
# Statuses with a doubtful value, and the heading of the column with its uncertainty.
_DOUBTFUL = {"wide": "width of the 95 % interval"}


def _events(run: Measured) -> list[str]:
    found = []
    for event in run.run.events:
        if event.event in EVENTS:
            text = EVENTS[event.event]
            if event.launch is not None:
                text += f" (launch {event.launch})"
            found.append(f"{text}: {event.message or event.time}.")
    return found


def _unmeasured(run: Measured) -> list[str]:
    """Planned cases that no launch has finished: the survey was cut short."""
    done = {(case.launch, case.case) for case in run.run.cases}
    lost = sum(
        (planned.launch, case) not in done for planned in run.run.plan for case in planned.cases
    )
    if not lost:
        return []
    return [
        f"{units.counted(lost, 'planned measurement')} "
        f"(case and launch) {are(lost)} not taken; "
        f"`{resume_command(run.run)}` completes the run."
    ]


def _table(context: Context, run: Measured, status: str, caption: str) -> Table:
    found = [result for result in run.results if result.status == status]
    which = f"the first {MOST_ROWS} of {len(found)}" if len(found) > MOST_ROWS else len(found)
    if status in _DOUBTFUL:
        found.sort(key=lambda result: -_doubt(result))
    columns = (
        *(CASE, SHAPE),
        Column(_DOUBTFUL.get(status, "why"), WORDS, _why),
        *((KEPT,) if status in _DOUBTFUL else ()),
    )
    return Table(context.about(run, f"{caption} ({which})"), columns, found[:MOST_ROWS])


def _doubt(result: CaseResult) -> float:
    width = result.headline.relative_width if result.headline else None
    return float("inf") if width is None else width


def _why(result: CaseResult) -> str:
    if result.status not in _DOUBTFUL:
        return result.reason or ""
    if result.headline is None or result.headline.relative_width is None:
        return f"none, from {units.counted(len(result.launches), 'launch', 'launches')}"
    return f"{units.format_spread(_doubt(result))} of the value"


def statuses(results: Sequence[CaseResult]) -> dict[str, int]:
    """The number of results with each status."""
    found: dict[str, int] = {}
    for result in results:
        found[result.status] = found.get(result.status, 0) + 1
    return found
