# SPDX-License-Identifier: BSD-3-Clause
"""Study `contention`: the times of each domain's receives, disturbed domains, and slow links.

A rank's value is the median of its samples in a launch; a domain's are those of all its ranks in
all launches. Their mean and standard deviation are what the source's figure shows. How many times
as long something takes is judged by launches: of a single one nothing is called disturbed or slow.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transrank.lab.stats.compare import paired_ratio
from transrank.lab.stats.discoveries import RATE, discoveries
from transrank.lab.stats.estimate import Estimate
from transrank.lab.store.lines import Case, Placement, Shape

STUDY = "contention"
CONTROL = "none"
# A domain whose receives take less than this much longer than in the control is not called
# disturbed, and a link not slow, however sure the difference is.
LEAST_DISTURBANCE = 1.1
LEAST_SLOWNESS = 1.25
# Fewer links of a kind than this have no usual time.
LEAST_LINKS = 3

Pair = tuple[int, int]
Values = NDArray[np.float64]


def parse_pairs(traffic: str) -> tuple[Pair, ...]:
    """Return the active pairs of a case's `traffic`: `0-4+1-5`; none of the control.

    Raises ValueError: the text names no pairs.
    """
    if traffic == CONTROL:
        return ()
    pairs = [tuple(map(int, word.split("-"))) for word in traffic.split("+")]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"'{traffic}' does not name pairs of domains")
    return tuple((pair[0], pair[1]) for pair in pairs)


@dataclass(frozen=True, slots=True, eq=False)
class DomainTime:
    """Seconds of a receive in one domain during some traffic: a row per launch, of its ranks."""

    domain: int
    values: Values

    @property
    def mean(self) -> float:
        return float(self.values.mean())

    @property
    def deviation(self) -> float:
        """Standard deviation over ranks and launches; 0 of a single value."""
        return float(self.values.std(ddof=1)) if self.values.size > 1 else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Traffic:
    """One case: the active pairs, and the times of receives in every domain."""

    case: str
    pairs: tuple[Pair, ...]
    domains: tuple[DomainTime, ...]
    launches: tuple[int, ...]

    @property
    def active(self) -> frozenset[int]:
        return frozenset(domain for pair in self.pairs for domain in pair)

    @property
    def off_node_mean(self) -> float | None:
        """Mean over the ranks that exchange messages; None in the control."""
        return self.mean_of(self.active) if self.pairs else None

    def mean_of(self, domains: Iterable[int]) -> float:
        """Mean over all ranks of these domains."""
        return float(np.mean([self.domains[domain].values for domain in domains]))

    def by_launch(self, domains: Iterable[int]) -> dict[int, float]:
        """The same of each launch."""
        values = np.mean([self.domains[domain].values for domain in domains], axis=(0, 2))
        return dict(zip(self.launches, values.tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Contention:
    """All traffics of one shape, size of domains and of messages; the control first."""

    shape: Shape
    domain_ranks: int
    bytes: int
    traffics: tuple[Traffic, ...]
    # The host of each domain's first rank; empty if unknown.
    hosts: tuple[str, ...] = ()
    # Domains whose ranks were not all in one memory domain of one host.
    torn: tuple[int, ...] = ()

    @property
    def control(self) -> Traffic | None:
        return next((traffic for traffic in self.traffics if not traffic.pairs), None)

    @property
    def domains(self) -> int:
        return self.shape.ranks // self.domain_ranks

    def counterpart(self, domain: int) -> int:
        """The domain at the same place of the other half."""
        return (domain + self.domains // 2) % self.domains

    def crosses(self, pair: Pair) -> bool:
        """Whether the domains of a pair are in different halves."""
        half = self.domains // 2
        return (pair[0] < half) != (pair[1] < half)

    def corresponding(self, traffic: Traffic) -> bool:
        """Whether every active domain exchanges messages with its counterpart."""
        return all(self.counterpart(a) == b for a, b in traffic.pairs)


def contentions(
    cases: Sequence[Case], placements: Mapping[int, Placement] | None = None
) -> list[Contention]:
    """Gather the study's cases of a run; `placements` are by launch."""
    found: dict[tuple[Shape, int, int], dict[str, list[Case]]] = {}
    for case in cases:
        if case.study == STUDY and case.status == "ok" and case.ranks is not None:
            key = (case.shape, int(case.axes["domain_ranks"]), int(case.axes["bytes"]))
            found.setdefault(key, {}).setdefault(str(case.axes["traffic"]), []).append(case)
    return [
        Contention(
            shape,
            domain_ranks,
            size,
            tuple(
                _traffic(traffic, launches, domain_ranks)
                for traffic, launches in sorted(by_traffic.items(), key=_in_order)
            ),
            _hosts(by_traffic, placements or {}, domain_ranks),
            _torn(by_traffic, placements or {}, domain_ranks),
        )
        for (shape, domain_ranks, size), by_traffic in sorted(found.items())
    ]


