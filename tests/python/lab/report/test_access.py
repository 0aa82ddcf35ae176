# SPDX-License-Identifier: BSD-3-Clause
"""What the page says of one-sided operations, of neighbors and of pieces, from known times."""

from pathlib import Path

import pytest

from python.lab.report.page_reader import Page
from python.lab.report.synthetic import Survey
from transrank.lab.report.page import render_report
from transrank.lab.store.records import Run

EPOCHS = {"flush": 1e-7, "fence": 1e-6, "post": 2e-6}
WAYS = {
    ("neighbor_alltoallv", "blocking"): 4e-6,
    ("neighbor_alltoallv", "persistent"): 3e-6,
    ("messages", "persistent"): 2e-6,
    ("exchange", "persistent"): 1e-6,
}
# Seconds that a piece costs.
PIECES = {"datatype": 5e-9, "by-hand": 2e-9}


def run_of(tmp_path: Path, name: str = "run", slower: float = 1.0) -> Run:
    survey = Survey(run=name, label=name, slower=slower, noise=1e-4)
    for epoch, seconds in EPOCHS.items():
        for in_flight in (1, 64):
            for size in (8, 1 << 20):
                axes = {"operation": "put", "epoch": epoch, "window": "allocated"}
                sized = {**axes, "in_flight": in_flight, "bytes": size}
                survey.measured("one-sided", sized, seconds / in_flight + size / 1e10, size)
    for (operation, form), seconds in WAYS.items():
        for size in (8, 4096):
            axes = {"topology": "ring", "operation": operation, "form": form, "bytes": size}
            survey.measured("neighborhood", axes, seconds, 2 * size)
    for size in (1024, 8192):
        survey.measured("datatypes", {"layout": "contiguous", "bytes": size}, 1e-6, size)
        for way, seconds in PIECES.items():
            axes = {"layout": "vector", "way": way, "piece": 8, "bytes": size}
            survey.measured("datatypes", axes, 1e-6 + seconds * size / 8, size)
    return survey.read(tmp_path)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    return Page(render_report([run_of(tmp_path_factory.mktemp("access"))]))


def test_operations_are_held_against_other_epochs_and_ways(page):
    assert "With 2 ranks, put, an operation of 8 B completed by flush takes 101 ns" in page.text
    assert "by fence 9.9" in page.text
    assert "by post 19.8 times (" in page.text
    assert "(9.90 to 10.1 GB/s), by put of 1 MiB with 64 in flight" in page.text
    assert "as on ring, blocking neighbor_alltoallv of 4 KiB takes 4.00 µs" in page.text
    for way, ratio in (
        ("neighbor_alltoallv", "0.750"),
        ("messages", "0.500"),
        ("exchange", "0.250"),
    ):
        assert f"by persistent {way} {ratio} times (" in page.text


def test_a_piece_costs_what_its_message_takes_longer_than_without_gaps(page):
    tables = {table.name: table.rows for table in page.tables}
    (rows,) = (rows for name, rows in tables.items() if "divided by the pieces" in name)
    assert [row[:6] for row in rows[1:]] == [
        ["vector", "datatype", "8 B", "8 KiB", "1024", "5.00 ns"],
        ["vector", "by-hand", "8 B", "8 KiB", "1024", "2.00 ns"],
    ]
    assert "A piece of 8 B of vector layout costs 5.00 ns by datatype" in page.text


def test_two_runs_are_told_apart(tmp_path):
    page = Page(render_report([run_of(tmp_path, "one"), run_of(tmp_path, "other", 2.0)]))
    assert "one: with 2 ranks, put, an operation of 8 B completed by flush" in page.text
    assert "other: with 2 ranks, neighbors as on ring" in page.text
    assert "other: a piece of 8 B of vector layout costs 10" in page.text
