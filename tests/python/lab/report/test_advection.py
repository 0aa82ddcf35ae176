# SPDX-License-Identifier: BSD-3-Clause
"""What the page says of advection: costs from known times, errors from known outcomes."""

import numpy as np
import pytest

from python.lab.report.page_reader import Page
from python.lab.report.synthetic import Survey, advected
from transrank.lab.reference.advection import published_profile
from transrank.lab.report.page import render_report

# Seconds of a step by way, overlapped or not, on 100 x 100 points; four times that on 200 x 200.
STEPS = {
    ("none", "no"): 10e-6,
    ("memcpy", "no"): 8e-6,
    ("auto", "no"): 11e-6,
    ("auto", "yes"): 10.5e-6,
}
ITERATIONS = 10
DOMAIN = {"scheme": "second-order", "processes": "even", "velocity": "++"}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    survey = Survey(noise=0.0)
    for points in (100, 200):
        for (way, overlap), seconds in STEPS.items():
            axes = {
                **DOMAIN,
                "points": points,
                "iterations": ITERATIONS,
                "transport": way,
                "overlap": overlap,
            }
            survey.measured("advection", axes, ITERATIONS * seconds * (points / 100) ** 2)
        for step in ("0.4", "published"):
            axes = {
                "initial": "sin-x",
                **DOMAIN,
                "points": points,
                "step": step,
                "transport": "auto",
            }
            computed = advected(points, 0.1 / points)
            survey.measured("advection-solution", axes, 1e-3, outcome=computed)
    return Page(render_report([survey.read(tmp_path_factory.mktemp("advection"))]))


def table(page: Page, name: str) -> list[list[str]]:
    return {table.name: table.rows for table in page.tables}[name]


def test_the_halo_is_held_against_the_unsplit_sweep_and_the_sweep_against_a_copy(page):
    rows = {
        (row[1], row[2]): row[3:]
        for row in table(page, "Steps of advection, and the time added by the halo")[1:]
    }
    assert rows["100", "none"] == ["10.0 µs", "+0.0 %", "–", "1e+09", "80 %"]
    assert rows["100", "auto"][1] == "+10.0 %"
    assert rows["100", "auto, overlapped"][1:3] == ["+5.0 %", "50 %"]
    assert rows["200", "auto"][1] == "+10.0 %"
    assert "10 steps, advection of 200 x 200 points without a halo takes 400 µs" in page.text
    assert "1.25 times (1.25 to 1.25) its memory floor (memcpy); by the cheapest halo" in page.text
    assert "(auto, overlapped) 1.05 times (1.05 to 1.05) as long." in page.text


def test_orders_are_taken_between_grids(page):
    rows = table(page, "Errors against the analytic solution")[1:]
    assert [(row[3], row[6], row[9]) for row in rows] == [
        ("0.4", "100", "–"),
        ("0.4", "200", "1.00"),
        ("published", "100", "–"),
        ("published", "200", "1.00"),
    ]


def test_the_published_rows_stand_beside_ours(page):
    rows = table(page, "The published profile and the same problem here")[1:]
    assert len(rows) == 50
    assert rows[0][:3] == ["0", "-0.001276", "-0.031411"]
    assert "errors of 0.019 on average and 0.03 at most; the second-order scheme" in page.text
    assert "No usual scheme gives the printed row" in page.text
    assert "contradicts itself" in page.text


def test_whole_runs_are_drawn_over_their_steps(tmp_path):
    survey = Survey(noise=0.0)
    for steps in (10, 500):
        axes = {**DOMAIN, "points": 100, "iterations": steps, "transport": "auto", "overlap": "no"}
        survey.measured("advection", axes, steps * 1e-5)
    page = Page(render_report([survey.read(tmp_path)]))
    assert "Time of a whole run, by the slowest rank, over its number of steps" in page.text
    drawn = page.json("transrank-figures")["panels"]["advection-runs/0"]["data"]["values"]
    x, y = (drawn["fields"].index(name) for name in ("x", "y"))
    assert {row[x]: row[y] for row in drawn["rows"]} == pytest.approx({10: 1e-4, 500: 5e-3})


def test_the_published_analytic_row_is_the_solution_on_a_hundred_points():
    profile = published_profile()
    x = (np.arange(50) + 0.5) * 2 * np.pi / 100
    np.testing.assert_allclose(profile.analytic, np.sin(x - 0.5 * 0.1257), atol=3e-5)
