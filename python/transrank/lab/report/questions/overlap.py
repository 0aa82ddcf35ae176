# SPDX-License-Identifier: BSD-3-Clause
"""How much of a transfer does computation hide? Shares of time, by operation and size."""

from __future__ import annotations

from transrank.lab import units
from transrank.lab.report.phrases import ends, joined, percent
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.stats.hidden import STUDY, Hidden, find_hidden
from transrank.lab.view.kinds import BYTES, NUMBER, VALUE, WORDS, Kind
from transrank.lab.view.table import Column

CAPTION = (
    "Hidden is (alone + computation - together) / alone, the mean over launches with its 95 % "
    "interval. The computation takes as long as the operation alone. Below zero both hinder each "
    "other; beyond 100 % the operation is dearer alone than beside a computation."
)


COLUMNS = (
    Column("operation", WORDS, lambda hidden: hidden.operation),
    Column("form", WORDS, lambda hidden: hidden.form),
    Column("ranks", NUMBER, lambda hidden: str(hidden.shape)),
    Column("bytes", BYTES, lambda hidden: hidden.bytes),
    Column("alone", VALUE, lambda hidden: hidden.alone.headline),
    Column("computation", VALUE, lambda hidden: hidden.computation.headline),
    Column("together", VALUE, lambda hidden: hidden.together.headline),
    Column("hidden", Kind(percent), lambda hidden: hidden.share),
)


def ask(context: Context) -> Question | None:
    """Build the question; None when no operation has all three parts."""
    found = [(run.name, each) for run in context.runs for each in find_hidden(run.of_study(STUDY))]
    if not found:
        return None
    return Question(
        "overlap",
        "How much of a transfer does computation hide?",
        context.said(lambda run: _answer([each for its, each in found if its == run.name])),
        tables=(context.table(CAPTION, COLUMNS, found),),
        studies=(STUDY,),
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
