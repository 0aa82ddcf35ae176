# SPDX-License-Identifier: BSD-3-Clause
"""No sentence says more than was measured: no canned causes, no ratio without an interval."""

import re
from typing import Any

import pytest

from python.lab.report.synthetic import (
    Link,
    Survey,
    add_bandwidth,
    add_memory_copy,
    answer,
    context,
    every_study,
)
from transrank.lab import units
from transrank.lab.report.measured import measure_up
from transrank.lab.report.questions import (
    advection,
    collectives,
    ghost,
    matching,
    memory_copy,
    message_rate,
    send_modes,
    stability,
)
from transrank.lab.report.questions.question import Question
from transrank.lab.report.questions.study import answer as of
from transrank.lab.report.questions.table import ask_all
from transrank.lab.report.words.verdict import give_verdict
from transrank.lab.stats.advice import run_warnings
from transrank.lab.store.records import Run

CAUSES = re.compile(
    r"\b(because|since|therefore|hence|so that|due to|thanks to|explains?|although|perhaps|"
    r"may (?:be|come|change))\b"
)
TIMES = re.compile(r"\d times\b.{0,2}")
SHARE = re.compile(r"%\)? (?:of a |of the |of memcpy |more |less )")


def asked(run: Run) -> list[Question]:
    return ask_all(context(run))


def sentences(run: Run) -> list[str]:
    questions = asked(run)
    verdict = give_verdict(measure_up([run]), questions)
    return [
        *verdict.lead,
        *(n.detail for n in verdict.numbers),
        *(t for each in questions for t in each.answer),
    ]


@pytest.fixture(scope="module")
def every_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    survey = every_study(launches=4)
    return survey.read(tmp_path_factory.mktemp("every"))


def test_no_sentence_and_no_caption_names_a_cause(every_run):
    captions = [figure.caption for each in asked(every_run) for figure in each.figures]
    cautions = [
        text
        for caution in run_warnings(every_run, measure_up([every_run])[0].results)
        for text in (caution.text, caution.hint)
    ]
    texts = [*sentences(every_run), *captions, *cautions]
    assert len(texts) > 40
    assert [text for text in texts if CAUSES.search(text)] == []


def test_every_ratio_in_a_sentence_has_an_interval(every_run):
    told = sentences(every_run)
    times = [found for text in told for found in TIMES.findall(text)]
    assert len(times) >= 8
    assert all(found.endswith("(") for found in times)
    shares = [text for text in told if SHARE.search(text)]
    assert len(shares) >= 2
    assert all(re.search(r"% \([^)]*%\)", text) for text in shares)


def test_few_launches_give_no_ratio_and_one_says_nothing_of_the_next(written):
    run = written(every_study(launches=2))
    assert not SHARE.search(" ".join(sentences(run)))
    run = written(every_study(launches=1))
    told = " ".join(sentences(run))
    assert not TIMES.search(told)
    for word in ("disturbed by", "are disturbed", "beat", "is fastest", "rises to"):
        assert word not in told
    assert not any("overtakes" in t.caption for each in asked(run) for t in each.tables)


@pytest.mark.parametrize(("buffered", "times"), [(2e-5, "2.00"), (0.5e-5, "0.500")])
def test_routines_are_held_against_a_plain_send(buffered, times, written):
    survey = Survey(noise=1e-4)
    for routine, seconds in (("send", 1e-5), ("bsend", buffered)):
        axes: dict[str, Any] = {"routine": routine, "bytes": send_modes.TABLE_BYTES}
        survey.measured("send-modes", axes, seconds, send_modes.TABLE_BYTES)
    told = answer(of(send_modes.STUDY), written(survey))
    assert re.search(rf"by MPI_Bsend {times} times \([^)]*\) as long\.", told)


