# SPDX-License-Identifier: BSD-3-Clause
"""A case has one value: what words, tables and figures say of it is what the store says of it.

Of each case one launch was disturbed throughout, and took a hundred times as long: results leave it
out, and so must all that is made from the record itself.
"""

import re
from collections.abc import Iterable

import pytest

from python.lab.report.synthetic import ITERATIONS, Survey, every_study
from transrank.lab import units
from transrank.lab.report.measured import Measured, measure_up
from transrank.lab.report.palette import Palette
from transrank.lab.report.questions import contention, launch
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.report.questions.table import ask_all
from transrank.lab.report.words.verdict import give_verdict
from transrank.lab.store.lines import DISTURBED

TIME = re.compile(r"(?<![\d.])\d[\d.]* (?:ns|µs|ms|s)\b")
RATE = re.compile(r"(?<![\d.])\d[\d.]* [TGMk]?B/s")


def disturb_a_launch_of_each_case(survey: Survey) -> None:
    last = {(line["case"], str(line["shape"])): line for line in survey.lines if "samples" in line}
    for line in last.values():
        samples, ranks = line["samples"], line["ranks"]
        samples["flags"] = [DISTURBED] * len(samples["flags"])
        for record, name in ((samples, "seconds"), (samples, "fastest")):
            record[name] = [100 * value for value in record[name]]
        for name in ("median", "minimum", "mean"):
            ranks[name] = [100 * value for value in ranks[name]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    survey = every_study(launches=4)
    disturb_a_launch_of_each_case(survey)
    (measured,) = measure_up([survey.read(tmp_path_factory.mktemp("one"))])
    assert all(result.launches_left_out for result in measured.results if result.measured)
    return measured


@pytest.fixture(scope="module")
def questions(run: Measured) -> list[Question]:
    asked = ask_all(Context((run,), Palette()))
    studies = {study for question in asked for study in question.studies}
    assert {"redistribute", "ghost", "advection", "locality", "contention", "launch"} <= studies
    return asked


def known_times(run: Measured) -> set[str]:
    """The value of each case with the ends of its interval; of an advection, also of a step."""
    values = [
        end / steps
        for result in run.results
        if result.headline is not None
        for end in (result.headline.value, result.headline.low, result.headline.high)
        if end is not None
        for steps in ((1, ITERATIONS) if result.study == "advection" else (1,))
    ]
    return {units.format_seconds(value) for value in values}


def printed(pattern: re.Pattern[str], texts: Iterable[str]) -> set[str]:
    """The numbers with units in texts; `1.2 to 1.4 µs` has two."""
    spelt = (
        re.sub(r"(?<![\w.])([\d.]+) to ([\d.]+ (\w+))", r"\1 \3 to \2", text) for text in texts
    )
    return {found for text in spelt for found in pattern.findall(text)}


def test_every_time_in_an_answer_is_that_of_a_case(run, questions):
    verdict = give_verdict([run], questions)
    texts = [text for question in questions for text in question.answer] + [*verdict.lead]
    texts = [text for text in texts if "longer than MPI_Send" not in text]
    times = printed(TIME, texts)
    assert len(times) > 20
    assert times <= known_times(run)


def test_every_rate_in_an_answer_is_that_of_a_case(run, questions):
    texts = [text for question in questions for text in question.answer]
    rates = printed(
        RATE,
        [
            text
            for text in texts
            if not re.search("pass between the halves|longer than MPI_Send", text)
        ],
    )
    known = {
        units.format_rate(result.bytes_counted / seconds)
        for result in run.results
        if result.rate is not None and result.headline is not None
        for seconds in (result.headline.value, result.headline.low, result.headline.high)
        if seconds is not None
    }
    assert rates
    assert rates <= known


def test_every_time_in_a_question_s_table_is_that_of_a_case(run, questions):
    means = {units.format_seconds(min(r.launch_imb)) for r in run.results if r.launch_imb}
    times = printed(
        TIME,
        [
            cell
            for question in questions
            for table in question.tables
            if "Hockney's model" not in table.caption
            for row in table.rows
            if row.state != "published" and "Fugaku" not in row.cells[0]
            for cell in row.cells
        ],
    )
    assert len(times) > 20
    assert times <= known_times(run) | means


def test_every_time_of_a_figure_is_that_of_a_case(run, questions):
    told = [
        panel.description
        for question in questions
        if not question.sources
        and not {contention.STUDY, launch.STUDY.name} & set(question.studies)
        for figure in question.figures
        for panel in figure.panels
    ]
    assert printed(TIME, told)
    assert printed(TIME, told) <= known_times(run)


def test_means_over_ranks_leave_out_the_launches_that_the_value_of_their_case_does(run):
    (measured,) = contention.of_run(run)
    values = {result.case: result.headline for result in run.results}
    for traffic in measured.traffics:
        value = values[traffic.case]
        assert traffic.mean_of(range(measured.domains)) == pytest.approx(value.value, rel=0.1)
