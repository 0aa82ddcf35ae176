# SPDX-License-Identifier: BSD-3-Clause
"""The published tables are whole, and the identities that they must obey hold."""

from collections import Counter

import pytest

from transrank.errors import UsageError
from transrank.lab.reference import fugaku
from transrank.lab.reference.machine import ReferencePoint
from transrank.lab.reference.tables import machine, machines, read_table

ROWS = {
    "advection_parameters.csv": 19,
    "advection_profile.csv": 50,
    "columbia_systems.csv": 2,
    "esmf_partitions.csv": 10,
    "esmf_store_times.csv": 7,
    "fugaku_alltoall_algorithms.csv": 9,
    "fugaku_alltoall_forms.csv": 11,
    "fugaku_collectives.csv": 536,
    "fugaku_point_to_point.csv": 96,
    "fugaku_process_launch.csv": 29,
    "ghost_update_arraytransformer.csv": 33,
    "memory_locality_xt6.csv": 48,
    "send_modes_bandwidth.csv": 6,
}


@pytest.mark.parametrize("name", ROWS)
def test_no_row_is_missing(name):
    assert len(read_table(name)) == ROWS[name]


@pytest.mark.parametrize("known", machines(), ids=lambda known: known.name)
def test_a_machine_says_where_its_numbers_come_from(known):
    assert known.attribution
    assert known.conditions
    assert known.points or known.tables
    assert all(sentence.endswith(".") for sentence in known.conditions)
    assert {point.machine for point in known.points} <= {known.name}
    assert all(ROWS[table] == len(read_table(table)) for table in known.tables)


@pytest.mark.parametrize("known", machines(), ids=lambda known: known.name)
def test_every_point_is_a_positive_time_on_real_ranks(known):
    for point in known.points:
        assert point.seconds > 0
        assert point.ranks >= point.nodes >= 1
        assert point.fastest_seconds is None or 0 < point.fastest_seconds <= point.seconds


def test_each_table_row_becomes_one_point():
    counts = Counter(point.study for known in machines() for point in known.points)
    assert counts["collectives"] == ROWS["fugaku_collectives.csv"]
    assert counts["launch"] == ROWS["fugaku_process_launch.csv"]
    assert counts["ghost"] == ROWS["ghost_update_arraytransformer.csv"]
    assert counts["locality"] == ROWS["memory_locality_xt6.csv"]
    assert counts["send-modes"] == ROWS["send_modes_bandwidth.csv"]
    point_to_point = sum(counts[study.lower()] for study in fugaku.COUNTED)
    assert point_to_point == ROWS["fugaku_point_to_point.csv"]


def test_printed_rates_follow_from_sizes_and_times_by_imb_counting():
    points = machine("fugaku").points
    checked = 0
    for row, point in zip(read_table("fugaku_point_to_point.csv"), points, strict=False):
        assert point.study == row["benchmark"].lower()
        if not row["MB_per_s_printed"]:
            continue
        # Times are printed with three digits, rates in whole MB/s.
        slack = 0.5e6 + 0.006 * point.rate
        assert point.rate == pytest.approx(1e6 * float(row["MB_per_s_printed"]), abs=slack)
        checked += 1
    assert checked > 70


def test_the_collectives_end_where_the_memory_ends():
    def largest(operation: str, nodes: int) -> int:
        points = machine("fugaku").of_study("collectives")
        sizes = [
            point.bytes
            for point in points
            if point.axes["operation"] == operation and point.nodes == nodes
        ]
        return max(size for size in sizes if size is not None)

    limit = 3 * 2**30
    for nodes in (384, 3072):
        ranks = 4 * nodes
        for operation in ("allgather", "allgatherv", "gather", "gatherv", "scatter", "scatterv"):
            size = largest(operation, nodes)
            assert size * (ranks + 1) <= limit < 2 * size * (ranks + 1) or size == 4 << 20
        size = largest("alltoall", nodes)
        assert 2 * size * ranks <= limit < 4 * size * ranks or size == 4 << 20


def test_barrier_has_no_size():
    barriers = [p for p in machine("fugaku").points if p.axes.get("operation") == "barrier"]
    assert [point.nodes for point in barriers] == [384, 3072, 27648]
    assert all(point.bytes is None for point in barriers)


def test_send_modes_are_the_published_two_figures():
    rates = {(point.axes["routine"], point.nodes): point.rate for point in machine("triton").points}
    assert rates[("bsend", 1)] == pytest.approx(4.9e9)
    assert rates[("sendrecv", 2)] == pytest.approx(6.3e9)
    assert len(rates) == 6


def test_memory_of_another_die_is_slower():
    by_locality: dict[str, list[float]] = {}
    for point in machine("xt6").points:
        by_locality.setdefault(str(point.axes["locality"]), []).append(point.seconds)
    assert max(by_locality.pop("local")) < min(map(min, by_locality.values()))


def test_the_die_of_a_thread_is_its_number_over_six():
    for row in read_table("memory_locality_xt6.csv"):
        assert int(row["die_of_thread"]) == int(row["thread"]) // 6
        assert int(row["die_of_data"]) == int(row["init_thread"]) // 6


def test_route_times_are_the_sum_of_their_parts():
    for row in read_table("esmf_store_times.csv"):
        parts = float(row["RoutePrecomputeRedist_ms"]) + float(row["RouteCreate_ms"])
        assert float(row["total_ms"]) == pytest.approx(parts, rel=1e-9)


def test_redistributed_bytes_follow_from_the_partitions():
    extents, fields = (512, 1024), 16 * 8 * 8
    for row in read_table("esmf_partitions.csv"):
        source, target = (
            tuple(map(int, row[side].split("x"))) for side in ("src_partition", "dst_partition")
        )
        stays = 0
        for rank in range(int(row["processors"])):
            overlap = 1
            for dimension in (0, 1):
                bounds = []
                for parts in (source, target):
                    part = rank % parts[0] if dimension == 0 else rank // parts[0]
                    width = extents[dimension] // parts[dimension]
                    bounds.append((part * width, (part + 1) * width))
                (a, b), (c, d) = bounds
                overlap *= max(0, min(b, d) - max(a, c))
            stays += overlap
        moved = (extents[0] * extents[1] - stays) * fields
        assert moved == int(row["bytes_redistributed"])


def test_ghost_bandwidth_and_printed_time_agree():
    names = ("gs", "thtj", "thtj1", "bscc-a")
    points = [point for name in names for point in machine(name).points]
    rows = sorted(
        read_table("ghost_update_arraytransformer.csv"),
        key=lambda row: names.index(row["machine"].lower()),
    )
    ratios = []
    for row, point in zip(rows, points, strict=True):
        assert int(row["ranks"]) == point.ranks
        if row["time_ms"]:
            ratios.append(float(row["time_ms"]) / (1e3 * point.seconds))
    # Printed times are truncated, so never above by more than rounding; one row is off by 16 %.
    assert max(ratios) < 1.03
    assert sorted(ratios)[len(ratios) // 2] == pytest.approx(0.98, abs=0.03)


def test_an_unknown_machine_names_the_known_ones():
    with pytest.raises(UsageError, match="unknown machine 'roadrunner'") as refused:
        machine("roadrunner")
    assert "fugaku, triton" in str(refused.value.hint)
    assert machine("Fugaku") is machine("fugaku")


def test_a_point_without_bytes_has_no_rate():
    assert ReferencePoint("m", "launch", {}, 1, 1, 2.0).rate is None
