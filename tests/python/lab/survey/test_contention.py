# SPDX-License-Identifier: BSD-3-Clause
"""The domains of the study `contention` are those of the machine, where ranks fill them."""

import pytest

from transrank.lab.machine import synthetic
from transrank.lab.store.records import Shape
from transrank.lab.survey import contention
from transrank.lab.survey.plan import Selection, with_domains

XT6 = synthetic.read_text("pack:2 numa:2 core:6 pu:1")
FLAT = synthetic.read_text("pack:1 core:4 pu:2")


@pytest.mark.parametrize(
    ("topology", "ranks", "on_a_node", "expected"),
    [
        (XT6, 48, 24, 6),  # the guide's
        (XT6, 24, 24, 6),  # one node: its domains
        (XT6, 24, 12, 6),  # half full
        (XT6, 4, 2, 2),  # two ranks on one domain of each node
        (XT6, 2, 1, 1),
        (XT6, 30, 15, 1),  # no whole number of domains
        (XT6, 18, 18, 1),  # three domains have no two halves
        (XT6, 96, 48, 1),  # ranks share cores
        (FLAT, 8, 4, 4),  # nodes of one domain
        (FLAT, 4, 4, 1),  # one domain is no pair
    ],
)
def test_ranks_share_the_domains_that_they_fill(topology, ranks, on_a_node, expected):
    shape = Shape(ranks, on_a_node)
    usable = topology.first_threads()
    assert contention.ranks_per_domain(shape, on_a_node, topology, usable) == expected


def test_domains_with_different_numbers_of_usable_cores_are_not_counted_by():
    assert contention.ranks_per_domain(Shape(16, 8), 8, XT6, range(8)) == 1
    assert contention.ranks_per_domain(Shape(16, 8), 8, XT6, (0, 1, 6, 7, 12, 13, 18, 19)) == 2


def test_only_contention_gets_the_domains_and_only_where_none_are_named():
    both = Selection(("pingpong", "contention"), "8")
    assert with_domains([both], 6) == (
        Selection(("pingpong",), "8"),
        Selection(("contention",), "8", (("domain_ranks", "6"),)),
    )
    named = Selection(("contention",), None, (("domain_ranks", "2"),))
    assert with_domains([named], 6) == (named,)
    assert with_domains([both], None) == (both,)


def test_what_is_taken_from_the_machine_is_said():
    assert contention.domains_in_words({Shape(48, 24): 6, Shape(2, 1): 1}) == [
        "contention, 48 ranks, 24 per node: domains of 6 ranks, as a memory domain of this machine "
        "has; another number: --axis domain_ranks=N",
        "contention, 2 ranks, 1 per node: each rank is a domain by itself; another number: "
        "--axis domain_ranks=N",
    ]
    said = contention.scaled_in_words(512 << 20, 64 << 20, 200 << 20)
    assert "messages of 64 MiB instead of 512 MiB: 200 MiB of memory per rank" in said
