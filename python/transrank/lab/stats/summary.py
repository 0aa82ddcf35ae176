# SPDX-License-Identifier: BSD-3-Clause
"""A summary of every case of a run: value, interval, samples kept, warnings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from transrank.lab.stats.advice import case_warnings, run_warnings
from transrank.lab.stats.cores import CoreState, states_of
from transrank.lab.stats.drift import Rounds, find_drift, round_medians
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.launches import combine, find_groups
from transrank.lab.stats.median import median, median_interval, quantile
from transrank.lab.stats.placed import Placements
from transrank.lab.stats.result import CaseResult, Caution, ImbMean, Tail
from transrank.lab.stats.selection import BASES, Selection, after_warm_up, select
from transrank.lab.store.lines import Case, Samples, Shape
from transrank.lab.store.records import Run

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

__all__ = [
    "CaseResult",
    "Caution",
    "Estimate",
    "ImbMean",
    "Tail",
    "counted_cases",
    "counted_samples",
    "run_warnings",
    "summarise",
    "summarise_case",
]


@dataclass(frozen=True, slots=True)
class _LaunchView:
    """One launch of a case."""

    case: Case
    value: Estimate
    minimum: float | None = None
    first_rank: float | None = None
    imbalance: float | None = None
    memory_copy: float | None = None
    rounds: Rounds | None = None


def summarise(
    run: Run,
    states: Mapping[Shape, CoreState] | None = None,
    strictest: Mapping[tuple[str, Shape], str] | None = None,
) -> list[CaseResult]:
    """One result per case and shape: curve after curve as planned, by shape and by size.

    What counts was measured with the cores in the state that the record names, or in `states`;
    `strictest` has the basis of cases with weaker requirements: see `selection.select`.
    """
    placements = Placements(run.launches)
    states = states_of(run) if states is None else states
    results = [
        summarise_case(
            cases,
            states.get(shape),
            run.header.precision,
            placements,
            (strictest or {}).get((case, shape), BASES[0]),
        )
        for (case, shape), cases in by_case(run.cases).items()
    ]
    return _in_planned_order(run, results)


def by_case(cases: Iterable[Case]) -> dict[tuple[str, Shape], list[Case]]:
    """The launches of each case."""
    found: dict[tuple[str, Shape], list[Case]] = {}
    for case in cases:
        found.setdefault((case.case, case.shape), []).append(case)
    return found


def counted_cases(cases: Iterable[Case], results: Iterable[CaseResult]) -> list[Case]:
    """The cases of single launches that belong to these results, and are not left out of them."""
    counted = {(result.case, result.shape): result.launches for result in results}
    return [
        case
        for case in cases
        if (case.case, case.shape) in counted
        and (case.status != "ok" or case.launch in counted[case.case, case.shape])
    ]


def counted_samples(run: Run, cases: Iterable[Case]) -> Iterator[tuple[Case, Mask]]:
    """Which samples of the `cases`, all launches of each, enter its headline."""
    states = states_of(run)
    for (_, shape), launches in by_case(cases).items():
        sampled = [(case, case.samples) for case in launches if case.samples is not None]
        selection = select([samples for _, samples in sampled], states.get(shape))
        yield from zip((case for case, _ in sampled), selection.counted, strict=True)


def _in_planned_order(run: Run, results: Sequence[CaseResult]) -> list[CaseResult]:
    """Curve after curve as planned, and by size: the file has the cases in the order measured."""
    planned = dict.fromkeys(case for launch in run.plan for case in launch.cases)
    position = {case: index for index, case in enumerate(planned)}
    last = len(position)
    curves: dict[tuple[object, ...], int] = {}
    for result in sorted(results, key=lambda result: position.get(result.case, last)):
        curves.setdefault(_curve(result), len(curves))
    return sorted(results, key=lambda r: (curves[_curve(r)], r.shape, r.bytes or 0))


def _curve(result: CaseResult) -> tuple[object, ...]:
    """The properties common to all sizes of a curve, apart from the shape."""
    others = (item for item in result.axes.items() if item[0] != "bytes")
    return (result.study, *others)


def summarise_case(
    cases: Sequence[Case],
    state: CoreState | None = None,
    precision: float | None = None,
    placements: Placements | None = None,
    strictest: str = BASES[0],
) -> CaseResult:
    """The result of one case in one shape from what each launch says of it.

    Nothing else of the run has a part in it, but the state of the cores that the run is of.
    """
    measured = [case for case in cases if case.status == "ok"]
    if not measured:
        return _unmeasured(cases)
    sampled = [case.samples for case in measured if case.samples is not None]
    selection = select(sampled, state, strictest)
    views = _views(measured, selection)
    values = [view.value for view in views]
    imb = [_imb_of(case) for case in measured]
    first = views[0].case
    result = CaseResult(
        study=first.study,
        case=first.case,
        axes=first.axes,
        shape=first.shape,
        status="ok",
        reason=_reason(cases),
        headline=combine(values).across_surveys(),
        statistic="mean" if first.timing == "imported" else "median",
        minimum=min((view.minimum for view in views if view.minimum is not None), default=None),
        imb=ImbMean(*(median(np.array(column)) for column in zip(*imb, strict=True))),
        first_rank=_combined([view.first_rank for view in views]),
        imbalance=_median_of([view.imbalance for view in views]),
        tail=_tail(sampled),
        samples=selection.taken,
        kept=selection.kept,
        basis=selection.basis,
        launches=tuple(view.case.launch for view in views),
        launch_medians=tuple(values),
        launch_imb=tuple(mean for mean, _, _ in imb),
        bytes_counted=first.bytes_counted or 0.0,
        verified=sum(case.verified or 0 for case in measured),
        measuring_seconds=sum(case.measuring_seconds or 0.0 for case in cases),
        timing=first.timing,
        launches_left_out=len(measured) - len(views),
        memory_copy=_median_of([view.memory_copy for view in views]),
        placed=placements.of(first) if placements else None,
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
    """Whether the interval of a measured case is as narrow as requested."""
    assert result.headline is not None
    if result.statistic == "mean":
        return "ok"
    width = result.headline.relative_width
    return "wide" if width is None or (precision is not None and width > precision) else "ok"


def _views(cases: Sequence[Case], selection: Selection) -> list[_LaunchView]:
    """One view per launch; launches without a sample that counts are left out."""
    masks = iter(selection.counted)
    views = []
    for case in cases:
        if case.samples is None:
            assert case.imported is not None  # the schema: an ok case has one or the other
            first = case.imported.minimum
            views.append(_LaunchView(case, Estimate(case.imported.mean), first_rank=first))
        elif (mask := next(masks)).any():
            views.append(_view(case, case.samples, mask))
    return views


def _view(case: Case, samples: Samples, counted: Mask) -> _LaunchView:
    seconds = samples.seconds[counted]
    return _LaunchView(
        case,
        median_interval(seconds),
        minimum=float(seconds.min()),
        first_rank=median(samples.fastest[counted]),
        imbalance=_imbalance(seconds, samples.fastest[counted]),
        memory_copy=_memory_copy(samples),
        rounds=round_medians(samples.seconds, counted, samples.rounds.tolist()),
    )


def _imbalance(slowest: Floats, fastest: Floats) -> float | None:
    positive = slowest > 0
    if not positive.any():
        return None
    return median(1 - np.minimum(fastest, slowest)[positive] / slowest[positive])


def _memory_copy(samples: Samples) -> float | None:
    copies = samples.memory_copy_seconds
    return median(copies) if copies is not None and copies.size else None


def _imb_of(case: Case) -> tuple[float, float, float]:
    """The mean over all samples and over the ranks that have a part; its extremes over ranks."""
    if case.imported is not None:
        mean = case.imported.mean
        low, high = case.imported.minimum, case.imported.maximum
        return mean, mean if low is None else low, mean if high is None else high
    if case.over_ranks is not None:
        spread = case.over_ranks.mean_of_all or case.over_ranks.mean
        extremes = float(spread.quantiles[0]), float(spread.quantiles[-1])
        return (spread.first,) * 3 if case.clocks == "root" else (spread.mean, *extremes)
    assert case.ranks is not None  # the schema: an ok case has them otherwise
    means = case.ranks.mean if case.ranks.mean_of_all is None else case.ranks.mean_of_all
    means = means[:1] if case.clocks == "root" else means[~np.isnan(means)]
    return float(means.mean()), float(means.min()), float(means.max())


def _tail(launches: Sequence[Samples]) -> Tail | None:
    if not launches:
        return None
    every = np.concatenate([samples.seconds[after_warm_up(samples.flags)] for samples in launches])
    return Tail(float(every.mean()), quantile(every, 0.9), quantile(every, 0.99))


def _combined(values: Sequence[float | None]) -> float | None:
    """As the headline is: else the first rank could be later than the last."""
    known = [Estimate(value) for value in values if value is not None]
    return combine(known).value if known else None


def _median_of(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(np.array(known)) if known else None
