# SPDX-License-Identifier: BSD-3-Clause
"""Published machines stand beside what they can be compared with, and say whose they are."""

import pytest

from python.lab.report.synthetic import Survey, context
from transrank.lab.reference.tables import machine
from transrank.lab.report.curves import CurveGroup, Place
from transrank.lab.report.palette import Palette
from transrank.lab.report.published import (
    comparable,
    published,
    published_launches,
    published_lines,
)
from transrank.lab.report.questions import collectives
from transrank.lab.stats.result import CaseResult
from transrank.lab.store.records import Shape

BETWEEN_TWO_NODES = (2, False)
FUGAKU = [(1536, False), (12288, False), (110592, False)]


def group(study: str, *places: Place, **axes: str | int) -> CurveGroup:
    example = CaseResult(study, f"{study}/x", axes, Shape(2), "ok")
    return CurveGroup(study, (), example, frozenset(places))


def test_pingpong_has_the_published_points_and_their_source():
    lines = published_lines(Palette(), [group("pingpong", BETWEEN_TWO_NODES, bytes=8)])
    (curve,) = lines.by_title["pingpong"]
    points = machine("fugaku").of_study("pingpong")
    assert {point.bytes: point.seconds for point in curve.points} == {
        point.bytes: point.seconds for point in points
    }
    assert curve.published
    assert curve.label == "Fugaku, 2 ranks on 2 nodes"
    (source,) = lines.sources
    assert "RIKEN" in source.attribution
    assert any(text.startswith("Point to point") for text in source.conditions)
    assert not any(text.startswith("Collectives") for text in source.conditions)
    assert lines.comparable == ""


@pytest.mark.parametrize("place", [(2, True), (4, False), (384, True)])
def test_other_ranks_or_another_place_are_not_compared_but_told_what_could_be(place):
    lines = published_lines(
        Palette(), [group("pingpong", place, bytes=8), group("exchange", place, bytes=8)]
    )
    assert lines.by_title == {}
    assert lines.sources == ()
    assert lines.comparable == (
        "Published numbers exist for 2 ranks on 2 nodes (Fugaku) and 384 ranks on "
        "384 nodes (Fugaku)."
    )


def test_a_collective_has_a_curve_for_each_published_count_of_the_run():
    few = group("collectives", (1536, False), (2, True), operation="allreduce", bytes=8)
    (curve,) = published_lines(Palette(), [few]).by_title["collectives"]
    assert curve.label == "Fugaku, 1,536 ranks on 384 nodes"
    everywhere = group("collectives", *FUGAKU, operation="allreduce", bytes=8)
    lines = published_lines(Palette(), [everywhere])
    assert [curve.label for curve in lines.by_title["collectives"]] == [
        "Fugaku, 1,536 ranks on 384 nodes",
        "Fugaku, 12,288 ranks on 3,072 nodes",
        "Fugaku, 110,592 ranks on 27,648 nodes",
    ]
    (source,) = lines.sources
    assert any(text.startswith("Collectives") for text in source.conditions)
    assert any(text.startswith("Intel MPI Benchmarks") for text in source.conditions)


def test_what_is_comparable_is_the_nearest_in_ranks_and_rates_are_those_of_the_tables():
    assert comparable(published(("collectives",), {(9000, False)})) == (
        "Published numbers exist for 12,288 ranks on 3,072 nodes (Fugaku)."
    )
    assert comparable(published(("nosuch",), {(2, False)})) == ""
    found = published(("send-modes",), {(2, True), (2, False)})
    rates = {(point.nodes, point.axes["routine"]): point.rate for _, point in found.points}
    assert rates[1, "send"] == pytest.approx(8.3e9)
    assert rates[2, "bsend"] == pytest.approx(3.3e9)


@pytest.mark.parametrize(
    "other",
    [
        group("collectives", *FUGAKU, operation="allreduce", form="nonblocking", bytes=8),
        group("collectives", *FUGAKU, operation="nosuch", bytes=8),
        group("collectives", *FUGAKU, operation="allreduce", datatype="int8", bytes=8),
        group("collectives", *FUGAKU, operation="bcast", root="rotating", bytes=8),
        group("nosuch", BETWEEN_TWO_NODES, bytes=8),
    ],
)
def test_what_nobody_published_has_no_line(other):
    lines = published_lines(Palette(), [other])
    assert lines.by_title == {}
    assert lines.sources == ()


@pytest.mark.parametrize(("operation", "has_empty"), [("allreduce", False), ("scatterv", True)])
def test_empty_collectives_that_do_nothing_are_left_out(operation, has_empty):
    everywhere = group("collectives", *FUGAKU, operation=operation, bytes=8)
    lines = published_lines(Palette(), [everywhere])
    sizes = {point.bytes for curve in lines.by_title["collectives"] for point in curve.points}
    assert (0 in sizes) is has_empty


LAUNCHES = {(ranks, False) for ranks in (432, 768, 3456, 27648)}


def test_job_starts_are_medians_with_their_ranks_of_a_node():
    (line,), found = published_launches(Palette(), LAUNCHES)
    assert [mark.x for mark in line.marks] == [432, 768, 3456, 27648]
    for mark in line.marks:
        slowest = sorted(
            each.seconds for each in machine("fugaku").of_study("launch") if each.ranks == mark.x
        )
        assert slowest[0] <= mark.y <= slowest[-1]
        assert mark.low < mark.high == mark.y
    assert any(text.startswith("Job start") for text in found.sources[0].conditions)
    assert line.series == "Fugaku, 1 rank per node"


def test_a_barrier_has_the_published_times_with_their_ranks(tmp_path):
    survey = Survey()
    survey.measured("collectives", {"operation": "barrier", "form": "blocking"}, 1e-6)
    (table,) = collectives.ask(context(survey.read(tmp_path))).tables
    own, *theirs = [row.cells for row in table.rows]
    assert own[2] == "2 ranks"
    assert [(cells[2], cells[3]) for cells in theirs] == [
        ("1,536 ranks on 384 nodes (Fugaku)", "4.32 µs, published"),
        ("12,288 ranks on 3,072 nodes (Fugaku)", "5.78 µs, published"),
        ("110,592 ranks on 27,648 nodes (Fugaku)", "9.83 µs, published"),
    ]
