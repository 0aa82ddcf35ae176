# SPDX-License-Identifier: BSD-3-Clause
"""Contention: on timings with a known shared link the disturbed domains and slow links come out."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import pytest

from transrank.lab.stats import contention
from transrank.lab.stats.contention import Pair
from transrank.lab.store.lines import Case, Placement, Ranks, Shape

BYTES = 64 << 20
# Seconds of a receive by the active pairs and the domain.
Model = Callable[[tuple[Pair, ...], int], float]


def cases(
    traffics: Iterable[str], model: Model, ranks: int, domain_ranks: int, launches: int = 3,
    noise: float = 0.01, seed: int = 3,
) -> list[Case]:  # fmt: skip
    random = np.random.default_rng(seed)
    found = []
    for launch in range(launches):
        for traffic in traffics:
            pairs = contention.parse_pairs(traffic)
            seconds = np.array([model(pairs, rank // domain_ranks) for rank in range(ranks)])
            seconds = seconds * random.lognormal(0, noise, ranks)
            found.append(
                Case(
                    study=contention.STUDY,
                    case=f"contention/{domain_ranks}/{traffic}/64MiB",
                    axes={"domain_ranks": domain_ranks, "traffic": traffic, "bytes": BYTES},
                    launch=launch,
                    shape=Shape(ranks, ranks // 2),
                    status="ok",
                    ranks=Ranks(seconds, seconds, seconds),
                )
            )
    return found


def placements(hosts: list[str], launches: int = 3) -> dict[int, Placement]:
    names = tuple(dict.fromkeys(hosts))
    one = Placement(
        names, tuple(names.index(host) for host in hosts), ("0",) * len(hosts), (0,) * len(hosts)
    )
    return dict.fromkeys(range(launches), one)


def two_xt6_nodes(pairs: tuple[Pair, ...], domain: int) -> float:
    """The link to the network hangs at domains 0 and 4: what passes through disturbs them."""
    if any(domain in pair for pair in pairs):
        return 0.18 + 0.005 * (pairs[0][0] % 4)
    through = domain in (0, 4) and any(domain not in pair for pair in pairs)
    return 0.12 if through else 0.09


EACH = ("none", "0-4", "1-5", "2-6", "3-7")


def test_the_domains_at_the_shared_link_are_named_and_no_others():
    (measured,) = contention.contentions(cases(EACH, two_xt6_nodes, 48, 6))
    found = contention.disturbances(measured)
    assert len(found) == 4 * 6
    real = {(one.pairs[0], one.domain) for one in found if one.real}
    assert real == {(pair, domain) for pair in ((1, 5), (2, 6), (3, 7)) for domain in (0, 4)}
    factors = [one.factor for one in found if one.real]
    assert all(each.value == pytest.approx(4 / 3, rel=0.02) for each in factors)
    assert all(each.low < each.value < each.high for each in factors)


def test_without_a_shared_link_nobody_is_disturbed_however_noisy_the_timings():
    def apart(pairs: tuple[Pair, ...], domain: int) -> float:
        return 0.18 if any(domain in pair for pair in pairs) else 0.09

    for seed in range(20):
        (measured,) = contention.contentions(cases(EACH, apart, 48, 6, noise=0.08, seed=seed))
        assert not any(one.real for one in contention.disturbances(measured))


def test_a_disturbance_is_named_where_all_values_lie_well_above_the_control():
    def slightly(pairs: tuple[Pair, ...], domain: int) -> float:
        return 0.0927 if pairs and domain == 0 else 0.09

    (measured,) = contention.contentions(cases(("none", "1-3"), slightly, 24, 6, noise=0.001))
    found = {one.domain: one for one in contention.disturbances(measured)}
    assert found[0].p_value < 1e-3
    assert not found[0].real

    def shared(pairs: tuple[Pair, ...], domain: int) -> float:
        return 0.2 if pairs and domain in (0, 2) else 0.1

    (measured,) = contention.contentions(cases(("none", "1-3"), shared, 4, 1, launches=3))
    assert {one.domain for one in contention.disturbances(measured) if one.real} == {0, 2}


def test_few_values_that_lie_among_those_of_the_control_are_no_disturbance():
    slower_and_slower = [
        replace(case, launch=launch)
        for launch, factor in enumerate((0.1, 0.2, 0.4))
        for case in cases(
            ("none", "1-3"),
            lambda pairs, domain, f=factor: f * (1.3 if pairs and domain in (0, 2) else 1),
            *(4, 1),
            launches=1,
        )
    ]
    (measured,) = contention.contentions(slower_and_slower)
    found = contention.disturbances(measured)
    assert all(one.factor.value == pytest.approx(1.3, rel=0.05) for one in found)
    assert not any(one.real for one in found)


def test_one_launch_or_no_control_calls_nothing_disturbed_or_slow():
    (measured,) = contention.contentions(cases(EACH, two_xt6_nodes, 48, 6, launches=1))
    found = contention.disturbances(measured)
    assert len(found) == 4 * 6
    assert not any(one.real or one.factor for one in found)
    links = cases(matrix(3), lambda pairs, _: 0.5 if (0, 2) in pairs else 0.1, 3, 1, launches=1)
    (measured,) = contention.contentions(links, placements(["a", "b", "c"], launches=1))
    assert contention.slow_links(measured) == ([], [])
    (measured,) = contention.contentions(cases(("0-4", "1-5"), two_xt6_nodes, 48, 6))
    assert measured.control is None
    assert contention.disturbances(measured) == []


def test_launches_that_contradict_each_other_call_nothing_disturbed():
    """However sure a test is that takes all ranks of all launches as independent."""
    wild = [
        replace(case, launch=launch)
        for launch, factor in enumerate((0.9, 1.6, 1.6))
        for case in cases(
            ("none", "1-3"),
            lambda pairs, _, f=factor: 0.2 * f if pairs else 0.2,
            48,
            12,
            launches=1,
        )
    ]
    (measured,) = contention.contentions(wild)
    found = contention.disturbances(measured)
    assert all(one.p_value < 0.025 and one.factor.value > 1.3 for one in found)
    assert not any(one.real for one in found)


def test_a_domain_has_the_mean_of_its_ranks_and_pairs_are_read_as_written():
    (measured,) = contention.contentions(cases(EACH, two_xt6_nodes, 48, 6, launches=1))
    assert [traffic.pairs for traffic in measured.traffics] == [
        (),
        *(((domain, domain + 4),) for domain in range(4)),
    ]
    control = measured.control
    assert control.off_node_mean is None
    one = control.domains[2]
    assert one.values.size == 6
    assert one.mean == pytest.approx(float(np.mean(one.values)))
    assert one.deviation == pytest.approx(float(np.std(one.values, ddof=1)))
    of_pair = measured.traffics[1].off_node_mean
    assert of_pair == pytest.approx(0.18, rel=0.01)
    assert contention.parse_pairs("none") == ()
    assert contention.parse_pairs("0-4+11-15") == ((0, 4), (11, 15))
    for wrong in ("", "0", "0-1-2", "a-b"):
        with pytest.raises(ValueError, match=r"does not name pairs|invalid literal"):
            contention.parse_pairs(wrong)


def ring_of_dies(pairs: tuple[Pair, ...], domain: int) -> float:
    """The link hangs at domain 2 of 4; 0, 3 and 1 are the farther from it in this order."""
    way = {2: 0.0, 0: 0.01, 3: 0.02, 1: 0.03}
    if all(domain not in pair for pair in pairs):
        return 0.09
    (pair,) = (pair for pair in pairs if domain in pair)
    if pair[1] - pair[0] == 4:
        return 0.18 + way[pair[0]]
    return 0.1 + sum(way[one % 4] for one in pair)


INSIDE = ("0-1+4-5", "0-2+4-6", "0-3+4-7", "1-2+5-6", "1-3+5-7", "2-3+6-7")


def test_the_bandwidth_on_the_way_to_the_link_is_that_measured_within_a_node():
    traffics = (*EACH, *INSIDE, "0-4+1-5+2-6+3-7")
    (measured,) = contention.contentions(cases(traffics, ring_of_dies, 48, 6, noise=0.001))
    assert contention.nearest_to_the_link(measured) == 2
    found = contention.bandwidths_to(2, measured)
    assert sorted(found, key=lambda domain: -found[domain]) == [0, 3, 1]
    assert found[3] == pytest.approx(BYTES / 0.12, rel=0.01)
    assert contention.bandwidths_to(0, measured).keys() == {1, 2, 3}
    (without,) = contention.contentions(cases(EACH, ring_of_dies, 48, 6))
    assert contention.bandwidths_to(2, without) == {}
    (mixed,) = contention.contentions(cases((*EACH, "1-5+2-3"), ring_of_dies, 48, 6))
    assert contention.bandwidths_to(2, mixed) == {}


def test_domains_whose_ranks_lie_apart_are_told():
    made = cases(("none", "0-1"), lambda *_: 0.1, 4, 2, launches=1)

    def torn(rank_host: tuple[int, ...], domains: tuple[int, ...]) -> tuple[int, ...]:
        one = Placement(("a", "b"), rank_host, ("0",) * 4, (0,) * 4, domains)
        (measured,) = contention.contentions(made, {0: one})
        return measured.torn

    assert torn((0, 0, 1, 1), (0, 0, 1, 1)) == ()
    assert torn((0, 0, 1, 1), (0, 1, 0, 1)) == (0, 1)
    assert torn((0, 0, 0, 1), (0, 0, 0, 0)) == (1,)
    assert torn((0, 0, 1, 1), ()) == ()


def matrix(domains: int) -> list[str]:
    return [f"{i}-{j}" for i in range(domains) for j in range(i + 1, domains)]


def test_a_slow_link_between_two_of_three_hosts_is_found_and_named():
    def throttled(pairs: tuple[Pair, ...], domain: int) -> float:
        return 0.5 if (0, 2) in pairs and domain in (0, 2) else 0.1

    (measured,) = contention.contentions(
        cases(matrix(3), throttled, 3, 1), placements(["a", "b", "c"])
    )
    nodes, links = contention.slow_links(measured)
    assert nodes == []
    (link,) = links
    assert link.pair == (0, 2)
    assert link.factor.value == pytest.approx(5, rel=0.05)
    assert link.factor.low > 4
    assert contention.named(link.pair, measured) == "ranks 0 and 2 (a, c)"


@pytest.mark.parametrize("hosts", ["abcd", "abcde"])
def test_a_slow_node_is_named_instead_of_all_its_links(hosts):
    def model(pairs: tuple[Pair, ...], domain: int) -> float:
        (pair,) = pairs
        if domain not in pair:
            return 0.01
        return 0.4 if 3 in pair else 0.3 if pair == (0, 1) else 0.1

    (measured,) = contention.contentions(
        cases(matrix(len(hosts)), model, len(hosts), 1), placements([*hosts])
    )
    nodes, links = contention.slow_links(measured)
    assert [(node.host, round(node.factor.value)) for node in nodes] == [("d", 4)]
    assert [link.pair for link in links] == [(0, 1)]


def test_unlike_or_few_links_are_not_held_against_each_other():
    def model(pairs: tuple[Pair, ...], _: int) -> float:
        (pair,) = pairs
        return 0.01 if pair[0] // 2 == pair[1] // 2 else 0.1

    (measured,) = contention.contentions(
        cases(matrix(4), model, 4, 1), placements(["a", "a", "b", "b"])
    )
    assert contention.slow_links(measured) == ([], [])
    (measured,) = contention.contentions(cases(("0-2", "1-3"), lambda _, domain: 1 + domain, 4, 1))
    assert contention.slow_links(measured) == ([], [])
