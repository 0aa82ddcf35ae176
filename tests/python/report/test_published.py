# SPDX-License-Identifier: BSD-3-Clause
"""Published machines stand beside what they can be compared with, and say whose they are."""

from __future__ import annotations

import pytest

from transrank.reference.tables import machine
from transrank.report.curves import CurveGroup
from transrank.report.palette import Palette
from transrank.report.published import published_launches, published_lines, published_rates
from transrank.stats.result import CaseResult
from transrank.store.records import Shape


def group(study: str, **axes: str | int) -> CurveGroup:
    example = CaseResult(study, f"{study}/x", axes, Shape(2), "ok")
    return CurveGroup(study, (), example)


def test_pingpong_has_the_published_points_and_their_source() -> None:
    lines = published_lines(Palette(), [group("pingpong", bytes=8)])
    (curve,) = lines.by_title["pingpong"]
    points = machine("fugaku").of_study("pingpong")
    assert {point.bytes: point.seconds for point in curve.points} == {
        point.bytes: point.seconds for point in points
    }
    assert curve.published
    assert curve.label == "Fugaku, 2 ranks on 2 nodes"
    (source,) = lines.sources
    assert "RIKEN" in source.attribution


def test_conditions_are_those_of_the_study() -> None:
    (point_to_point,) = published_lines(Palette(), [group("pingpong", bytes=8)]).sources
    (collective,) = published_lines(
        Palette(), [group("collectives", operation="allreduce", bytes=8)]
    ).sources
    assert any(text.startswith("Point to point") for text in point_to_point.conditions)
    assert not any(text.startswith("Collectives") for text in point_to_point.conditions)
    assert any(text.startswith("Collectives") for text in collective.conditions)
    assert any(text.startswith("Intel MPI Benchmarks") for text in collective.conditions)


def test_a_collective_has_a_curve_per_published_count() -> None:
    lines = published_lines(Palette(), [group("collectives", operation="allreduce", bytes=8)])
    assert [curve.label for curve in lines.by_title["collectives"]] == [
        "Fugaku, 1,536 ranks on 384 nodes",
        "Fugaku, 12,288 ranks on 3,072 nodes",
        "Fugaku, 110,592 ranks on 27,648 nodes",
    ]


@pytest.mark.parametrize(
    "other",
    [
        group("collectives", operation="allreduce", form="nonblocking", bytes=8),
        group("collectives", operation="nosuch", bytes=8),
        group("collectives", operation="allreduce", datatype="int8", bytes=8),
        group("collectives", operation="bcast", root="rotating", bytes=8),
        group("nosuch", bytes=8),
    ],
)
def test_what_nobody_published_has_no_line(other: CurveGroup) -> None:
    lines = published_lines(Palette(), [other])
    assert lines.by_title == {}
    assert lines.sources == ()


@pytest.mark.parametrize(("operation", "has_empty"), [("allreduce", False), ("scatterv", True)])
def test_empty_collectives_that_do_nothing_are_left_out(operation: str, has_empty: bool) -> None:
    lines = published_lines(Palette(), [group("collectives", operation=operation, bytes=8)])
    sizes = {point.bytes for curve in lines.by_title["collectives"] for point in curve.points}
    assert (0 in sizes) is has_empty


def test_job_starts_are_medians_over_their_repetitions() -> None:
    (line,), (source,) = published_launches(Palette())
    assert [point.ranks for point in line.points] == sorted(point.ranks for point in line.points)
    for point in line.points:
        slowest = sorted(
            each.seconds
            for each in machine("fugaku").of_study("launch")
            if each.ranks == point.ranks
        )
        assert slowest[0] <= point.slowest <= slowest[-1]
        assert point.fastest < point.slowest
    assert any(text.startswith("Job start") for text in source.conditions)


def test_job_starts_say_how_many_ranks_a_node_had() -> None:
    (line,), _ = published_launches(Palette())
    assert line.label == "Fugaku, 1 rank per node"


def test_published_rates_are_those_of_the_tables() -> None:
    rates = {(rate.nodes, rate.routine): rate.rate for rate in published_rates("send-modes")}
    assert rates[1, "send"] == pytest.approx(8.3e9)
    assert rates[2, "bsend"] == pytest.approx(3.3e9)
