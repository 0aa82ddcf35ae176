# SPDX-License-Identifier: BSD-3-Clause
"""What the page says of ghost updates: ratios of the store's values, beside published machines."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from python.lab.report.page_reader import Page
from python.lab.report.synthetic import Survey
from transrank.lab import units
from transrank.lab.reference.tables import machines
from transrank.lab.report.page import render_report
from transrank.lab.stats.summary import summarise
from transrank.lab.store.records import Run

WAYS: Mapping[str, float] = {
    "auto": 30e-6,
    "floor": 15e-6,
    "mpi-packed": 60e-6,
    "mpi-datatype": 12e-5,
}
MODES: Mapping[str, float] = {"unmodified": 0.5, "used": 1.0}
VDIMS = (6, 20)
HEADING = "What does a ghost update cost?"


# As many on one node as were published.
RANKS = 16


@pytest.fixture
def run(tmp_path: Path) -> Run:
    survey = Survey()
    for vdim in VDIMS:
        for mode, factor in MODES.items():
            for way, seconds in WAYS.items():
                axes = {"pattern": "corrected", "vdim": vdim, "mode": mode, "transport": way}
                received = 6144.0 * vdim * 8
                survey.measured("ghost", axes, seconds * factor * vdim / 6, received, RANKS)
    return survey.read(tmp_path)


def value_of(run: Run, vdim: int, mode: str, way: str) -> float:
    (found,) = (
        result.headline.value
        for result in summarise(run)
        if (result.axes["vdim"], result.axes["mode"], result.axes["transport"]) == (vdim, mode, way)
        and result.headline is not None
    )
    return found


def test_the_answer_holds_auto_against_the_floor_and_the_best_of_mpi_alone(run):
    text = Page(render_report([run])).text
    assert HEADING in text
    assert re.search(r": (1\.9|2\.0)\d times \([^)]*\) its memory floor \(floor\); ", text)
    assert re.search(r"by MPI alone \(mpi-packed\) (1\.9|2\.0)\d times \([^)]*\) as long", text)


def test_volumes_are_those_of_the_published_benchmark_and_the_best_total_is_marked(run):
    tables = {table.name: table.rows for table in Page(render_report([run])).tables}
    _, *rows = tables["What each rank owns and receives"]
    assert [row[0] for row in rows] == ["6", "20"]
    assert rows[0][1:] == ["32,768 rows, 1.50 MiB", "6,144 rows, 288 KiB", "18.75 %"]
    _, *rows = tables["Ghost updates here and on published machines"]
    published = [
        point
        for machine in machines()
        for point in machine.of_study("ghost")
        if (point.ranks, point.nodes) == (RANKS, 1)
    ]
    assert published
    ours = [row for row in rows if row[0].startswith("here")]
    assert len(rows) == len(published) + len(ours)
    assert len(ours) == 2 * len(VDIMS)
    (best,) = (row for row in rows if row[-1].endswith("(best)"))
    totals = [6144 * 8 * vdim / value_of(run, vdim, "unmodified", "auto") * RANKS for vdim in VDIMS]
    assert best[-1] == f"{units.format_rate(max(totals))} (best)"


def test_blocks_of_other_extents_have_panels_of_their_own_and_no_published_ones(tmp_path):
    survey = Survey()
    for rows in ({}, {"rows": "5x3x2"}):
        for mode in MODES:
            axes = {"pattern": "corrected", "vdim": 6, "mode": mode, "transport": "auto", **rows}
            survey.measured("ghost", axes, 1e-5, 1.0, RANKS)
    page = Page(render_report([survey.read(tmp_path)]))
    tables = {table.name: table.rows for table in page.tables}
    assert [row[1:] for row in tables["What each rank owns and receives"][1:]] == [
        ["32,768 rows, 1.50 MiB", "6,144 rows, 288 KiB", "18.75 %"],
        ["30 rows, 1,440 B", "62 rows, 2,976 B", "206.67 %"],
    ]
    beside = tables["Ghost updates here and on published machines"]
    assert len([row for row in beside if row[0].startswith("here")]) == 1
    assert "vdim 6, 5x3x2 rows" in page.text


def test_the_answer_is_of_the_widest_shape_in_which_the_most_realistic_mode_was_measured(tmp_path):
    survey = Survey()
    for mode, ranks in (("used", 2), ("unmodified", 2), ("unmodified", 4)):
        axes = {"pattern": "corrected", "vdim": 6, "mode": mode, "transport": "auto"}
        survey.measured("ghost", axes, 1e-5, 1.0, ranks)
    assert (
        "With 2 ranks, corrected pattern, vdim 6, updating"
        in Page(render_report([survey.read(tmp_path)])).text
    )
