# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts: the candidate is faster than, slower than or the same as the baseline, or unclear."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from transrank.lab.stats.discoveries import RATE, discoveries
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.launches import LEAST_LAUNCHES, combine, mean_variance, t_quantile
from transrank.lab.stats.median import CONFIDENCE
from transrank.lab.stats.pairs import paired_ratios
from transrank.lab.stats.placed import Placed
from transrank.lab.stats.result import CaseResult, Tail
from transrank.lab.store.lines import Shape

Pair = tuple[CaseResult | None, CaseResult | None]
# The shapes in which a run measured a case, in words.
Shapes = Mapping[str, Sequence[str]]

# Memory is equally fast where the times of a copy differ by at most this factor.
MEMORY_CHANGED = 1.05

# Of samples that count by these rules, why they may differ between runs.
LACKS = {
    "any speed": "had slower cores for most of its samples",
    "any cores": "has too few launches with the cores in this state",
    "all": "has too few undisturbed launches",
}
# By these, values of two runs depend on how often the cores were in which state.
MIXED = ("any speed", "any cores")
VERDICTS = ("faster", "slower", "same", "unclear", "missing")


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of two logarithms, and the reach of its 95 % interval to either side."""

    center: float
    below: float
    above: float
    freedom: float

    @property
    def ratio(self) -> Estimate:
        """The interval of the ratio."""
        logs = (self.center, self.center - self.below, self.center + self.above)
        return Estimate(*(float(np.exp(log)) for log in logs))

    def tail(self, distance: float, reach: float) -> float:
        """Probability of a value `distance` beyond a bound if 95 % of values lie within `reach`."""
        if reach == 0:
            return 0.0 if distance > 0 else 1.0
        return float(special.stdtr(self.freedom, -distance / self.error(reach)))

    def error(self, reach: float) -> float:
        """The standard error for which a 95 % interval has this reach."""
        return reach / t_quantile(self.freedom)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One case of two runs.

    Attributes
    ----------
    ratio
        candidate / baseline, in time: 1.1 is 10 % slower. None if one side is missing.
    alone
        the case on its own: `slower` (`faster`) if the whole interval of the ratio lies beyond
        the threshold, `same` if it lies within, `unclear` otherwise, `missing` if one side has
        no value.
    verdict
        the case among all: as `alone`, but `unclear` if chance could make one of this many cases
        as slow or as fast.
    reason
        why it is unclear or missing.
    statistic
        the compared statistic: medians, or means if one side has only means.
    difference
        of the logarithms of the two values; None if a side has no interval.
    tails
        mean, P90 and P99 of all samples after warm-up, of the baseline and of the candidate; None
        if one side has only means.
    first_ranks
        when the first rank was done, in the baseline and in the candidate; None where unknown.
    """

    case: str
    shape: Shape
    baseline: Estimate | None
    candidate: Estimate | None
    ratio: Estimate | None
    verdict: str
    reason: str | None = None
    statistic: str = "median"
    alone: str = "unclear"
    p_slower: float = 1.0
    p_faster: float = 1.0
    difference: Difference | None = None
    tails: tuple[Tail, Tail] | None = None
    first_ranks: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """All cases together.

    Attributes
    ----------
    counts
        the number of cases with each verdict.
    median_ratio, half
        the median of the ratios, and the quartiles that enclose their middle half.
    visible, visible_alone
        the smallest slowdown that would have been found in half of the cases: one that all share,
        and one of a single case. 0.1 is 10 %; None if no case has an interval.
    tail
        candidate / baseline of the mean, P90 and P99 of all samples, as medians over cases.
    """

    counts: Mapping[str, int]
    median_ratio: float | None
    half: tuple[float, float] | None = None
    visible: float | None = None
    visible_alone: float | None = None
    tail: Tail | None = None

    @property
    def judged(self) -> int:
        return self.counts["faster"] + self.counts["slower"] + self.counts["same"]


