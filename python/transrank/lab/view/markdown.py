# SPDX-License-Identifier: BSD-3-Clause
"""A table as GitHub's Markdown."""

from __future__ import annotations

from transrank.lab.view.table import Table
from transrank.lab.view.terminal import visible


def as_markdown(table: Table) -> list[str]:
    """The lines of a table and its caption, without what is empty in every row."""
    shown = table.shown()
    rules = ["--:" if column.kind.right else ":--" for column in shown.columns]
    headings = [column.heading or "" for column in shown.columns]
    escaped = [[visible(text).replace("|", "\\|") for text in row] for row in shown.texts()]
    rows = [f"| {' | '.join(row)} |" for row in (headings, rules, *escaped)]
    return [table.caption, "", *rows, ""]
