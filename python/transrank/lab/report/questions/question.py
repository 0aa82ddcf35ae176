# SPDX-License-Identifier: BSD-3-Clause
"""One question of the report, with its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from transrank.lab.report.figures.figure import Figure
from transrank.lab.report.machine_run import machine_of
from transrank.lab.report.measured import Measured
from transrank.lab.report.palette import Palette
from transrank.lab.report.phrases import sentence
from transrank.lab.report.published import Source
from transrank.lab.stats.summary import CaseResult
from transrank.lab.view.kinds import WORDS
from transrank.lab.view.table import Column, Table, labelled


@dataclass(frozen=True, slots=True)
class Question:
    """A heading in the reader's words, the answer in a few sentences, then figures and tables.

    The first figure is open, everything else is folded. `studies` are those whose numbers follow.
    `sources` are those of published numbers.
    """

    anchor: str
    heading: str
    answer: tuple[str, ...]
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    studies: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """The input of every question: the runs, and the styles of the page."""

    runs: tuple[Measured, ...]
    palette: Palette

    @property
    def several(self) -> bool:
        return len(self.runs) > 1

    @property
    def machines(self) -> tuple[str, ...]:
        """The names of the published machines that the page shows."""
        shown = (machine_of(run.run) for run in self.runs)
        return tuple(machine.name for machine in shown if machine is not None)

    def about(self, run: Measured, text: str) -> str:
        """A sentence or a caption about a run, after its name if there are several."""
        return f"{run.name}: {text}" if self.several else sentence(text)

    def table(
        self,
        caption: str,
        columns: Sequence[Column],
        rows: Sequence[tuple[str, Any]],
        state: Callable[[Any], str] = lambda row: "ok",
    ) -> Table:
        """A table with a row for each item of a run, after the run's name if there are several."""
        if self.several:
            return labelled(caption, Column("run", WORDS), columns, rows, state)
        return Table(caption, columns, [item for _, item in rows], state)

    def name(self, name: str, run: Measured) -> str:
        """The name of a figure of a run, its own on the page."""
        return f"{name}-{run.run.header.run}" if self.several else name

    def titled(self, run: Measured, text: str) -> str:
        """What stands over a panel of a run or in a table's first cell."""
        return f"{run.name}, {text}" if self.several else text

    def said(self, answer: Callable[[Measured], Iterable[str]]) -> tuple[str, ...]:
        """The sentences that `answer` has about each run."""
        return tuple(self.about(run, text) for run in self.runs for text in answer(run))

    def results_of(self, *studies: str) -> list[tuple[str, list[CaseResult]]]:
        """The results of these studies, by the name of the run."""
        return [(run.name, run.of_study(*studies)) for run in self.runs]

    def all_of(self, *studies: str) -> list[CaseResult]:
        """The results of these studies in all runs."""
        return [result for run in self.runs for result in run.of_study(*studies)]