def compare_results(
    baseline: Sequence[CaseResult],
    candidate: Sequence[CaseResult],
    threshold: float,
    reason: str | None = None,
    paired: bool = False,
) -> list[Verdict]:
    """Judge every case that either run measured, those of the baseline first.

    Parameters
    ----------
    threshold
        relative difference that matters, 0.05 for 5 %; the bounds are 1 + threshold and its
        inverse, so that exchanging the runs exchanges faster and slower.
    reason
        why no verdict can be given, whatever the values: every case is then unclear.
    paired
        whether launch i of both runs is a pair, as in `transrank versus`: the ratio is then
        computed within pairs, and effects common to a pair cancel.

    Cases match if their names and shapes are equal. If one run lacks the shape, equal numbers of
    participating ranks with equal placement are enough: two ranks on a node match two ranks on a
    node, whether the launcher was asked for 2 per node or not.

    A case that is slower (faster) on its own but could be so by chance among all cases, at a false
    discovery rate of 5 %, is `unclear`.
    """
    if not 0 < threshold < np.inf:
        raise ValueError(f"the threshold ({threshold}) must be greater than 0 and finite")
    others = _shapes_by_case(baseline), _shapes_by_case(candidate)
    verdicts = [
        _judge(ours, theirs, threshold, others, paired)
        for ours, theirs in _pairs(baseline, candidate)
        if (ours and ours.measured) or (theirs and theirs.measured)
    ]
    if reason is not None:
        return [one if one.verdict == "missing" else _unclear(one, reason) for one in verdicts]
    return _guard_against_chance(verdicts)


def _pairs(baseline: Sequence[CaseResult], candidate: Sequence[CaseResult]) -> list[Pair]:
    """The matching cases: by shape, else by placement; those of the baseline first."""
    by_shape = {(result.case, result.shape): result for result in candidate}
    partners = {id(result): by_shape.pop((result.case, result.shape), None) for result in baseline}
    alone = [result for result in baseline if partners[id(result)] is None]
    ours, theirs = _by_placement(alone), _by_placement(by_shape.values())
    for key, result in ours.items():
        if key in theirs:
            partner = theirs[key]
            partners[id(result)] = by_shape.pop((partner.case, partner.shape))
    return [
        *((result, partners[id(result)]) for result in baseline),
        *((None, result) for result in by_shape.values()),
    ]


def _by_placement(results: Iterable[CaseResult]) -> dict[tuple[str, Placed], CaseResult]:
    """Results by the placement of their ranks; of several, the one of the smallest shape."""
    found: dict[tuple[str, Placed], CaseResult] = {}
    for result in sorted(results, key=lambda result: result.shape):
        if result.placed is not None:
            found.setdefault((result.case, result.placed), result)
    return found


def _shapes_by_case(results: Iterable[CaseResult]) -> Shapes:
    found: dict[str, list[str]] = {}
    for result in results:
        if result.measured:
            found.setdefault(result.case, []).append(str(result.shape))
    return found


def summarise_family(verdicts: Sequence[Verdict], threshold: float) -> Family:
    """Count the verdicts, and compute the smallest detectable slowdown."""
    counts = {name: sum(v.verdict == name for v in verdicts) for name in VERDICTS}
    ratios = [v.ratio.value for v in verdicts if v.ratio is not None]
    if not ratios:
        return Family(counts, None)
    low, middle, high = (float(value) for value in np.quantile(ratios, (0.25, 0.5, 0.75)))
    tail = _tail_ratio([v.tails for v in verdicts if v.ratio is not None and v.tails is not None])
    known = [v.difference for v in verdicts if v.difference is not None]
    if not known:
        return Family(counts, middle, (low, high), tail=tail)
    chance = (1 - CONFIDENCE) / 2
    alone = min(chance, RATE / len(known))

    def visible(chance: float) -> float:
        reach = [
            float(special.stdtrit(one.freedom, 1 - chance)) * one.error(one.below) for one in known
        ]
        return float(np.expm1(np.log1p(threshold) + np.median(reach)))

    return Family(counts, middle, (low, high), visible(chance), visible(alone), tail)


def _tail_ratio(tails: Sequence[tuple[Tail, Tail]]) -> Tail | None:
    ratios = [
        (theirs.mean / ours.mean, theirs.p90 / ours.p90, theirs.p99 / ours.p99)
        for ours, theirs in tails
        if min(ours.mean, ours.p90, ours.p99) > 0
    ]
    return Tail(*(float(one) for one in np.median(ratios, axis=0))) if ratios else None


