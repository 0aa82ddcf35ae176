# SPDX-License-Identifier: BSD-3-Clause
"""The page of a published machine: its numbers as figures, and what they say."""

from functools import cache

import pytest

from python.lab.report.page_reader import Page
from transrank.lab.findings.table import find
from transrank.lab.findings.values import numbers_of_machine
from transrank.lab.findings.words import sentences
from transrank.lab.reference.tables import machine, machines
from transrank.lab.report.machine_run import run_of
from transrank.lab.report.page import render_report


@cache
def page_of(name: str) -> str:
    return render_report([run_of(machine(name))])


@pytest.mark.parametrize("name", ["fugaku", "triton", "jaguar", "columbia"])
def test_all_numbers_of_a_machine_are_in_its_page_and_what_they_say(name):
    source = machine(name)
    page = Page(page_of(name))
    data = page.json("transrank-data")
    (run,) = data["runs"]
    shown = sorted(
        value for row in run["rows"] for value in row[data["columns"].index("launch_seconds")]
    )
    assert shown == sorted(p.seconds for p in source.points if p.bytes != 0 and p.seconds > 0)
    text = " ".join(page.text.split())
    for sentence in sentences(find(numbers_of_machine(source))):
        assert " ".join(sentence.replace("`", "").split()) in text
    assert "Published numbers exist for" not in text


def test_fugaku_has_a_panel_for_each_operation_with_a_curve_for_each_number_of_ranks():
    page = page_of("fugaku")
    operations = {
        str(point.axes["operation"])
        for point in machine("fugaku").of_study("collectives")
        if point.bytes
    }
    assert len(operations) == 11
    for panel in ("pingpong", "pingping", "sendrecv", "exchange", *operations):
        assert f"<h4>{panel}" in page
    for ranks in ("1,536", "12,288", "110,592"):
        assert f"{ranks} ranks, 4 per node" in page


def test_each_machine_is_a_run_of_its_numbers():
    for source in machines():
        run = run_of(source)
        assert run.name == source.title.split(",")[0]
        assert len({(case.launch, case.case, case.shape) for case in run.cases}) == len(run.cases)
        assert {case.study for case in run.cases} == set(source.studies)
