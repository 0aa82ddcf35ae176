# SPDX-License-Identifier: BSD-3-Clause
"""Rules find what is wrong, where it is, and nothing in machines without a fault."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from python.lab.findings.machines import machine
from support.trials import seed, trials
from transrank.lab.findings.evidence import weigh
from transrank.lab.findings.rule import Finding
from transrank.lab.findings.table import RULES, Findings, find
from transrank.lab.findings.values import PRINTED_ERROR, Limit, Value, numbers_of_machine
from transrank.lab.findings.words import sentences
from transrank.lab.reference import tables
from transrank.lab.store.lines import Shape


@cache
def published(name: str) -> Findings:
    return find(numbers_of_machine(tables.machine(name)))


@pytest.mark.parametrize("printed", [True, False], ids=["printed", "measured"])
def test_at_most_one_sound_machine_in_twenty_has_a_finding(printed):
    count = trials(20)
    random = np.random.default_rng(seed())
    accused = sum(bool(find(machine(random, printed)).broken) for _ in range(count))
    assert accused <= count / 20


@pytest.mark.parametrize("printed", [True, False], ids=["printed", "measured"])
def test_what_is_assumed_of_times_without_launches_is_said(printed):
    numbers = machine(np.random.default_rng(1), printed, FAULTS[0][1])
    assert ("95 % are taken to be within 5.0 %" in sentences(find(numbers))[0]) is printed


# What is wrong, the rule that must find it, and the size and the ranks where.
FAULTS: list[tuple[str, Callable[[str, int, int], float], str, int, int]] = [
    ("guideline", lambda name, size, ranks: 1 + (name == "allreduce") * (size == 4), "", 4, 16),
    ("monotony", lambda name, size, ranks: 1 + 9 * (name == "scan") * (size == 8), "scan", 8, 16),
    ("splitting", lambda name, size, ranks: 1 + 9 * (name == "scan") * (size > 8), "scan", 16, 16),
    ("neighbors", lambda name, size, ranks: 1 + (name == "exchange") * (size > 16), "", 32, 16),
    ("growth", lambda name, size, ranks: 1 + (ranks > 99) * (name == "alltoall"), "", 8192, 128),
    ("total", lambda name, size, ranks: 1 + 7 * (ranks > 99) * (name == "ghost"), "", 0, 128),
]


@pytest.mark.parametrize(("rule", "fault", "subject", "size", "ranks"), FAULTS)
@pytest.mark.parametrize("printed", [True, False], ids=["printed", "measured"])
def test_a_fault_is_found_by_its_rule_where_it_is(rule, fault, subject, size, ranks, printed):
    numbers = machine(np.random.default_rng(1), printed, fault)
    found = [one for one in find(numbers).broken if one.rule.name == rule]
    places = [(one.worst.subject, one.worst.shape.ranks) for one in found if _contains(one, size)]
    assert any(name.startswith(subject) and where == ranks for name, where in places)


def _contains(found: Finding, size: int) -> bool:
    return found.first <= size <= found.last


@pytest.mark.parametrize("launches", [0, 8])
def test_chances_are_uniform_where_the_true_number_is_at_the_bound(launches):
    """Of a ratio of two numbers that are off by as much as is assumed, or scatter over launches."""
    random = np.random.default_rng(2)
    scatter = np.log1p(PRINTED_ERROR) / 1.96

    def value() -> Value:
        times = np.exp(random.normal(0, scatter, max(launches, 1)))
        by_launch = dict(enumerate(times.tolist())) if launches else {}
        return Value("pingpong", {}, Shape(2), float(times[0]), launches=by_launch)

    numbers = [weigh(lambda one, other: one / other, value(), value()) for _ in range(2000)]
    chances = [number.chance(1) for number in numbers if number]
    for level in (0.01, 0.05, 0.25):
        assert np.mean(np.array(chances) < level) == pytest.approx(level, rel=0.4)


# What FINDINGS of the sources' own tables are known: the rule, words, ranks, a size, the number.
KNOWN = [
    ("fugaku", "guideline", "Allreduce takes longer than reduce and bcast", 1536, 65536, 2.29),
    ("fugaku", "guideline", "Allreduce takes longer than reduce and bcast", 12288, 32768, 2.73),
    ("fugaku", "guideline", "Reduce takes longer than allreduce", 1536, 4 << 20, 2.53),
    ("fugaku", "guideline", "Allgather takes longer than allgatherv", 1536, 8192, 1.82),
    ("fugaku", "guideline", "Allgather takes longer than allgatherv", 12288, 8192, 3.41),
    ("fugaku", "guideline", "Gather takes longer than gatherv", 1536, 1024, 2.06),
    ("fugaku", "guideline", "Gather takes longer than gatherv", 12288, 1024, 2.44),
    ("fugaku", "guideline", "Scatterv takes longer than bcast of 4 B and scatter", 1536, 1, 81.8),
    ("fugaku", "guideline", "Scatterv takes longer than bcast of 4 B and scatter", 12288, 1, 662),
    ("fugaku", "splitting", "bcast", 1536, 64, 4.53),
    ("fugaku", "splitting", "allreduce", 1536, 16, 3.41),
    ("fugaku", "monotony", "allreduce", 1536, 65536, 2.62),
    ("fugaku", "neighbors", "overlap up to 32 KiB, where they take 1.44 times", 384, 65536, 2.04),
    ("fugaku", "shape", "4x6x32 beside 8x12x8", 768, 0, 1.54),
    ("xt6", "memory", "diagonal beside own", 24, 0, 1.016),
    ("jaguar", "growth", "RoutePrecomputeRedist", 2048, 0, 1.83),
    ("thtj1", "total", "vdim 120", 1120, 0, 12.4),
]


@pytest.mark.parametrize(("name", "rule", "words", "ranks", "size", "number"), KNOWN)
def test_what_is_wrong_in_published_tables_is_found(name, rule, words, ranks, size, number):
    found = [
        one.worst.number.value
        for one in published(name).broken
        if one.rule.name == rule
        and words in f"{one.worst.said} {one.worst.subject}"
        and one.worst.shape.ranks == ranks
        and _contains(one, size)
    ]
    assert found == [pytest.approx(number, rel=0.005)]


def test_what_published_tables_keep_to_is_not_said():
    said = [one.worst.said for one in published("fugaku").broken]
    for kept in ("Bcast takes", "Gather takes longer than allgather", "Barrier takes"):
        assert not any(text.startswith(kept) for text in said)
    assert "Allgather takes longer than alltoall" not in " ".join(said)
    assert published("triton").broken == []


MODELS = [
    ("fugaku", "the first rank of a job runs after 1.63 s and 327 µs for each rank, within 6.7 %"),
    ("fugaku", "the last rank of a job runs later with an exponent of 0.37"),
    (
        "fugaku",
        "1.54 times (1.47 to 1.62) for 1 MiB on 384 nodes, 1.83 times",
    ),
    ("jaguar", "127 (83 to 196) in plan-scaling"),
    ("jaguar", "200 (154 to 261) in RoutePrecomputeRedist, within 4.4 %; 30 (7 to 137) in"),
    ("triton", "MPI_Bsend takes 8.36 µs longer than MPI_Send for 100,000 bytes"),
    ("triton", "as how many copies is open"),
]


@pytest.mark.parametrize(("name", "words"), MODELS)
def test_models_tell_numbers_of_published_tables(name, words):
    assert words in " ".join(published(name).told)


def test_memory_that_is_as_far_is_called_open():
    (trial,) = published("xt6").open
    assert trial.subject == "counterpart beside neighbor"
    assert trial.p_value == pytest.approx(0.57, abs=0.01)


@pytest.mark.parametrize(
    ("copies", "words"),
    [
        (1, "no more than copies into the buffer and out of it"),
        (6, "more than copies into the buffer and out of it"),
    ],
)
def test_a_buffered_send_is_held_against_copies_of_the_same_run(copies, words):
    def fault(name: str, size: int, ranks: int) -> float:
        del ranks
        return 1 / copies if name == "memory-copy" and size else 1.0

    (said,) = (
        text
        for text in find(machine(np.random.default_rng(3), False, fault)).told
        if text.startswith("MPI_Bsend")
    )
    assert words in said


@pytest.mark.parametrize(("size", "said"), [(16, True), (8192, False)])
def test_a_limit_of_the_mpi_is_named_where_the_time_steps_and_nowhere_else(size, said):
    def fault(name: str, size: int, ranks: int) -> float:
        del ranks
        return 1 + 9 * (name == "scan") * (size > 8)

    numbers = machine(np.random.default_rng(1), True, fault)
    limits = [Limit("EAGER is 16 B", size, size)]
    broken = find(replace(numbers, limits=limits)).broken
    assert any("where EAGER is 16 B" in one.worst.said for one in broken) is said


def test_every_rule_states_its_rival():
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(rule.statement != rule.rival for rule in RULES)