def test_what_waits_is_told_only_where_it_costs_time(written):
    survey = Survey(noise=1e-5)
    for queue, each in (("posted", 3e-9), ("unexpected", 0.0)):
        for waiting in (1, 4096):
            axes = {"queue": queue, "waiting": waiting, "bytes": 8}
            survey.measured("matching", axes, 1e-6 + waiting * each, 8)
    told = answer(of(matching.STUDY), written(survey))
    assert re.search(r"takes 3\.\d+ ns longer for each receive posted .* of up to 4,096\.", told)
    assert "arrived" not in told


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_the_way_with_mpi_alone_may_be_faster_or_slower(factor, written):
    survey = Survey(noise=1e-5)
    for way, seconds in (("auto", 1e-5), ("floor", 1e-5 * factor), ("mpi-packed", 1e-5 * factor)):
        axes = {"pattern": "corrected", "vdim": 6, "mode": "used", "transport": way}
        survey.measured("ghost", axes, seconds, 1.0)
    told = answer(of(ghost.STUDY), written(survey))
    assert f": {1 / factor:.3g}" in told.replace("2.00", "2").replace("0.500", "0.5")
    assert re.search(rf"\(mpi-packed\) {factor:.2f}0? times \([^)]*\) as long", told)


@pytest.mark.parametrize("halo", [1.1, 0.9])
def test_a_halo_may_cost_time_or_save_it(halo, written):
    survey = Survey(noise=1e-5)
    domain = {"scheme": "first-order", "processes": "even", "velocity": "++", "points": 100}
    for way, factor in (("none", 1.0), ("auto", halo), ("memcpy", 0.8), ("nontemporal", 0.9)):
        axes = {**domain, "iterations": 10, "transport": way, "overlap": "no"}
        survey.measured("advection", axes, 1e-4 * factor)
    told = answer(of(advection.STUDY), written(survey))
    assert re.search(
        rf"by the cheapest halo \(auto\) {units.three_digits(halo)} times \([^)]*\) as long", told
    )
    assert re.search(r": 1\.25 times \([^)]*\) its memory floor \(memcpy\)", told)


def test_a_share_of_a_copy_may_exceed_it(written):
    survey = Survey(noise=1e-5)
    add_bandwidth(survey, Link(rate=4e10), (1 << 20,))
    add_memory_copy(survey, rate=1e9)
    told = answer(message_rate.ask, written(survey))
    (share,) = re.findall(
        r"([\d.]+) times \([\d.]+ to [\d.]+\) the rate of memcpy beyond the ", told
    )
    assert float(share) > 1


@pytest.mark.parametrize(("share", "times"), [(1.0, "8.00"), (0.01, "0.0800")])
def test_ranks_together_may_copy_less_than_one_core(share, times, written):
    survey = Survey(noise=1e-6)
    for active, copied, seconds in (("alone", 1, 1e-4), ("together", 8, 1e-4 / share)):
        axes = {"kernel": "memcpy", "active": active, "bytes": 1 << 20}
        survey.measured("memory-copy", axes, seconds, copied << 20, 8)
    assert f"{times} times (" in answer(of(memory_copy.ASKED), written(survey))


@pytest.mark.parametrize("widest", [8, 64])
def test_the_widest_interval_is_that_of_the_case_that_scatters(widest, written):
    survey = Survey()
    for size in (8, 64):
        survey.noise = 0.1 if size == widest else 1e-4
        survey.measured("pingpong", {"bytes": size}, 1e-6, size)
    told = answer(stability.ask, written(survey))
    assert re.search(rf"the widest is \S+ % \(pingpong/{widest}B, 2 ranks\)", told)


@pytest.mark.parametrize("small", [1, 2])
def test_collectives_are_told_of_small_messages_and_most_ranks(small, written):
    """Whichever of the sizes takes longer."""
    survey = Survey(noise=1e-9)
    for size, factor in ((8, small), (1 << 20, 3 - small)):
        axes: dict[str, Any] = {"operation": "bcast", "form": "blocking", "bytes": size}
        for ranks in (2, 4):
            survey.measured("collectives", axes, factor * ranks * 1e-6, size, ranks)
    told = answer(of(collectives.STUDY), written(survey))
    assert f"With 4 ranks, bcast of 8 B takes {4 * small:.2f} µs (" in told
