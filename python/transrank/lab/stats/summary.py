# SPDX-License-Identifier: BSD-3-Clause
"""A summary of every case of a run: value, interval, samples kept, warnings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transrank.lab.stats.advice import case_warnings, run_warnings
from transrank.lab.stats.cores import CoreState, states_of
from transrank.lab.stats.drift import Rounds, find_drifts, round_medians
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.launches import combine_each, find_groups
from transrank.lab.stats.median import (
    Rows,
    as_estimate,
    median,
    median_intervals,
    medians,
    quantiles,
)
from transrank.lab.stats.placed import Placements
from transrank.lab.stats.result import CaseResult, Caution, ImbMean, Tail
from transrank.lab.stats.segments import Segments, joined
from transrank.lab.stats.selection import (
    BASES,
    Asked,
    Selection,
    after_warm_up,
    select,
    select_each,
)
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


# Samples that are worked on at once: few, so that what they need of memory stays small.
MOST_AT_ONCE = 1 << 17

Key = tuple[str, Shape]


@dataclass(frozen=True, slots=True)
class _Launch:
    """A launch in which a case was measured; `value` is None if too few of its samples count."""

    case: Case
    value: Estimate | None = None
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
    results: list[CaseResult] = []
    for some in _in_parts(by_case(run.cases)):
        bases = [(strictest or {}).get(key, BASES[0]) for key in some]
        of_shapes = [states.get(shape) for _, shape in some]
        results += _summarise(
            list(some.values()), of_shapes, bases, run.header.precision, placements
        )
    return _in_planned_order(run, results)


def _in_parts(cases: Mapping[Key, list[Case]]) -> Iterator[dict[Key, list[Case]]]:
    """The cases, so many at once that they have MOST_AT_ONCE samples."""
    part: dict[Key, list[Case]] = {}
    samples = 0
    for key, launches in cases.items():
        part[key] = launches
        samples += sum(case.samples.flags.size for case in launches if case.samples is not None)
        if samples >= MOST_AT_ONCE:
            yield part
            part, samples = {}, 0
    yield part


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
    strictest: str = BASES[0],
) -> CaseResult:
    """The result of one case in one shape from what each launch says of it.

    Nothing else of the run has a part in it, but the state of the cores that the run is of.
    """
    return _summarise([cases], [state], [strictest], precision, None)[0]


def _summarise(
    groups: Sequence[Sequence[Case]],
    states: Sequence[CoreState | None],
    strictest: Sequence[str],
    precision: float | None,
    placements: Placements | None,
) -> list[CaseResult]:
    """The results of many cases, each from its launches."""
    measured = [[case for case in cases if case.status == "ok"] for cases in groups]
    sampled = [[case.samples for case in cases if case.samples is not None] for cases in measured]
    selections = select_each(
        [Asked(*each) for each in zip(sampled, states, strictest, strict=True)]
    )
    launches = _launches(measured, selections)
    counting = [[each for each in some if each.value is not None] for some in launches]
    columns: dict[str, Sequence[Any]] = {
        "headline": combine_each(_column(counting, "value")),
        # As the headline is: else the first rank could be later than the last.
        "first_rank": combine_each(
            [[Estimate(first) for first in each] for each in _column(counting, "first_rank")]
        ),
        "imbalance": _medians(_column(counting, "imbalance")),
        "memory_copy": _medians(_column(counting, "memory_copy")),
        "tail": _tails(sampled),
        "drift": find_drifts(_column(counting, "rounds")),
        "launch_imb": _imb_of_launches(measured),
    }
    results = []
    for i, (cases, some) in enumerate(zip(groups, launches, strict=True)):
        row = {name: column[i] for name, column in columns.items()}
        results.append(
            _result(cases, some, selections[i], row, precision, placements)
            if some
            else _unmeasured(cases)
        )
    return results


def _column(cases: Sequence[Sequence[_Launch]], name: str) -> list[list[Any]]:
    """What is known of each launch of each case."""
    columns = ([getattr(launch, name) for launch in launches] for launches in cases)
    return [[value for value in column if value is not None] for column in columns]


def _result(
    cases: Sequence[Case],
    launches: Sequence[_Launch],
    selection: Selection,
    found: dict[str, Any],
    precision: float | None,
    placements: Placements | None,
) -> CaseResult:
    """The result of a measured case, of which the values of some fields are found."""
    counting = [launch for launch in launches if launch.value is not None]
    values = tuple(launch.value for launch in counting if launch.value is not None)
    first = counting[0].case
    imb = found.pop("launch_imb")
    headline, first_rank = found.pop("headline"), found.pop("first_rank")
    statistic = "mean" if first.timing == "imported" else "median"
    result = CaseResult(
        study=first.study,
        case=first.case,
        axes=first.axes,
        shape=first.shape,
        status=_status(headline := headline.across_surveys(), statistic, precision),
        reason=_reason(cases),
        headline=headline,
        statistic=statistic,
        minimum=min((each.minimum for each in counting if each.minimum is not None), default=None),
        imb=ImbMean(*(median(np.array(column)) for column in zip(*imb, strict=True))),
        first_rank=None if first_rank is None else first_rank.value,
        samples=selection.taken,
        kept=selection.kept,
        basis=selection.basis,
        launches=tuple(launch.case.launch for launch in counting),
        launch_medians=values,
        launch_imb=tuple(mean for mean, _, _ in imb),
        bytes_counted=first.bytes_counted or 0.0,
        verified=sum(launch.case.verified or 0 for launch in launches),
        measuring_seconds=sum(case.measuring_seconds or 0.0 for case in cases),
        timing=first.timing,
        launches_left_out=len(launches) - len(counting),
        placed=placements.of(first) if placements else None,
        groups=find_groups(values),
        **found,
    )
    warnings = case_warnings(result)
    return replace(result, warnings=warnings) if warnings else result


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


def _status(headline: Estimate, statistic: str, precision: float | None) -> str:
    """Whether the interval of a measured case is as narrow as requested."""
    if statistic == "mean":
        return "ok"
    width = headline.relative_width
    return "wide" if width is None or (precision is not None and width > precision) else "ok"


def _launches(
    measured: Sequence[Sequence[Case]], selections: Sequence[Selection]
) -> list[list[_Launch]]:
    """The launches of each case."""
    masks = [mask for selection in selections for mask in selection.counted]
    cases = [case for some in measured for case in some if case.samples is not None]
    views = iter(_views(cases, [case.samples for case in cases if case.samples], masks))
    return [
        [_printed(case) if case.samples is None else next(views) for case in some]
        for some in measured
    ]


def _printed(case: Case) -> _Launch:
    assert case.imported is not None  # the schema: an ok case has one or the other
    return _Launch(case, Estimate(case.imported.mean), first_rank=case.imported.minimum)


def _views(
    cases: Sequence[Case], sampled: Sequence[Samples], masks: Sequence[Mask]
) -> Iterator[_Launch]:
    """One view per launch, of the samples that count."""
    used = joined(masks, bool)
    every = joined([samples.seconds for samples in sampled])
    slowest, fastest = every[used], joined([samples.fastest for samples in sampled])[used]
    counted = Segments(Segments(map(len, masks)).sums(used))
    positive = slowest > 0
    leads = 1 - np.minimum(fastest, slowest)[positive] / slowest[positive]
    none = np.empty(0)
    copies = [
        none if each.memory_copy_seconds is None else each.memory_copy_seconds for each in sampled
    ]
    for case, count, interval, *others in zip(
        cases,
        counted.lengths.tolist(),
        counted.each(median_intervals, slowest),
        counted.each(lambda rows: rows.min(axis=1), slowest),
        counted.each(medians, fastest),
        Segments(counted.sums(positive)).each(medians, leads),
        Segments(map(len, copies)).each(medians, joined(copies)),
        round_medians(every, used, [samples.rounds for samples in sampled]),
        strict=True,
    ):
        yield _Launch(case, as_estimate(interval, count), *others) if count else _Launch(case)


def _imb_of_launches(measured: Sequence[Sequence[Case]]) -> list[list[Sequence[float]]]:
    """Of each launch the mean over samples and ranks that have a part, and its extremes."""
    ranks = [_means_by_rank(case) for some in measured for case in some if _lists_ranks(case)]
    flat = joined(ranks)
    has_part = ~np.isnan(flat)
    counts = Segments(map(len, ranks)).sums(has_part)
    found = iter(Segments(counts).each(_mean_and_extremes, flat[has_part]))
    return [
        [next(found) if _lists_ranks(case) else _imb_of(case) for case in some] for some in measured
    ]


def _lists_ranks(case: Case) -> bool:
    return case.imported is None and case.over_ranks is None


def _means_by_rank(case: Case) -> Floats:
    """Of the ranks whose clock counts."""
    assert case.ranks is not None  # the schema: an ok case has them otherwise
    means = case.ranks.mean if case.ranks.mean_of_all is None else case.ranks.mean_of_all
    return means[:1] if case.clocks == "root" else means


def _mean_and_extremes(rows: Rows) -> Rows:
    return np.stack([rows.mean(axis=1), rows.min(axis=1), rows.max(axis=1)], axis=1)


def _imb_of(case: Case) -> tuple[float, float, float]:
    """The mean over all samples and over the ranks that have a part; its extremes over ranks."""
    if case.imported is not None:
        mean = case.imported.mean
        low, high = case.imported.minimum, case.imported.maximum
        return mean, mean if low is None else low, mean if high is None else high
    assert case.over_ranks is not None
    spread = case.over_ranks.mean_of_all or case.over_ranks.mean
    extremes = float(spread.quantiles[0]), float(spread.quantiles[-1])
    return (spread.first,) * 3 if case.clocks == "root" else (spread.mean, *extremes)


def _tails(cases: Sequence[Sequence[Samples]]) -> list[Tail | None]:
    launches = [samples for sampled in cases for samples in sampled]
    _, after, segments = after_warm_up(launches)
    counts = Segments(map(len, cases)).sums(segments.sums(after))
    seconds = joined([samples.seconds for samples in launches])[after]
    return [found and Tail(*found) for found in Segments(counts).each(_tail, seconds)]


def _tail(rows: Rows) -> Rows:
    ordered = np.sort(rows, axis=1)
    return np.stack([rows.mean(axis=1), quantiles(ordered, 0.9), quantiles(ordered, 0.99)], axis=1)


def _medians(cases: Sequence[Sequence[float]]) -> list[float | None]:
    return Segments(map(len, cases)).each(medians, np.array(list(chain(*cases))))
