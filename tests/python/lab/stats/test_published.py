# SPDX-License-Identifier: BSD-3-Clause
"""Where ranks that take part are, and which cases stand beside which published numbers."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import recorded
from transrank.lab.reference.tables import machine
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.placed import Placed, Placements, placed, taking_part
from transrank.lab.stats.published import beside_machine
from transrank.lab.stats.result import CaseResult, ImbMean, Tail
from transrank.lab.store.lines import Case, Placement, Shape, from_json


def result(study: str, placed: Placed | None, **axes: str | int) -> CaseResult:
    case = "/".join([study, *map(str, axes.values())])
    shape = Shape(placed.ranks if placed else 2)
    return CaseResult(
        study,
        case,
        axes,
        shape,
        status="ok",
        headline=Estimate(0.5),
        imb=ImbMean(1.0, 1.0, 1.0),
        tail=Tail(2.0, 3.0, 4.0),
        placed=placed,
    )


def ghost(placed: Placed, **changes: str) -> CaseResult:
    axes = {"pattern": "corrected", "vdim": 6, "mode": "unmodified", "transport": "auto"}
    return result("ghost", placed, **{**axes, **changes})


def test_every_published_number_is_beside_a_case_of_as_many_ranks_as_widely_placed():
    """Each point of each machine but Fugaku's alltoall tables has a case to stand beside."""
    bcast = {"operation": "bcast", "form": "blocking", "root": "fixed", "bytes": 8}
    plan = {"dimensions": 2, "blocks": "regular", "routes": "one", "plan_ranks": 128}
    cases = {
        "gs": ghost(Placed(32, 1, 32)),
        "thtj": ghost(Placed(224, 3, 80)),
        "xt6": result("locality", Placed(24, 1, 24), kernel="dgemm", arrangement="own", order=3000),
        "triton": result("send-modes", Placed(2, 2, 1), routine="bsend", bytes=100000),
        "fugaku": result("collectives", Placed(1536, 300, 6), **bcast),
        "jaguar": result("plan-scaling", Placed(2, 1, 2), **plan),
    }
    for name, case in cases.items():
        (pair,) = beside_machine([case], machine(name)).pairs
        assert pair.result is case
        assert pair.ours == 1.0
        assert pair.ratio == pytest.approx(1.0 / pair.published)


def test_another_question_is_not_comparable_and_the_published_one_is_told():
    placed = Placed(32, 1, 32)
    for change in ({"mode": "used"}, {"transport": "floor"}, {"pattern": "remote"}):
        found = beside_machine([ghost(placed, **change)], machine("gs"))
        assert found.pairs == ()
        assert found.apart[0].axes == {"vdim": (6, 20, 120), "mode": ("unmodified",)}
    other = result("send-modes", Placed(2, 1, 2), routine="send", bytes=8)
    assert beside_machine([other], machine("triton")).apart[0].axes["bytes"] == (100000,)


def test_the_mean_of_all_threads_is_published_for_a_figure():
    own, exchanged = (
        result("locality", Placed(24, 1, 24), kernel="dgemm", arrangement=name, order=3000)
        for name in ("own", "exchanged")
    )
    near, far = beside_machine([own, exchanged], machine("xt6")).pairs
    assert near.published == pytest.approx(23.143, abs=1e-3)
    assert near.published < far.published == pytest.approx(23.302, abs=1e-3)


def test_job_starts_are_those_of_the_last_rank_on_each_shape_of_the_job():
    start = result("launch", Placed(768, 768, 1), stamp="plain")
    pairs = {pair.job_shape: pair for pair in beside_machine([start], machine("fugaku")).pairs}
    assert list(pairs) == ["noncont", "32x6x4", "8x12x8", "4x6x32"]
    assert {pair.ours for pair in pairs.values()} == {2.0}
    assert pairs["8x12x8"].published == pytest.approx(2.901, abs=0.001)
    assert pairs["4x6x32"].published == pytest.approx(4.471, abs=0.001)
    assert pairs["4x6x32"].first_rank == pytest.approx(3.779, abs=0.001)
    touched = result("launch", Placed(768, 768, 1), stamp="init")
    assert beside_machine([touched], machine("fugaku")).pairs == ()


def test_what_the_run_lacks_or_the_chosen_nodes_leave_out_is_told():
    found = beside_machine([result("pingpong", Placed(2, 2, 1), bytes=8)], machine("fugaku"))
    assert len(found.pairs) == 1
    assert found.unmeasured == ("pingping", "sendrecv", "exchange", "collectives", "launch")
    pingpong = result("pingpong", Placed(2, 2, 1), bytes=8)
    assert len(beside_machine([pingpong], machine("fugaku"), nodes=2).pairs) == 1
    found = beside_machine([pingpong], machine("fugaku"), nodes=384)
    assert (found.pairs, found.apart) == ((), ())


def test_the_route_of_one_rank_needs_no_ranks():
    axes = {"dimensions": 2, "blocks": "regular", "routes": "all", "plan_ranks": 17}
    case = result("plan-scaling", Placed(2, 1, 2))
    case = replace(case, axes=axes)
    (apart,) = beside_machine([case], machine("jaguar")).apart
    assert apart.jobs == ()
    assert apart.axes["routes"] == ("one",)
    assert apart.axes["plan_ranks"][:2] == (32, 64)


def blocks(shape: Shape) -> Placement:
    """Nodes filled one after the other."""
    host = [rank // shape.ranks_per_node for rank in range(shape.ranks)]
    names = tuple(f"node{number}" for number in range(max(host) + 1))
    return Placement(names, tuple(host), ("0",) * shape.ranks, (0,) * shape.ranks)


def case(study: str, times: int | None, ranks: int) -> Case:
    """A case of a launch of `ranks`, with the times of the first `times`, or of none."""
    names = ("median", "minimum", "mean")
    columns = None if times is None else dict.fromkeys(names, [1e-6] * times)
    shape = {"ranks": ranks, "ranks_per_node": 0}
    return from_json(Case, recorded.case(study=study, ranks=columns, shape=shape))


def test_those_take_part_whose_times_are_recorded_and_are_where_they_were_placed():
    assert taking_part(case("pingpong", 2, ranks=8)) == 2
    assert taking_part(case("plan-scaling", 1, ranks=4)) == 1
    assert taking_part(case("exchange", 8, ranks=8)) == 8
    assert taking_part(case("exchange", None, ranks=8)) == 8
    shape = Shape(8, 4)
    assert placed(2, shape, blocks(shape)) == Placed(2, 1, 2)
    assert placed(8, shape, blocks(shape)) == Placed(8, 2, 4)
    in_turn = Placement(("a", "b"), (0, 1) * 4, ("0",) * 8, (0,) * 8)
    assert placed(2, Shape(8, 4), in_turn) == Placed(2, 2, 1)
    assert placed(2, Shape(2), None) is None
    assert Placements([]).of(case("pingpong", 2, ranks=2)) is None


@given(st.integers(2, 40), st.integers(1, 40), st.booleans())
def test_without_a_placement_the_shape_tells_the_same(ranks, each, all_):
    shape = Shape(ranks, each)
    taken = ranks if all_ else 2
    assert placed(taken, shape, None) == placed(taken, shape, blocks(shape))
