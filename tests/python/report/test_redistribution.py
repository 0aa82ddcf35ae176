# SPDX-License-Identifier: BSD-3-Clause
"""What the page says of redistributions and of their planning."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from python.report.page_reader import Page
from python.report.synthetic import Survey
from transrank import units
from transrank.report.page import render_report
from transrank.stats.summary import CaseResult, summarise
from transrank.store.records import Run, read_run

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
LISTED = {
    "async-per-peer-together": 1e-3,
    "async-per-run-together": 20e-3,
    "async-none-together": 80e-3,
}
RANKS = (4, 32, 2048, 1_000_000)


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
    for ranks in RANKS:
        axes = {"dimensions": 2, "blocks": "regular", "routes": "one", "plan_ranks": ranks}
        survey.measured("plan-scaling", axes, 1e-6 * ranks**0.1, 0.0)
    return read_run(survey.write(tmp_path_factory.mktemp("store") / "run.jsonl"))


@pytest.fixture(scope="module")
def page(run: Run) -> Page:
    return Page(render_report([run]))


def result_of(run: Run, way: str) -> CaseResult:
    (found,) = (
        result
        for result in summarise(run)
        if (result.axes.get("way"), result.axes.get("phase")) == (way, "run")
        and "layouts" not in result.axes
    )
    return found


def value_of(run: Run, way: str) -> float:
    headline = result_of(run, way).headline
    assert headline is not None
    return headline.value


def test_auto_is_held_against_the_fastest_copy_and_the_best_of_mpi_alone(
    run: Run, page: Page
) -> None:
    text = page.text
    copy = units.three_digits(value_of(run, "auto") / value_of(run, "memcpy-once"))
    alone = units.three_digits(value_of(run, "mpi-packed") / value_of(run, "auto"))
    assert f"{copy} times the fastest copy of as many bytes (memcpy-once)" in text
    assert f"(mpi-packed) takes {alone} times as long" in text
    assert "scaled down to 1/2 of its cells for want of memory" in text


def test_options_are_compared_in_words(run: Run, page: Page) -> None:
    text = page.text
    default = value_of(run, "async-per-peer-together")
    boxes = units.three_digits(value_of(run, "async-per-run-together") / default)
    assert (
        f"a message for each box of cells, or run of a list (per-run) takes {boxes} times as long"
        in text
    )
    assert "To store takes from" in text
    assert "makes the messages of per-peer packing: they take the same time." in text


def test_of_lists_it_is_said_that_nothing_is_packed(page: Page) -> None:
    text = page.text
    assert "64x128x16 from 2x1 blocks to lists of cells, fields rewritten before each" in text
    assert "per-run packing packs nothing but the 8 fields of a cell together" in text
    # 4 times, give or take the noise of the samples.
    assert re.search(r"8 times as many messages, which take (3\.9\d|4\.0\d|4) times", text)


def test_the_published_statistic_stands_in_the_table(run: Run, page: Page) -> None:
    (table,) = (
        table for table in page.tables if table.name.startswith("Redistribution of a bundle")
    )
    heading, *rows = table.rows
    column = heading.index("smallest mean")
    (auto,) = (row for row in rows if row[1:3] == ["run", "auto"])
    assert auto[column] == units.format_seconds(min(result_of(run, "auto").launch_imb))


def test_planning_is_shown_in_multiples_of_the_published_first_time(page: Page) -> None:
    assert "T(n)/T(32)" in page.text
    # 2048 ranks are 64 times as many, and (2048 / 32)^0.1 is 1.52.
    described = " ".join(value for _, name, value in page.attributes if name == "aria-label")
    assert (
        "ESMF on Jaguar, all of store: 419 at 2,048 ranks; O(n): 64.0 at 2,048 ranks" in described
    )


def test_planning_has_an_exponent_beside_the_published_one(page: Page) -> None:
    text = page.text
    assert "Does a redistribution cost more to plan on more ranks?" in text
    assert "with a growth exponent of 0.10 (95 % interval" in text
    assert "ESMF's published times have one of 1.73 (95 % interval" in text
    assert "13.2 ns for each pair of processors" in text


def test_words_are_about_the_mode_nearest_to_a_program_s_use(page: Page) -> None:
    told = [line for line in page.text.split("With 2 ranks, ") if "lists of cells" in line]
    about = [line for line in told if "beside ESMF's default" in line]
    assert about
    assert all("rewritten before each run and read after it" in line for line in about)