def _judge(
    baseline: CaseResult | None,
    candidate: CaseResult | None,
    threshold: float,
    shapes: tuple[Shapes, Shapes],
    paired: bool,
) -> Verdict:
    known = baseline or candidate
    assert known is not None
    if baseline is None or candidate is None or not (baseline.measured and candidate.measured):
        return _missing(known, baseline, candidate, shapes)
    statistic = "median" if baseline.statistic == candidate.statistic == "median" else "mean"
    ours, theirs = _launches(baseline, statistic), _launches(candidate, statistic)
    first, second = combine(ours).across_surveys(), combine(theirs).across_surveys()
    verdict = Verdict(known.case, known.shape, first, second, None, "unclear", None, statistic)
    if baseline.tail is not None and candidate.tail is not None:
        verdict = replace(verdict, tails=(baseline.tail, candidate.tail))
    if baseline.first_rank is not None and candidate.first_rank is not None:
        verdict = replace(verdict, first_ranks=(baseline.first_rank, candidate.first_rank))
    bases = baseline.basis, candidate.basis
    if statistic == "median" and not paired and (bases[0] != bases[1] or bases[0] in MIXED):
        return replace(verdict, reason=_other_basis(bases))
    combined = [
        one.low for one in (verdict.baseline, verdict.candidate) if one and one.low is not None
    ]
    if min([one.value for one in (*ours, *theirs)] + combined) <= 0:
        return replace(
            verdict, verdict="missing", alone="missing", reason="a time of 0 has no ratio"
        )
    if paired:
        difference, few = _of_pairs(paired_ratios(baseline, candidate)), "pairs of launches"
    else:
        difference = _difference((first, len(ours)), (second, len(theirs)))
        few = "launches on a side"
    if difference is None:
        return replace(
            verdict,
            ratio=Estimate(second.value / first.value),
            reason=f"fewer than {LEAST_LAUNCHES} {few} give no interval",
        )
    judged = _judge_ratio(verdict, difference, threshold)
    if not paired and judged.verdict == _memory_change(baseline, candidate):
        return _unclear(judged, f"{judged.verdict}, and so were copies of 4 MiB beside it")
    return judged


def _unclear(verdict: Verdict, reason: str) -> Verdict:
    """The same without an answer, whatever its values are."""
    return replace(
        verdict, verdict="unclear", alone="unclear", reason=reason, p_slower=1.0, p_faster=1.0
    )


def _other_basis(bases: tuple[str, str]) -> str:
    """Why the samples that count differ in kind between the runs, or are mixed in one of them."""
    return "; ".join(
        f"the {name} {LACKS[basis]}"
        for name, basis in zip(("baseline", "candidate"), bases, strict=True)
        if basis in LACKS
    )


def _memory_change(baseline: CaseResult, candidate: CaseResult) -> str | None:
    """`slower` or `faster`, as the memory was beside the candidate; None if equally fast."""
    ours, theirs = baseline.memory_copy, candidate.memory_copy
    if ours is None or theirs is None or max(ours, theirs) <= MEMORY_CHANGED * min(ours, theirs):
        return None
    return "slower" if theirs > ours else "faster"


def _missing(
    known: CaseResult,
    baseline: CaseResult | None,
    candidate: CaseResult | None,
    shapes: tuple[Shapes, Shapes],
) -> Verdict:
    reasons = []
    for name, result, elsewhere in zip(
        ("baseline", "candidate"), (baseline, candidate), shapes, strict=True
    ):
        if result is None and known.case in elsewhere:
            there = "; ".join(elsewhere[known.case])
            reasons.append(f"the {name} has it with another placement: {there}")
        elif result is None:
            reasons.append(f"the {name} does not have it")
        elif not result.measured:
            reasons.append(f"{result.status} in the {name}: {result.reason}")
    return Verdict(
        known.case,
        known.shape,
        baseline.headline if baseline else None,
        candidate.headline if candidate else None,
        None,
        "missing",
        "; ".join(reasons),
        alone="missing",
    )


def _launches(result: CaseResult, statistic: str) -> list[Estimate]:
    if statistic == result.statistic:
        return list(result.launch_medians)
    return [Estimate(mean) for mean in result.launch_imb]


def _judge_ratio(verdict: Verdict, difference: Difference, threshold: float) -> Verdict:
    ratio = difference.ratio
    bound = float(np.log1p(threshold))
    alone = _place(ratio, 1 + threshold)
    return replace(
        verdict,
        ratio=ratio,
        verdict=alone,
        alone=alone,
        reason=None,
        p_slower=difference.tail(difference.center - bound, difference.below),
        p_faster=difference.tail(-difference.center - bound, difference.above),
        difference=difference,
    )


