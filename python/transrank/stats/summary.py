# SPDX-License-Identifier: BSD-3-Clause
"""Every case of a run in one line each: value, interval, what was kept, what to beware of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from transrank.stats.advice import case_warnings, run_warnings
from transrank.stats.core_state import CoreState, core_states
from transrank.stats.drift import Rounds, find_drift, round_medians
from transrank.stats.estimate import Estimate
from transrank.stats.launches import combine, find_groups
from transrank.stats.median import median, median_interval
from transrank.stats.placed import Placements
from transrank.stats.result import CaseResult, Caution, ImbMean
from transrank.stats.selection import Selection, select
from transrank.store.lines import Case, Samples, Shape
from transrank.store.records import Run

__all__ = ["CaseResult", "Caution", "Estimate", "ImbMean", "run_warnings", "summarise"]


@dataclass(frozen=True, slots=True)
class _LaunchView:
    """What one launch says of a case."""

    case: Case
    value: Estimate
    minimum: float | None = None
    imbalance: float | None = None
    rounds: Rounds | None = None


def summarise(run: Run) -> list[CaseResult]:
    """One result per case and shape: curve after curve as planned, by shape and by size."""
    by_case: dict[tuple[str, Shape], list[Case]] = {}
    for case in run.cases:
        by_case.setdefault((case.case, case.shape), []).append(case)
    precision = run.header.options.precision if run.header.options else None
    placements = Placements(run.launches)
    cores = core_states(run.cases)
    results = [
        _summarise_case(cases, precision, placements, cores[shape])
        for (_, shape), cases in by_case.items()
    ]
    return _in_planned_order(run, results)


def _in_planned_order(run: Run, results: Sequence[CaseResult]) -> list[CaseResult]:
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


def _summarise_case(
    cases: Sequence[Case],
    precision: float | None,
    placements: Placements,
    cores: CoreState,
) -> CaseResult:
    measured = [case for case in cases if case.status == "ok"]
    if not measured:
        return _unmeasured(cases)
    sampled = [case.samples for case in measured if case.samples is not None]
    selections, all_used = select(sampled, cores.disqualified(sampled))
    views = _views(measured, selections)
    values = [view.value for view in views]
    headline = combine(values)
    imported = views[0].case.timing == "imported"
    stops = tuple(view.case.stop for view in views if view.case.stop)
    taken = sum(selection.taken for selection in selections)
    first = views[0].case
    result = CaseResult(
        study=first.study,
        case=first.case,
        axes=first.axes,
        shape=first.shape,
        status="ok",
        reason=_reason(cases),
        headline=headline,
        statistic="mean" if imported else "median",
        minimum=min((view.minimum for view in views if view.minimum is not None), default=None),
        imb=_imb(views, all_used),
        imbalance=_median_of([view.imbalance for view in views]),
        samples=taken,
        kept=sum(selection.clean for selection in selections) / taken if taken else 0.0,
        unusual=sum(selection.unusual for selection in selections) / taken if taken else 0.0,
        launches=tuple(view.case.launch for view in views),
        launch_medians=tuple(values),
        launch_imb=tuple(_imb_of(view.case, all_used).mean for view in views),
        bytes_counted=first.bytes_counted or 0.0,
        verified=sum(view.case.verified or 0 for view in views),
        measuring_seconds=sum(case.measuring_seconds or 0.0 for case in cases),
        timing=first.timing,
        stops=stops,
        all_used=all_used,
        launches_left_out=len(measured) - len(views),
        placed=placements.of(first.study, first.shape, first.launch),
        groups=find_groups(values),
        drift=find_drift([view.rounds for view in views if view.rounds is not None]),
    )
    result = replace(result, status=_status(result, precision))
    return replace(result, warnings=case_warnings(result))


def _unmeasured(cases: Sequence[Case]) -> CaseResult:
    failed = [case for case in cases if case.status == "failed"]
    case = (failed or list(cases))[0]
    return CaseResult(
        case.study,
        case.case,
        case.axes,
        case.shape,
        status=case.status,
        reason=case.reason,
        measuring_seconds=sum(each.measuring_seconds or 0.0 for each in cases),
    )


def _reason(cases: Sequence[Case]) -> str | None:
    """Why some launches of a measured case have no result."""
    lacking = [case for case in cases if case.status != "ok"]
    if not lacking:
        return None
    return f"{lacking[0].status} in {len(lacking)} of {len(cases)} launches: {lacking[0].reason}"


def _status(result: CaseResult, precision: float | None) -> str:
    """Whether a measured case is as precise as was asked, and if not, for which reason."""
    assert result.headline is not None
    if result.statistic == "median" and result.headline.low is None:
        return "unstable"
    if precision is None:
        return "ok"
    width = result.headline.relative_width
    if "max-time" in result.stops and width is not None and width > precision:
        return "unstable"
    precise = all(stop == "precise" for stop in result.stops)
    return "differing" if precise and result.launch_spread > precision else "ok"


def _views(cases: Sequence[Case], selections: Sequence[Selection]) -> list[_LaunchView]:
    """What each launch says; those of which no sample counts are left out."""
    remaining = iter(selections)
    views = []
    for case in cases:
        if case.samples is None:
            assert case.imported is not None  # the schema: an ok case has one or the other
            views.append(_LaunchView(case, Estimate(case.imported.mean)))
        elif (selection := next(remaining)).any_used:
            views.append(_view(case, case.samples, selection))
    return views


def _view(case: Case, samples: Samples, selection: Selection) -> _LaunchView:
    seconds = samples.seconds[selection.used]
    return _LaunchView(
        case,
        median_interval(seconds),
        minimum=float(seconds.min()),
        imbalance=_imbalance(samples, selection),
        rounds=round_medians(samples.seconds, selection.used, samples.rounds.tolist()),
    )


def _imbalance(samples: Samples, selection: Selection) -> float | None:
    slowest = samples.seconds[selection.used]
    fastest = np.minimum(samples.fastest[selection.used], slowest)
    positive = slowest > 0
    if not positive.any():
        return None
    return median(1 - fastest[positive] / slowest[positive])


def _imb_of(case: Case, all_used: bool) -> ImbMean:
    """The mean over the same samples as the headline's, and over the ranks that have a part."""
    if case.imported is not None:
        mean = case.imported.mean
        low, high = case.imported.minimum, case.imported.maximum
        return ImbMean(mean, mean if low is None else low, mean if high is None else high)
    assert case.ranks is not None  # the schema: an ok case has them
    of_all = case.ranks.mean_of_all if all_used else None
    means = case.ranks.mean if of_all is None else of_all
    means = means[:1] if case.clocks == "root" else means[~np.isnan(means)]
    return ImbMean(float(means.mean()), float(means.min()), float(means.max()))


def _imb(views: Sequence[_LaunchView], all_used: bool) -> ImbMean:
    each = [_imb_of(view.case, all_used) for view in views]
    return ImbMean(
        float(np.median([imb.mean for imb in each])),
        float(np.median([imb.low for imb in each])),
        float(np.median([imb.high for imb in each])),
    )


def _median_of(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else None
