# SPDX-License-Identifier: BSD-3-Clause
"""The runs of a report with their statistics, each under a unique name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from transrank.lab.stats.pairs import are_paired
from transrank.lab.stats.placement import shared_cores
from transrank.lab.stats.summary import (
    CaseResult,
    Caution,
    counted_cases,
    run_warnings,
    summarise,
)
from transrank.lab.stats.trust import Trust, trust_in, without_noise
from transrank.lab.store.records import Case, Run, Shape

WITHIN_A_NODE, BETWEEN_NODES, SOMEWHERE = PLACES = ("within a node", "between nodes", "")


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """One run: its name on the page, its grade, a result per case and shape, and the warnings.

    `results` have no value where the interval is noise; `every_result` has it.
    """

    run: Run
    name: str
    every_result: tuple[CaseResult, ...]
    results: tuple[CaseResult, ...]
    warnings: tuple[Caution, ...]
    trust: Trust

    def of_study(self, *studies: str) -> list[CaseResult]:
        """The results of these studies that have a value."""
        return [result for result in self.results if result.study in studies and result.measured]

    @property
    def counted_cases(self) -> list[Case]:
        """The cases of single launches, without those that are left out of the results."""
        return counted_cases(self.run.cases, self.results)

    def by_place(self, *studies: str) -> dict[str, list[CaseResult]]:
        """The results of two-rank studies, by the place of the two ranks: see `place_of`.

        If several shapes put them in the same place, those of the smallest shape: in the others
        more ranks wait.
        """
        results = self.of_study(*studies)
        smallest: dict[tuple[str, str], Shape] = {}
        for result in sorted(results, key=lambda result: result.shape):
            smallest.setdefault((result.study, place_of(result)), result.shape)
        found: dict[str, list[CaseResult]] = {}
        for place in PLACES:
            kept = [
                result
                for result in results
                if place_of(result) == place and smallest[result.study, place] == result.shape
            ]
            if kept:
                found[place] = kept
        return found

    @property
    def crowded(self) -> frozenset[Shape]:
        """The shapes in which ranks shared cores, whose times are mostly waiting."""
        return frozenset(
            launch.shape for launch in self.run.launches if shared_cores(launch.placement)
        )

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host that a rank ran on."""
        header = self.run.header.placement
        placements = [launch.placement for launch in self.run.launches]
        every = [*([header] if header else []), *placements]
        return tuple(dict.fromkeys(host for placement in every for host in placement.hosts))


def measure_up(runs: Sequence[Run]) -> list[Measured]:
    """Summarise each run, values that are noise left out.

    Runs with the same name are distinguished by their ids; two variants are A and B.
    """
    names = Counter(run.name for run in runs)
    variants = [run.header.versus for run in runs]
    paired = len(runs) == 2 and are_paired(*runs)
    measured = []
    for run, versus in zip(runs, variants, strict=True):
        results = summarise(run)
        name = run.name if names[run.name] == 1 else f"{run.name} ({run.header.run})"
        if paired and versus:
            name = versus.variant.upper()
        measured.append(
            Measured(
                run,
                name,
                every_result=tuple(results),
                results=tuple(without_noise(results)),
                warnings=tuple(run_warnings(run, results)),
                trust=trust_in(run, results),
            )
        )
    return measured


def place_of(result: CaseResult) -> str:
    """The place of the two ranks of a message; empty if unknown."""
    if result.placed is None:
        return SOMEWHERE
    return WITHIN_A_NODE if result.placed.nodes == 1 else BETWEEN_NODES


def shapes_of(results: Sequence[CaseResult]) -> list[Shape]:
    """The shapes in which these were measured, smallest first."""
    return sorted({result.shape for result in results})


def telling_shape(results: Sequence[CaseResult], *runs: Measured) -> Shape | None:
    """The largest shape in which each rank had a core; the largest of all if there is none."""
    shapes = shapes_of(results)
    roomy = [shape for shape in shapes if not any(shape in run.crowded for run in runs)]
    return (roomy or shapes)[-1] if shapes else None
