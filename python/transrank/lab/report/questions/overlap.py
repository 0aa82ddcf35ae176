# SPDX-License-Identifier: BSD-3-Clause
"""How much of a transfer does computation hide? Shares of time, by operation and size."""

from __future__ import annotations

from transrank.lab import units
from transrank.lab.report.phrases import ends, joined, percent
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.report.tables import NOTHING, Column, Row, Table
from transrank.lab.stats.hidden import STUDY, Hidden, find_hidden

CAPTION = (
    "Hidden is (alone + computation - together) / alone, the mean over launches with its 95 % "
    "interval. The computation takes as long as the operation alone. Below zero both hinder each "
    "other; beyond 100 % the operation is dearer alone than beside a computation."
)


def ask(context: Context) -> Question | None:
    """Build the question; None when no operation has all three parts."""
    rows, answers = [], []
    for run in context.runs:
        found = find_hidden(run.of_study(STUDY))
        rows += [Row(((run.name,) if context.several else ()) + _cells(each)) for each in found]
        answers += [context.about(run, text) for text in _answer(found)]
    if not rows:
        return None
    headings = ("operation", "form", "ranks", "bytes", "alone", "computation", "together", "hidden")
    columns = tuple(Column(name, number=name not in headings[:2]) for name in headings)
    if context.several:
        columns = (Column("run", number=False), *columns)
    return Question(
        "overlap",
        "How much of a transfer does computation hide?",
        tuple(answers),
        tables=(Table(CAPTION, columns, tuple(rows)),),
        studies=(STUDY,),
    )


def _cells(hidden: Hidden) -> tuple[str, ...]:
    parts = (hidden.alone, hidden.computation, hidden.together)
    return (
        hidden.operation,
        hidden.form,
        str(hidden.shape),
        NOTHING if hidden.bytes is None else units.format_bytes(hidden.bytes),
        *(units.format_seconds(part.headline.value) for part in parts if part.headline),
        NOTHING if hidden.share is None else percent(hidden.share),
    )


def _answer(found: list[Hidden]) -> list[str]:
    """One sentence: of each operation the largest size that has an interval."""
    largest: dict[tuple[str, str], Hidden] = {}
    for each in found:
        if each.share is not None:
            key = (each.operation, each.form)
            before = largest.get(key)
            if before is None or (each.bytes or 0) > (before.bytes or 0):
                largest[key] = each
    parts = [
        f"{units.format_percent(each.share.value)} of a {form} {operation} of "
        f"{units.format_bytes(each.bytes or 0)} ({ends(each.share, units.format_percent)})"
        for (operation, form), each in largest.items()
        if each.share is not None
    ]
    return [f"hidden are {joined(parts)}."] if parts else []
