# SPDX-License-Identifier: BSD-3-Clause
"""The published tables are whole, and what is made of them obeys the identities that hold."""

from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from transrank.errors import UsageError
from transrank.lab.reference import fugaku
from transrank.lab.reference.machine import ReferencePoint
from transrank.lab.reference.tables import machine, machines, read_table


def test_no_number_of_the_tables_has_changed():
    """Each was compared with its source; who corrects one computes this anew."""
    tables = sorted(Path(fugaku.__file__).with_name("data").glob("*.csv"))
    digest = sha256(b"".join(path.read_bytes() for path in tables)).hexdigest()
    assert (len(tables), digest[:16]) == (13, "c9549733af8d1ebf")


@pytest.mark.parametrize("known", machines(), ids=lambda known: known.name)
def test_a_machine_says_where_its_numbers_come_from(known):
    assert known.attribution
    assert known.conditions
    assert known.points or known.tables
    assert all(sentence.endswith(".") for sentence in known.conditions)
    assert {point.machine for point in known.points} <= {known.name}
    assert all(map(read_table, known.tables))


@pytest.mark.parametrize("known", machines(), ids=lambda known: known.name)
def test_every_point_is_a_positive_time_on_real_ranks(known):
    for point in known.points:
        assert point.seconds > 0
        assert point.ranks >= point.nodes >= 1
        assert point.fastest_seconds is None or 0 < point.fastest_seconds <= point.seconds


def test_each_table_row_becomes_one_point():
    counts = Counter(point.study for known in machines() for point in known.points)
    counts["two ranks"] = sum(counts[study.lower()] for study in fugaku.COUNTED)
    for study, table in {
        "launch": "fugaku_process_launch",
        "ghost": "ghost_update_arraytransformer",
        "locality": "memory_locality_xt6",
        "send-modes": "send_modes_bandwidth",
        "two ranks": "fugaku_point_to_point",
    }.items():
        assert counts[study] == len(read_table(f"{table}.csv")) > 0
    sizes = read_table("fugaku_collectives.csv")
    assert counts["collectives"] == sum(bool(row[job]) for row in sizes for job in list(row)[2:])


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


def test_points_have_the_published_rates_where_they_have_a_size():
    barriers = [p for p in machine("fugaku").points if p.axes.get("operation") == "barrier"]
    assert [point.nodes for point in barriers] == [384, 3072, 27648]
    assert all(point.bytes is None for point in barriers)
    rates = {(point.axes["routine"], point.nodes): point.rate for point in machine("triton").points}
    assert rates[("bsend", 1)] == pytest.approx(4.9e9)
    assert rates[("sendrecv", 2)] == pytest.approx(6.3e9)
    assert len(rates) == 6
    assert ReferencePoint("m", "launch", {}, 1, 1, 2.0).rate is None


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
