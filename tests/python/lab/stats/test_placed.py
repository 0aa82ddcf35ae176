# SPDX-License-Identifier: BSD-3-Clause
"""Where the ranks that take part are, whatever the others of the launch do."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from support import recorded
from transrank.lab.stats.placed import Placed, Placements, placed, taking_part
from transrank.lab.store.lines import Case, Placement, Shape, from_json


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


def test_those_take_part_whose_times_are_recorded():
    assert taking_part(case("pingpong", 2, ranks=8)) == 2
    assert taking_part(case("plan-scaling", 1, ranks=4)) == 1
    assert taking_part(case("exchange", 8, ranks=8)) == 8


def test_all_take_part_in_what_another_program_has_measured():
    assert taking_part(case("exchange", None, ranks=8)) == 8


def test_two_ranks_of_a_job_that_fills_two_nodes_share_one():
    shape = Shape(8, 4)
    assert placed(2, shape, blocks(shape)) == Placed(2, 1, 2)
    assert placed(8, shape, blocks(shape)) == Placed(8, 2, 4)


def test_a_launcher_that_deals_ranks_out_in_turn_is_believed():
    in_turn = Placement(("a", "b"), (0, 1) * 4, ("0",) * 8, (0,) * 8)
    assert placed(2, Shape(8, 4), in_turn) == Placed(2, 2, 1)


@given(st.integers(2, 40), st.integers(1, 40), st.booleans())
def test_without_a_placement_the_shape_tells_the_same(ranks, each, all_):
    shape = Shape(ranks, each)
    taken = ranks if all_ else 2
    assert placed(taken, shape, None) == placed(taken, shape, blocks(shape))


def test_what_is_left_to_the_launcher_is_not_known():
    assert placed(2, Shape(2), None) is None
    assert Placements([]).of(case("pingpong", 2, ranks=2)) is None
