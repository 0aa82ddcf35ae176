# SPDX-License-Identifier: BSD-3-Clause
"""Published machines stand beside what they can be compared with, and say whose they are."""

import pytest

from python.lab.report.synthetic import Survey, context
from transrank.lab.reference.tables import machine
from transrank.lab.report.curves import CurveGroup, Place
from transrank.lab.report.palette import Palette
from transrank.lab.report.published import published, published_lines
from transrank.lab.report.questions import collectives
from transrank.lab.report.questions.study import answer as of
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
    assert {point.x: point.seconds for point in curve.points} == {
        point.bytes: point.seconds for point in points if point.bytes
    }
    assert curve.published
    assert curve.label == "Fugaku, 2 ranks on 2 nodes"
    (source,) = lines.sources
    assert "RIKEN" in source.attribution
    assert any(text.startswith("Point to point") for text in source.conditions)
    assert not any(text.startswith("Collectives") for text in source.conditions)


@pytest.mark.parametrize("place", [(2, True), (4, False), (384, True)])
def test_other_ranks_or_another_place_have_curves_that_say_so(place):
    lines = published_lines(Palette(), [group("pingpong", place, bytes=8)])
    (curve,) = lines.by_title["pingpong"]
    assert curve.label == "Fugaku, 2 ranks on 2 nodes, not comparable"
    (source,) = lines.sources
    assert "RIKEN" in source.attribution


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


def test_the_nearest_in_ranks_are_shown_and_rates_are_those_of_the_tables():
    nearest = published(("collectives",), {(9000, False)})
    assert {point.ranks for _, point in nearest.points} == {12288}
    assert not nearest.comparable
    assert published(("nosuch",), {(2, False)}).points == ()
    of_each_machine = published(("ghost",), {(40, True)})
    assert {(machine.name, point.ranks) for machine, point in of_each_machine.points} == {
        *(("gs", 32), ("thtj", 56), ("thtj1", 56), ("bscc-a", 64)),
    }
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


def test_a_barrier_has_the_published_times_with_their_ranks(tmp_path):
    survey = Survey()
    survey.measured("collectives", {"operation": "barrier", "form": "blocking"}, 1e-6)
    (table,) = of(collectives.STUDY)(context(survey.read(tmp_path))).tables
    own, *theirs = [row.cells for row in table.rows]
    assert own[2] == "2 ranks"
    assert [(cells[2], cells[3]) for cells in theirs] == [
        ("1,536 ranks on 384 nodes (Fugaku)", "4.32 µs, published"),
        ("12,288 ranks on 3,072 nodes (Fugaku)", "5.78 µs, published"),
        ("110,592 ranks on 27,648 nodes (Fugaku)", "9.83 µs, published"),
    ]
