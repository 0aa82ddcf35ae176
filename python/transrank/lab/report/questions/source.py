# SPDX-License-Identifier: BSD-3-Clause
"""What do the published numbers say? Of a page that shows a published machine."""

from __future__ import annotations

from transrank.lab.report.findings.published import facts, findings
from transrank.lab.report.machine_run import machine_of
from transrank.lab.report.published import source_of
from transrank.lab.report.questions.question import Context, Question


def ask(context: Context) -> Question | None:
    """Build the question; None where no machine is shown."""
    shown = [(run, machine) for run in context.runs if (machine := machine_of(run.run))]
    if not shown:
        return None
    return Question(
        "source",
        "What do the published numbers say?",
        tuple(context.about(run, text) for run, machine in shown for text in findings(machine)),
        tables=tuple(table for _, machine in shown for table in facts(machine)),
        sources=tuple(source_of(machine, ()) for _, machine in shown),
    )