def nearest_to_the_link(measured: Contention) -> int | None:
    """The domain of the first half that exchanges messages with its counterpart fastest.

    None where no corresponding pair was active by itself.
    """
    times = {
        pair[0]: traffic.mean_of(pair)
        for pair, traffic in _alone(measured).items()
        if measured.corresponding(traffic)
    }
    return min(times, key=lambda domain: times[domain]) if times else None


def bandwidths_to(near: int, measured: Contention) -> dict[int, float]:
    """Bytes per second that a rank of domain `near` exchanges with each other one of its half.

    Those of traffics in which nothing crosses between the halves and no other domain of its half
    is active; empty where there were none.
    """
    half = measured.domains // 2
    found = {}
    for traffic in measured.traffics:
        own = [pair for pair in traffic.pairs if max(pair) < half]
        crossing = any(map(measured.crosses, traffic.pairs))
        if len(own) == 1 and near in own[0] and not crossing:
            (other,) = set(own[0]) - {near}
            found[other] = measured.bytes / traffic.mean_of(own[0])
    return found


def _in_order(item: tuple[str, object]) -> tuple[int, tuple[Pair, ...]]:
    pairs = parse_pairs(item[0])
    return len(pairs), pairs


def _traffic(traffic: str, launches: Sequence[Case], domain_ranks: int) -> Traffic:
    medians = np.array([case.ranks.median for case in launches if case.ranks is not None])
    domains = medians.shape[1] // domain_ranks
    return Traffic(
        launches[0].case,
        parse_pairs(traffic),
        tuple(
            DomainTime(domain, medians[:, domain * domain_ranks : (domain + 1) * domain_ranks])
            for domain in range(domains)
        ),
        tuple(case.launch for case in launches),
    )


def _hosts(
    by_traffic: Mapping[str, Sequence[Case]], placements: Mapping[int, Placement], domain_ranks: int
) -> tuple[str, ...]:
    launch = next(iter(by_traffic.values()))[0].launch
    if launch not in placements:
        return ()
    placement = placements[launch]
    return tuple(placement.hosts[host] for host in placement.rank_host[::domain_ranks])


