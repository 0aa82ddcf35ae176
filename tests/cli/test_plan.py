# SPDX-License-Identifier: BSD-3-Clause

import pytest

from transrank.lab.reference.machine import read_table


def test_a_published_partition_is_planned_rank_by_rank(store):
    row = read_table("esmf_partitions.csv")[3]
    parts = f"--from {row['src_partition']} --to {row['dst_partition']}"
    found = store.json(f"plan redistribute --grid 512x1024x16 --fields 8 {parts}")
    assert found["bytes_that_change_processor"] == int(row["bytes_redistributed"])
    assert len(found["ranks"]) == int(row["processors"])


def test_all_published_bytes_are_planned(store):
    said = store.run("plan redistribute --published").stdout
    assert "10 of 10 are equal" in " ".join(said.split())
    rows = store.json("plan redistribute --published")
    assert [row["planned_bytes"] for row in rows] == [
        int(row["bytes_redistributed"]) for row in read_table("esmf_partitions.csv")
    ]


def test_grid_and_parts_are_given_all_or_not_at_all(store):
    store.run("plan redistribute --grid 4").fails(2, "lacks --from and --to")
    store.run("plan redistribute --published --to 2").fails(2, "--published` does not take --to")


def test_each_rank_has_a_line_and_the_total_comes_last(store):
    answer = store.run("plan redistribute --grid 4x2 --from 2 --to 1x2 --fields 2")
    assert [" ".join(line.split()) for line in answer.stdout.splitlines()][:4] == [
        "rank messages out in kept peers",
        "0 1 32 B 32 B 32 B 1",
        "1 1 32 B 32 B 32 B 0",
        "64 B move to another rank (50 % of 128 B), in 2 messages",
    ]


def test_ranks_without_source_or_destination_have_lines_too(store):
    rows = store.csv("plan redistribute --grid 12 --from 2 --to 3 --value-bytes 4 --format csv")
    assert [row["peers"] for row in rows] == ["1", "0 2", "1"]
    assert [row["bytes_in"] for row in rows] == ["0", "8", "16"]


@pytest.mark.parametrize(
    ("grid", "source", "says"),
    [
        ("4x", "2", "'4x' is no list of numbers such as 512x1024x16"),
        ("4x4", "1x2x1", "'1x2x1' divides 3 dimensions of a grid that has 2"),
        ("0", "1", "'0' is no list of numbers"),
    ],
)
def test_what_makes_no_sense_is_refused(store, grid, source, says):
    store.run(f"plan redistribute --grid {grid} --from {source} --to 1").fails(2, says)


def test_of_many_ranks_the_extremes_are_printed_or_one_alone(store):
    words = "plan redistribute --grid 2000x3 --from 300 --to 299"
    printed = store.run(words).stdout.splitlines()
    assert printed[0].split() == ["per", "rank", "minimum", "median", "maximum"]
    assert [line.split()[0] for line in printed[1:5]] == ["messages", "out", "in", "kept"]
    rows = store.json(words)["ranks"]
    assert len(rows) == 300
    most = max(row["bytes_out"] for row in rows)
    first = next(row["rank"] for row in rows if row["bytes_out"] == most)
    assert printed[2].endswith(f"{most} B (rank {first})")
    assert "KiB move to another rank" in printed[5]
    one = store.json(f"{words} --rank 17")["ranks"]
    assert one == [rows[17]]
    assert len(store.run(f"{words} --rank 17").stdout.splitlines()) == 2
    store.run(f"{words} --rank 300").fails(
        2, "'300' is no rank of the plan, which has ranks 0 to 299"
    )
