# SPDX-License-Identifier: BSD-3-Clause
"""The runs of a report with their statistics, each under a name of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from transrank.stats.summary import CaseResult, Caution, run_warnings, summarise
from transrank.store.records import Run, Shape

WITHIN_A_NODE, BETWEEN_NODES, SOMEWHERE = PLACES = ("within a node", "between nodes", "")


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """One run: its name on the page, a result per case and shape, what to beware of."""

    run: Run
    name: str
    results: tuple[CaseResult, ...]
    warnings: tuple[Caution, ...]

    def of_study(self, *studies: str) -> list[CaseResult]:
        """The results of these studies that have a value."""
        return [result for result in self.results if result.study in studies and result.measured]

    def by_place(self, *studies: str) -> dict[str, list[CaseResult]]:
        """The results of studies of two ranks, by where the two were: see `place_of`.

        Where several shapes put them in the same place, those of the smallest: in the others more
        ranks wait.
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
    def hosts(self) -> tuple[str, ...]:
        """Every host that a rank ran on."""
        header = self.run.header.placement
        placements = [launch.placement for launch in self.run.launches]
        every = [*([header] if header else []), *placements]
        return tuple(dict.fromkeys(host for placement in every for host in placement.hosts))


def measure_up(runs: Sequence[Run]) -> list[Measured]:
    """Summarise each run. Runs of one name are told apart by their ids."""
    names = Counter(run.name for run in runs)
    measured = []
    for run in runs:
        results = in_planned_order(run, summarise(run))
        name = run.name if names[run.name] == 1 else f"{run.name} ({run.header.run})"
        measured.append(Measured(run, name, tuple(results), tuple(run_warnings(run, results))))
    return measured


def in_planned_order(run: Run, results: Sequence[CaseResult]) -> list[CaseResult]:
    """Curve after curve as planned, and by size: the file has the cases in the order measured."""
    planned = dict.fromkeys(case for launch in run.header.plan for case in launch.cases)
    position = {case: index for index, case in enumerate(planned)}
    last = len(position)
    curves: dict[tuple[object, ...], int] = {}
    for result in sorted(results, key=lambda result: position.get(result.case, last)):
        curves.setdefault(_curve(result), len(curves))
    return sorted(results, key=lambda r: (curves[_curve(r)], r.shape, r.bytes or 0))


def _curve(result: CaseResult) -> tuple[object, ...]:
    """What all sizes of a curve have in common, apart from the shape."""
    others = (item for item in result.axes.items() if item[0] != "bytes")
    return (result.study, *others)


def place_of(result: CaseResult) -> str:
    """Where the two ranks of a message were; empty where nobody knows."""
    if result.placed is None:
        return SOMEWHERE
    return WITHIN_A_NODE if result.placed.nodes == 1 else BETWEEN_NODES


def shapes_of(results: Sequence[CaseResult]) -> list[Shape]:
    """The shapes in which these were measured, smallest first."""
    return sorted({result.shape for result in results})
