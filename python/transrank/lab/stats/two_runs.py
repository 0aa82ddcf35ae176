# SPDX-License-Identifier: BSD-3-Clause
"""Two runs, compared case by case: as pairs of launches where they are the variants of a versus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from transrank.lab.stats.compare import Verdict, compare_results
from transrank.lab.stats.conditions import reason_against, summarise_both
from transrank.lab.stats.pairs import are_paired, summarise_pair
from transrank.lab.stats.result import CaseResult
from transrank.lab.store.records import Run

Results = Sequence[CaseResult]


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """All cases of both runs, their samples chosen by the same rule, and verdicts on some."""

    baseline: Results
    candidate: Results
    verdicts: list[Verdict]


def compare_runs(
    baseline: Run,
    candidate: Run,
    threshold: float,
    select: Callable[[Results], Results] = lambda results: results,
) -> Compared:
    """Judge the cases that `select` leaves of both; among fewer cases fewer are slow by chance.

    What disturbs the machine affects both launches of a pair, and keeps no verdict from them.
    """
    paired = are_paired(baseline, candidate)
    ours, theirs = (summarise_pair if paired else summarise_both)(baseline, candidate)
    chosen = {result.case for result in select((*ours, *theirs))}
    reason = None if paired else reason_against(baseline, candidate)
    one, other = ([each for each in found if each.case in chosen] for found in (ours, theirs))
    return Compared(ours, theirs, compare_results(one, other, threshold, reason, paired))