def _torn(
    by_traffic: Mapping[str, Sequence[Case]], placements: Mapping[int, Placement], domain_ranks: int
) -> tuple[int, ...]:
    launches = {case.launch for cases in by_traffic.values() for case in cases}
    found: set[int] = set()
    for placement in (placements[launch] for launch in launches if launch in placements):
        homes = placement.domains or (0,) * len(placement.rank_host)
        for rank, place in enumerate(zip(placement.rank_host, homes, strict=True)):
            first = rank - rank % domain_ranks
            if place != (placement.rank_host[first], homes[first]):
                found.add(rank // domain_ranks)
    return tuple(sorted(found))


@dataclass(frozen=True, slots=True)
class Disturbance:
    """The effect of some traffic on a domain that has no part in it.

    `factor` is its mean time over that of the control, None of a single launch; `real` whether the
    difference is believed.
    """

    pairs: tuple[Pair, ...]
    domain: int
    factor: Estimate | None
    p_value: float
    real: bool


def disturbances(measured: Contention) -> list[Disturbance]:
    """Compare every domain without a part in a traffic with the same domain in the control.

    A domain is disturbed when its ranks take longer by LEAST_DISTURBANCE at least, beyond the
    interval over launches, and the difference survives a rank test (Mann and Whitney, one-sided,
    exact) among all such tests of the measurement (see `discoveries`). Where there are too few
    values for any difference to survive, all of them must lie above all of the control's.
    """
    control = measured.control
    if control is None:
        return []
    tested = [
        (
            traffic,
            domain,
            control.domains[domain.domain],
            _ratio([control.by_launch([domain.domain])], [traffic.by_launch([domain.domain])]),
        )
        for traffic in measured.traffics
        for domain in traffic.domains
        if traffic.pairs and domain.domain not in traffic.active
    ]
    p_values = [_p_value(domain.values, usual.values) for _, domain, usual, _ in tested]
    believed = discoveries(p_values)
    return [
        Disturbance(
            traffic.pairs,
            domain.domain,
            factor,
            p_value,
            _beyond(factor, LEAST_DISTURBANCE)
            and (sure or _apart(domain.values, usual.values, len(tested))),
        )
        for (traffic, domain, usual, factor), p_value, sure in zip(
            tested, p_values, believed, strict=True
        )
    ]


def _ratio(
    usual: Sequence[Mapping[int, float]], other: Sequence[Mapping[int, float]]
) -> Estimate | None:
    """The median of `other` relative to the first, by launch; None with a single launch."""
    launches = sorted(set.intersection(*(set(each) for each in (*usual, *other))))
    if len(launches) < 2:
        return None
    first, second = (
        [float(np.median([each[launch] for each in side])) for launch in launches]
        for side in (usual, other)
    )
    return paired_ratio(first, second)


def _beyond(factor: Estimate | None, least: float) -> bool:
    """Whether a factor is large enough to be named, and greater than 1 with all its interval."""
    if factor is None or factor.low is None:
        return False
    return factor.value >= least and factor.low > 1


def _p_value(values: Values, usual: Values) -> float:
    from scipy import stats  # a second to load

    found = stats.mannwhitneyu(values.ravel(), usual.ravel(), alternative="greater")
    return float(found.pvalue)


def _apart(values: Values, usual: Values, tests: int) -> bool:
    """Whether all values lie above the usual ones, if there are too few for a test."""
    smallest_p = 1 / math.comb(values.size + usual.size, values.size)
    return smallest_p * tests > RATE and bool(values.min() > usual.max())


@dataclass(frozen=True, slots=True)
class SlowLink:
    """A pair whose messages take `factor` times as long as those of other pairs of its kind."""

    pair: Pair
    factor: Estimate
    within_a_node: bool


@dataclass(frozen=True, slots=True)
class SlowNode:
    """A host all of whose links to others are slow: `factor` is that of their median."""

    host: str
    factor: Estimate


def link_times(measured: Contention) -> dict[Pair, float]:
    """Seconds of a receive of every pair that was active alone."""
    return {pair: traffic.mean_of(pair) for pair, traffic in _alone(measured).items()}


def _alone(measured: Contention) -> dict[Pair, Traffic]:
    """The traffics of a single pair."""
    return {each.pairs[0]: each for each in measured.traffics if len(each.pairs) == 1}


def slow_links(measured: Contention) -> tuple[list[SlowNode], list[SlowLink]]:
    """Find the hosts and, among the links of the others, the pairs that are slow.

    Links within a node and between nodes are kinds of their own, each compared with the median of
    its kind; a link's own time is part of the median, so that of two links neither is slow. A host
    is slow when most of its links to others are, and another host's are not. What is slow is slower
    by LEAST_SLOWNESS at least, beyond the interval over launches.
    """
    times = {pair: each.by_launch(pair) for pair, each in _alone(measured).items()}
    nodes: list[SlowNode] = []
    links: list[SlowLink] = []
    for within in (False, True):
        kind = {pair: t for pair, t in times.items() if _within(pair, measured.hosts) == within}
        if len(kind) < LEAST_LINKS:
            continue
        slow_hosts = {} if within else _slow_hosts(kind, measured.hosts)
        nodes += [SlowNode(host, factor) for host, factor in slow_hosts.items()]
        healthy = {
            pair: time
            for pair, time in kind.items()
            if not _touches(pair, measured.hosts, slow_hosts)
        }
        usual = list(healthy.values())
        links += [
            SlowLink(pair, factor, within)
            for pair, time in healthy.items()
            if (factor := _ratio(usual, [time])) is not None and _beyond(factor, LEAST_SLOWNESS)
        ]
    return nodes, sorted(links, key=lambda link: -link.factor.value)


def _within(pair: Pair, hosts: Sequence[str]) -> bool:
    return bool(hosts) and hosts[pair[0]] == hosts[pair[1]]


def _touches(pair: Pair, hosts: Sequence[str], wanted: Collection[str]) -> bool:
    return bool(hosts) and any(hosts[domain] in wanted for domain in pair)


def _slow_hosts(
    times: Mapping[Pair, Mapping[int, float]], hosts: Sequence[str]
) -> dict[str, Estimate]:
    """Hosts whose links are slow beside the links between all others, by their factor."""
    if len(set(hosts)) < 4:  # of fewer, the others have at most one link
        return {}
    found = {}
    for host in dict.fromkeys(hosts):
        own = [time for pair, time in times.items() if _touches(pair, hosts, {host})]
        rest = [time for pair, time in times.items() if not _touches(pair, hosts, {host})]
        least = [_ratio(rest, [each]) for each in own] if rest else []
        factor = _ratio(rest, own) if least else None
        if factor is not None and all(_beyond(each, LEAST_SLOWNESS) for each in least):
            found[host] = factor
    return found


def named(pair: Pair, measured: Contention) -> str:
    """`ranks 0 and 2 (node0, node1)`, or `domains 0 and 4 (...)` where domains are larger."""
    what = "ranks" if measured.domain_ranks == 1 else "domains"
    hosts = [measured.hosts[domain] for domain in pair] if measured.hosts else []
    where = f" ({', '.join(dict.fromkeys(hosts))})" if hosts else ""
    return f"{what} {pair[0]} and {pair[1]}{where}"
