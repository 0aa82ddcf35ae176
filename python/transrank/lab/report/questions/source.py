# SPDX-License-Identifier: BSD-3-Clause
"""What do the numbers say of each other? By rules; of a published machine also its tables."""

from __future__ import annotations

from transrank.lab.findings.table import Findings, find
from transrank.lab.findings.values import numbers_of_machine, numbers_of_run
from transrank.lab.findings.words import COLUMNS, sentences
from transrank.lab.report.machine_run import machine_of
from transrank.lab.report.measured import Measured
from transrank.lab.report.published import source_of
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.report.source_tables import source_tables

CAPTION = (
    "Rules that are broken: the number that decides, the largest of neighboring sizes, with its "
    "95 % interval. Of all of them one in twenty may be chance."
)


def ask(context: Context) -> Question | None:
    """Build the question; None where the numbers of runs say nothing."""
    found = [(run, _findings(run)) for run in context.runs]
    machines = [machine for run in context.runs if (machine := machine_of(run.run))]
    said = tuple(context.about(run, text) for run, each in found for text in sentences(each))
    if not said and not machines:
        return None
    tables = [table for machine in machines for table in source_tables(machine)]
    if broken := [(run.name, one) for run, each in found for one in each.broken]:
        tables.insert(0, context.table(CAPTION, COLUMNS, broken).shown())
    return Question(
        "source",
        f"What do the {'published ' if machines else ''}numbers say?",
        said,
        tables=tuple(tables),
        sources=tuple(source_of(machine, ()) for machine in machines),
    )


def _findings(run: Measured) -> Findings:
    machine = machine_of(run.run)
    return find(numbers_of_machine(machine) if machine else numbers_of_run(run.run, run.results))
