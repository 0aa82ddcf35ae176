# SPDX-License-Identifier: BSD-3-Clause
"""What the page says of redistributions and of their planning."""

import re
from collections.abc import Mapping

import pytest

from python.lab.report.page_reader import Page
from python.lab.report.synthetic import Survey, answer
from transrank.lab import units
from transrank.lab.report.page import render_report
from transrank.lab.report.questions import redistribute
from transrank.lab.report.questions.study import answer as of
from transrank.lab.stats.compare import ratio_of
from transrank.lab.stats.summary import CaseResult, summarise
from transrank.lab.store.records import Run

WAYS: Mapping[str, float] = {
    "auto": 25e-3,
    "memcpy-once": 24e-3,
    "nontemporal": 26e-3,
    "mpi-packed": 94e-3,
    "mpi-alltoallw": 120e-3,
    "async-per-peer-together": 100e-3,
    "async-per-run-together": 101e-3,
    "async-none-together": 300e-3,
}
# Of those that are stored, too, the fastest and the slowest.
ENDS = ("auto", "async-none-together")
LISTED = {
    "async-per-peer-together": 1e-3,
    "async-per-run-together": 20e-3,
    "async-none-together": 80e-3,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    survey = Survey()
    for way, seconds in WAYS.items():
        for phase, factor in (("run", 1.0), ("store", 0.1)):
            if phase == "run" or way == "auto" or way.startswith("async"):
                axes = {"grid": "512x1024x16", "scale": 2, "phase": phase, "way": way}
                survey.measured("redistribute", axes, seconds * factor, 2.0**28)
    for way, seconds in LISTED.items():
        axes = {"grid": "64x128x16", "scale": 1, "layouts": "blocks-to-lists"}
        axes |= {"parts": "2x1-lists", "phase": "run", "mode": "used", "way": way}
        survey.measured("redistribute", axes, seconds, 2.0**23)
        survey.measured("redistribute", axes | {"mode": "unmodified"}, seconds / 2, 2.0**23)
    return survey.read(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def page(run: Run) -> Page:
    return Page(render_report([run]))


def result_of(run: Run, way: str, phase: str = "run") -> CaseResult:
    (found,) = (
        result
        for result in summarise(run)
        if (result.axes.get("way"), result.axes.get("phase")) == (way, phase)
        and "layouts" not in result.axes
    )
    return found


def value_of(run: Run, way: str, phase: str = "run") -> float:
    headline = result_of(run, way, phase).headline
    return headline.value


def times(run: Run, baseline: str, candidate: str) -> str:
    """The ratio of two ways as the page has to print it: with its interval over launches."""
    ratio = ratio_of(result_of(run, baseline), result_of(run, candidate))
    value, low, high = map(units.three_digits, (ratio.value, ratio.low, ratio.high))
    return f"{value} times ({low} to {high})"


def test_auto_is_held_against_the_fastest_copy_and_the_best_of_mpi_alone(run, page):
    text = page.text
    copy, alone = times(run, "memcpy-once", "auto"), times(run, "auto", "mpi-packed")
    assert copy.startswith("1.0")
    assert alone.startswith("3.")
    assert f"{copy} its memory floor (memcpy-once); by MPI alone (mpi-packed) {alone}" in text
    assert "scaled down to 1/2 of its cells to fit the memory" in text


def test_options_are_compared_in_words(page):
    told = [line for line in page.text.split("With 2 ranks, ") if "lists of cells" in line]
    assert "a bundle of 8 fields by async-per-peer-together takes" in told[0]
    assert "or run of a list (per-run) " in told[0]
    assert "as long." in told[0]


@pytest.mark.parametrize(
    ("large", "per_cell"),
    [(0.1, r"0\.0[45]\d+"), (2.0, r"0\.9\d*|1\.0\d*"), (20.0, r"(9\.\d|10\.)\d*")],
)
def test_grids_are_compared_as_they_were_measured(large, per_cell, tmp_path):
    """Two blocks of one machine, of which the larger one is faster, as fast or slower per cell."""
    text = answer(of(redistribute.STUDY), grids(Survey(), large).read(tmp_path))
    assert "has 2.00 times the cells of the smaller (64x128x16) and takes" in text
    assert re.search(rf": ({per_cell}) times \([^)]*\) as long per cell\.", text)
    assert "cache" not in text


def grids(survey: Survey, large: float) -> Survey:
    """The library's choice on a grid, and on one of twice the cells in `large` times the time."""
    for grid, seconds in (("64x128x16", 1e-3), ("128x128x16", large * 1e-3)):
        axes = {"grid": grid, "scale": 1, "layouts": "blocks", "parts": "2x1-1x2"}
        axes |= {"phase": "run", "mode": "used", "way": "auto"}
        survey.measured("redistribute", axes, seconds, 2.0**23)
    return survey


def test_the_published_statistic_stands_in_the_table(run, page):
    (table,) = (
        table for table in page.tables if table.name.startswith("Redistribution of a bundle")
    )
    heading, *rows = table.rows
    column = heading.index("smallest mean")
    (auto,) = (row for row in rows if row[1:3] == ["run", "auto"])
    assert auto[column] == units.format_seconds(min(result_of(run, "auto").launch_imb))