def _of_pairs(ratios: Sequence[Estimate]) -> Difference | None:
    """The difference from the ratios of pairs; None if there are too few."""
    if len(ratios) < LEAST_LAUNCHES:
        return None
    low, center, high = _log_interval(combine(ratios))
    return Difference(center, center - low, high - center, float(len(ratios) - 1))


def _difference(
    baseline: tuple[Estimate, int], candidate: tuple[Estimate, int]
) -> Difference | None:
    """Difference of the logarithms of two estimates, each with its number of launches.

    Its interval adds those of the two estimates in quadrature, separately for either side, since
    they need not be symmetric; None if a side has too few launches for an interval.
    Degrees of freedom as in Welch's t: the runs may differ in spread and number of launches.
    Source: Zou & Donner, Statistics in Medicine 27 (2008); Welch, Biometrika 34 (1947).
    """
    counts = (baseline[1], candidate[1])
    if min(counts) < LEAST_LAUNCHES:
        return None
    ours, theirs = (_log_interval(side[0]) for side in (baseline, candidate))
    first, second = (mean_variance(*side) for side in (baseline, candidate))
    spread = first**2 / (counts[0] - 1) + second**2 / (counts[1] - 1)
    return Difference(
        center=theirs[1] - ours[1],
        below=float(np.hypot(theirs[1] - theirs[0], ours[2] - ours[1])),
        above=float(np.hypot(theirs[2] - theirs[1], ours[1] - ours[0])),
        freedom=(first + second) ** 2 / spread if spread > 0 else float(sum(counts) - 2),
    )


def _log_interval(estimate: Estimate) -> tuple[float, float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    low, value, high = np.log((estimate.low, estimate.value, estimate.high)).tolist()
    return low, value, high


def _place(ratio: Estimate, bound: float) -> str:
    assert ratio.low is not None
    assert ratio.high is not None
    if ratio.low > bound:
        return "slower"
    if ratio.high < 1 / bound:
        return "faster"
    return "same" if 1 / bound <= ratio.low and ratio.high <= bound else "unclear"


def _guard_against_chance(verdicts: list[Verdict]) -> list[Verdict]:
    """Call a case unclear unless it is a discovery in the family of all comparisons."""
    judged = [v for v in verdicts if v.ratio is not None and v.ratio.low is not None]
    slower = discoveries([v.p_slower for v in judged])
    faster = discoveries([v.p_faster for v in judged])
    believed = {
        (v.case, v.shape): {"slower": s, "faster": f}
        for v, s, f in zip(judged, slower, faster, strict=True)
    }
    return [
        replace(
            v,
            verdict="unclear",
            reason=f"{v.verdict} on its own, but could be so by chance among {len(judged)} cases",
        )
        if v.verdict in ("slower", "faster") and not believed[v.case, v.shape][v.verdict]
        else v
        for v in verdicts
    ]


def paired_ratio(baseline: Sequence[float], candidate: Sequence[float]) -> Estimate:
    """Candidate / baseline from alternating launches: value i of both forms a pair.

    Effects common to both launches of a pair, such as a slower hour, cancel. The ratios are
    combined as launches are; fewer than three give no interval.

    Raises ValueError: for fewer than two pairs, unequal numbers or a value that is not positive.
    """
    first, second = np.asarray(baseline, dtype=float), np.asarray(candidate, dtype=float)
    if first.size != second.size or first.size < 2:
        raise ValueError(f"{first.size} and {second.size} values do not form two or more pairs")
    if min(first.min(), second.min()) <= 0:
        raise ValueError("a time that is not positive has no ratio")
    return combine([Estimate(float(ratio)) for ratio in second / first])


def ratio_of(baseline: CaseResult, candidate: CaseResult) -> Estimate | None:
    """The candidate's time over the baseline's, both of one run, with its interval.

    Computed within pairs if three launches measured both, else from the launches of each; None if
    those are too few for an interval, too.
    """
    ours, theirs = baseline.by_launch, candidate.by_launch
    if min(len(ours), len(theirs)) < LEAST_LAUNCHES or min(*ours.values(), *theirs.values()) <= 0:
        return None
    both = [launch for launch in ours if launch in theirs]
    if len(both) >= LEAST_LAUNCHES:
        return paired_ratio([ours[each] for each in both], [theirs[each] for each in both])
    assert baseline.headline is not None
    assert candidate.headline is not None
    difference = _difference((baseline.headline, len(ours)), (candidate.headline, len(theirs)))
    return None if difference is None else difference.ratio
