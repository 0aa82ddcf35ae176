# SPDX-License-Identifier: BSD-3-Clause
"""Where the ranks that take part are, whatever the others of the launch do."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transrank.lab.stats.placed import TWO_RANK_STUDIES, Placed, Placements, placed
from transrank.lab.store.lines import Placement, Shape
from transrank.lab.study import catalogue


def blocks(shape: Shape) -> Placement:
    """Nodes filled one after the other."""
    host = [rank // shape.ranks_per_node for rank in range(shape.ranks)]
    names = tuple(f"node{number}" for number in range(max(host) + 1))
    return Placement(names, tuple(host), ("0",) * shape.ranks, (0,) * shape.ranks)


def test_the_studies_of_two_ranks_are_those_that_the_runner_lists() -> None:
    listed = {study.name for study in catalogue.studies().values() if study.most_ranks == 2}
    assert listed == TWO_RANK_STUDIES


def test_two_ranks_of_a_job_that_fills_two_nodes_share_one() -> None:
    shape = Shape(8, 4)
    assert placed("pingpong", shape, blocks(shape)) == Placed(2, 1, 2)
    assert placed("exchange", shape, blocks(shape)) == Placed(8, 2, 4)


def test_a_launcher_that_deals_ranks_out_in_turn_is_believed() -> None:
    in_turn = Placement(("a", "b"), (0, 1) * 4, ("0",) * 8, (0,) * 8)
    assert placed("pingpong", Shape(8, 4), in_turn) == Placed(2, 2, 1)


@given(st.integers(2, 40), st.integers(1, 40), st.sampled_from(["pingpong", "exchange"]))
def test_without_a_placement_the_shape_tells_the_same(ranks: int, each: int, study: str) -> None:
    shape = Shape(ranks, each)
    assert placed(study, shape, None) == placed(study, shape, blocks(shape))


def test_what_is_left_to_the_launcher_is_not_known() -> None:
    assert placed("pingpong", Shape(2), None) is None
    assert Placements([]).of("pingpong", Shape(2), 0) is None
