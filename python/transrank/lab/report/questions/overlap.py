# SPDX-License-Identifier: BSD-3-Clause
"""How much of a transfer does computation hide? Shares of time, by operation and size."""

from __future__ import annotations

from collections.abc import Iterator

from transrank.lab import units
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import ends, joined, percent
from transrank.lab.report.questions.question import Context
from transrank.lab.report.questions.study import Study
from transrank.lab.stats import hidden
from transrank.lab.stats.hidden import Hidden, find_hidden
from transrank.lab.view.kinds import BYTES, NUMBER, VALUE, WORDS, Kind
from transrank.lab.view.table import Column, Table

CAPTION = (
    "Hidden is (alone + computation - together) / alone, the mean over launches with its 95 % "
    "interval. The computation takes as long as the operation alone. Below zero both hinder each "
    "other; beyond 100 % the operation is dearer alone than beside a computation."
)


COLUMNS = (
    Column("operation", WORDS, lambda found: found.operation),
    Column("form", WORDS, lambda found: found.form),
    Column("ranks", NUMBER, lambda found: str(found.shape)),
    Column("bytes", BYTES, lambda found: found.bytes),
    Column("alone", VALUE, lambda found: found.alone.headline),
    Column("computation", VALUE, lambda found: found.computation.headline),
    Column("together", VALUE, lambda found: found.together.headline),
    Column("hidden", Kind(percent), lambda found: found.share),
)


def _tables(context: Context) -> Iterator[Table]:
    found = [
        (run.name, each) for run in context.runs for each in find_hidden(run.of_study(hidden.STUDY))
    ]
    yield context.table(CAPTION, COLUMNS, found)


def _said(run: Measured) -> list[str]:
    """One sentence: of each operation the largest size that has an interval."""
    largest: dict[tuple[str, str], Hidden] = {}
    for each in find_hidden(run.of_study(hidden.STUDY)):
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


STUDY = Study(
    hidden.STUDY,
    "How much of a transfer does computation hide?",
    way=("part",),
    said=_said,
    tables=_tables,
)
