# SPDX-License-Identifier: BSD-3-Clause
"""Two variants measured alternately: launch i of both is a pair.

Effects common to both launches of a pair, such as a slower hour, cancel in the ratio.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from transrank.lab.stats.cores import CoreState, states_of
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.launches import LEAST_LAUNCHES
from transrank.lab.stats.result import CaseResult
from transrank.lab.stats.selection import BASES, select
from transrank.lab.stats.summary import by_case, summarise, summarise_case
from transrank.lab.store.lines import Case
from transrank.lab.store.records import Run


def are_paired(one: Run, other: Run) -> bool:
    """Whether the runs are the two variants of one `transrank versus`."""
    ours, theirs = one.header.versus, other.header.versus
    if ours is None or theirs is None:
        return False
    return (ours.other, theirs.other) == (other.header.run, one.header.run)


def variant_of(run: Run) -> str:
    """Which variant it is, and its settings: `B MPIR_CVAR_...=ring`; empty for other runs."""
    versus = run.header.versus
    if versus is None:
        return ""
    return f"{versus.variant.upper()} {' '.join(versus.settings) or 'default settings'}"


def summarise_pair(baseline: Run, candidate: Run) -> tuple[list[CaseResult], list[CaseResult]]:
    """Summarise both runs, with samples of each case chosen by the same rule."""
    states = states_of(baseline)
    ours, theirs = by_case(baseline.cases), by_case(candidate.cases)
    bases = {
        key: _common_basis(ours[key], theirs[key], states.get(key[1]))
        for key in ours.keys() & theirs.keys()
    }
    return summarise(baseline, strictest=bases), summarise(candidate, strictest=bases)


def summarise_case_pair(
    baseline: Sequence[Case], candidate: Sequence[Case], state: CoreState | None
) -> tuple[CaseResult, CaseResult]:
    """Summarise the launches of one case, with samples chosen by the same rule."""
    basis = _common_basis(baseline, candidate, state)
    return (
        summarise_case(baseline, state, strictest=basis),
        summarise_case(candidate, state, strictest=basis),
    )


def _common_basis(
    baseline: Sequence[Case], candidate: Sequence[Case], state: CoreState | None
) -> str:
    """The strictest basis by which enough pairs of launches count."""
    sides = [
        {case.launch: case.samples for case in cases if case.samples is not None}
        for cases in (baseline, candidate)
    ]
    for basis in BASES:
        selections = [select(list(side.values()), state, basis) for side in sides]
        counted = [
            {launch for launch, mask in zip(side, selection.counted, strict=True) if mask.any()}
            for side, selection in zip(sides, selections, strict=True)
        ]
        enough = min(LEAST_LAUNCHES, len(sides[0].keys() & sides[1].keys()))
        if {one.basis for one in selections} == {basis} and len(counted[0] & counted[1]) >= enough:
            return basis
    return BASES[-1]


def paired_ratios(baseline: CaseResult, candidate: CaseResult) -> list[Estimate]:
    """Candidate / baseline of each pair of launches that both count, in the order launched.

    The intervals are those of two independent medians. A median that is not positive has no ratio.
    """
    ours = dict(zip(baseline.launches, baseline.launch_medians, strict=True))
    theirs = dict(zip(candidate.launches, candidate.launch_medians, strict=True))
    return [
        _ratio(ours[launch], theirs[launch])
        for launch in sorted(ours.keys() & theirs.keys())
        if min(ours[launch].value, theirs[launch].value) > 0
    ]


def _ratio(baseline: Estimate, candidate: Estimate) -> Estimate:
    value = candidate.value / baseline.value
    reaches = [_reach(baseline), _reach(candidate)]
    known = [reach for reach in reaches if reach is not None]
    if not known:
        return Estimate(value)
    factor = float(np.exp(np.hypot.reduce(known)))
    return Estimate(value, value / factor, value * factor)


def _reach(median: Estimate) -> float | None:
    """Half the width of the interval of the logarithm."""
    if median.low is None or median.high is None or median.low <= 0:
        return None
    return float(np.log(median.high / median.low)) / 2
