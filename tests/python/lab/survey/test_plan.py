# SPDX-License-Identifier: BSD-3-Clause
"""Plans hold every case of every shape in every repetition, once, in turns; domains are filled."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transrank.errors import UsageError
from transrank.lab.machine import synthetic
from transrank.lab.store.records import Shape
from transrank.lab.store.settings import Settings
from transrank.lab.study import catalogue
from transrank.lab.study.catalogue import ListedCase
from transrank.lab.survey import contention, plan
from transrank.lab.survey.plan import Request, Selection, make_plan, select, with_domains


def listed(arguments: Sequence[str], ranks: int) -> list[ListedCase]:
    """Two cases of every selected study, as transrank-run would list them."""
    names = arguments[list(arguments).index("--study") + 1].split(",")
    return [ListedCase(name, f"{name}/{size}") for name in names for size in ("8B", f"{ranks}B")]


PINGPONG = Selection(("pingpong",), "8,64")
RING = Selection(("sendrecv", "exchange"))
STARTS = Selection(("launch",))


@given(
    ranks=st.lists(st.integers(2, 64), min_size=1, max_size=4, unique=True),
    launches=st.integers(1, 6),
    selections=st.lists(st.sampled_from([PINGPONG, RING, STARTS]), min_size=1, unique=True),
    seed=st.integers(0, 2**63 - 1),
)
def test_every_launch_is_planned_once_and_numbered_in_order(ranks, launches, selections, seed):
    shapes = tuple(Shape(count) for count in ranks)
    settings = Settings(launches=launches, seed=seed)
    planned = make_plan(Request(tuple(selections), shapes, settings), listed)
    rows = len(ranks) * len(selections)
    assert [one.launch for one in planned] == list(range(rows * launches))
    for repetition in range(launches):
        turn = planned[repetition * rows : (repetition + 1) * rows]
        assert {(one.shape, one.cases) for one in turn} == {
            (one.shape, one.cases) for one in planned[:rows]
        }
        (drawn,) = {one.arguments[one.arguments.index("--seed") + 1] for one in turn}
        assert int(drawn) == (seed + repetition) % 2**63


def test_packed_cases_share_a_launch_unless_a_restriction_adds_some():
    def restricted(arguments: Sequence[str], ranks: int) -> list[ListedCase]:
        further = [ListedCase("pingpong", "pingpong/64B")] if "--sizes" in arguments else []
        return listed(arguments, ranks) + further

    request = Request((PINGPONG, RING, STARTS), (Shape(4),), Settings(launches=2), packed=True)
    together, starts, *again = make_plan(request, listed)
    names = ("pingpong", "sendrecv", "exchange")
    assert together.cases == tuple(f"{name}/{size}B" for name in names for size in (8, 4))
    assert together.arguments[:2] == ("--study", ",".join(names))
    assert (together.part, starts.part, len(again)) == (True, False, 2)
    assert len(make_plan(request, restricted)) == 6
    assert not any(planned.part for planned in make_plan(request, restricted))


def test_time_is_shared_by_launches_and_job_starts_have_their_own_count():
    settings = Settings(max_time_seconds=1.0, launches=4, precision=0.05)
    planned = make_plan(Request((PINGPONG,), (Shape(2),), settings), listed)
    arguments = planned[0].arguments
    assert arguments[arguments.index("--max-time") + 1] == "0.25"
    assert arguments[arguments.index("--precision") + 1] == "0.025"
    request = Request((STARTS,), (Shape(2),), Settings(launches=1, job_starts=3))
    (planned,) = make_plan(request, listed)
    assert planned.cases == ("launch/plain", "launch/init")
    assert planned.arguments[-4:-2] == ("--count", "3")


def test_a_case_is_measured_to_five_percent_in_a_second_unless_the_user_says():
    words = Settings().arguments()
    assert dict(zip(words[::2], words[1::2], strict=True)) == {
        "--precision": "0.025",
        "--max-time": "0.125",
        "--record-samples": "slowest",
        "--cache": "warm",
        "--buffer-offset": "0",
        "--sync": "barrier",
        "--watchdog": "120",
        "--seed": "1",
    }


def test_a_survey_measures_two_ranks_studies_once_per_placement():
    shapes = (Shape(2), Shape(4), Shape(8))
    request = Request((Selection(("pingpong", "sendrecv")),), shapes, Settings(launches=1), False)
    studies = [{case.partition("/")[0] for case in one.cases} for one in make_plan(request, listed)]
    assert studies == [{"pingpong", "sendrecv"}, {"sendrecv"}, {"sendrecv"}]
    placed = Request(
        (Selection(("pingpong",)),), (Shape(2, 1), Shape(2, 2)), Settings(launches=1), False
    )
    assert len(make_plan(placed, listed)) == 2


def studies_by_shape(shapes: Sequence[Shape], one_node: bool = False) -> dict[str, set[str]]:
    request = Request(
        (Selection(("pingpong", "sendrecv")),),
        tuple(shapes),
        Settings(launches=1),
        repeat_small_studies=False,
        one_node=one_node,
    )
    return {
        str(one.shape): {case.partition("/")[0] for case in one.cases}
        for one in make_plan(request, listed)
    }


def test_two_ranks_are_measured_once_for_each_way_they_are_placed():
    found = studies_by_shape([Shape(2, 2), Shape(2, 1), Shape(4, 1), Shape(256, 64)])
    both = {"pingpong", "sendrecv"}
    assert found == {
        "2 ranks, 2 per node": both,
        "2 ranks, 1 per node": both,
        "4 ranks, 1 per node": {"sendrecv"},
        "256 ranks, 64 per node": {"sendrecv"},
    }
    found = studies_by_shape([Shape(2, 2), Shape(4, 1)])
    assert found["4 ranks, 1 per node"] == {"pingpong", "sendrecv"}
    found = studies_by_shape([Shape(2), Shape(8, 4)], one_node=True)
    assert found["8 ranks, 4 per node"] == {"sendrecv"}
    assert studies_by_shape([Shape(2), Shape(8, 4)])["8 ranks, 4 per node"] == {
        "pingpong",
        "sendrecv",
    }


def test_nothing_to_measure_is_a_usage_error():
    with pytest.raises(UsageError, match="no case is left"):
        make_plan(Request((PINGPONG,), (Shape(2),)), lambda arguments, ranks: [])


def test_a_restriction_goes_to_the_studies_that_it_concerns_in_few_launches():
    selections = select(["pingpong", "launch", "exchange"], "8,1KiB", {"stamp": "plain"})
    assert Selection(("pingpong", "exchange"), "8,1KiB") in selections
    assert Selection(("launch",), None, (("stamp", "plain"),)) in selections
    joined = plan.join([PINGPONG, Selection(("exchange",), "8,64"), Selection(("sendrecv",))])
    assert joined == (Selection(("pingpong", "exchange"), "8,64"), Selection(("sendrecv",)))


@pytest.mark.parametrize(
    ("studies", "sizes", "axes", "message"),
    [
        (["pingpog"], None, {}, "unknown study 'pingpog'.*did you mean 'pingpong'"),
        (["pingpong"], None, {"operation": "bcast"}, "no axis 'operation' in pingpong"),
        (["launch"], "8", {}, "--sizes: launch has no sizes"),
    ],
)
def test_what_no_study_has_is_refused(studies, sizes, axes, message):
    with pytest.raises(UsageError) as refused:
        select(studies, sizes, axes)
    assert re.search(message, str(refused.value), re.DOTALL)


def test_the_cases_of_every_study_of_the_runner_can_be_planned():
    cases = catalogue.list_cases(["--study", "pingpong", "--sizes", "8,1KiB"], 2)
    assert [case.case for case in cases] == ["pingpong/8B", "pingpong/1KiB"]
    (alone, *_) = catalogue.list_cases(["--study", "pingpong", "--sizes", "8"], 1)
    assert alone.reason is not None
    names = list(catalogue.studies())
    assert "launch" in names
    planned = make_plan(Request(select(names, None, {}), (Shape(2),), Settings(launches=1)))
    studies = {case.partition("/")[0] for one in planned for case in one.cases}
    assert studies == set(names)


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
