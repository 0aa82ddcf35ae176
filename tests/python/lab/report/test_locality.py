# SPDX-License-Identifier: BSD-3-Clause
"""The question about locality: the guide's own times, recorded as a run, give the guide's words."""

import pytest

from python.lab.report.synthetic import Survey, context
from support import recorded
from transrank.lab import units
from transrank.lab.reference.tables import machine
from transrank.lab.report.questions import locality as question
from transrank.lab.report.questions import source
from transrank.lab.report.questions.question import Question
from transrank.lab.stats.locality import GUIDE_LINKS
from transrank.lab.stats.summary import summarise
from transrank.lab.store.lines import DISTURBED
from transrank.lab.store.records import Run


def guide_as_a_run(launches: int = 1, farther: float = 1.0) -> Survey:
    """Figures 2 and 3 as the arrangements `own` and `exchanged` on 24 ranks.

    What is not on own memory takes `farther` times the published time.
    """
    survey = Survey(launches=launches)
    for figure, arrangement in ((2, "own"), (3, "exchanged")):
        points = {
            int(point.axes["thread"]): point
            for point in machine("xt6").points
            if point.axes["figure"] == figure
        }
        axes = {"kernel": "dgemm", "arrangement": arrangement, "order": 3000}
        before = len(survey.lines)
        survey.measured("locality", axes, 23.1, 0, 24)
        ranks = [points[rank] for rank in range(24)]
        links = [GUIDE_LINKS[str(point.axes["locality"])] for point in ranks]
        for launch, line in enumerate(survey.lines[before:]):
            line["ranks"]["median"] = [
                point.seconds * (1 if link == "own" else farther) * (1 + launch / 1e6)
                for point, link in zip(ranks, links, strict=True)
            ]
            toucher = [int(point.axes["init_thread"]) for point in ranks]
            line["memory"] = recorded.memory(toucher, [rank // 6 for rank in range(24)], links)
    return survey


def asked(run: Run) -> Question:
    return question.ask(context(run))


@pytest.mark.parametrize(("farther", "says"), [(1.0, "1.6 % longer"), (2.0, "2.03 times")])
def test_what_memory_costs_is_told_by_its_rule_alone(farther, says, written):
    run = written(guide_as_a_run(launches=3, farther=farther))
    assert asked(run).answer == ()
    text = " ".join(source.ask(context(run)).answer)
    assert f"Memory of one domain takes longer than of another: {says} (" in text
    assert "for diagonal beside own with" in text


def test_the_guide_s_48_numbers_stand_beside_the_users_sorted_by_time(written):
    made = asked(written(guide_as_a_run()))
    mine, guide = made.figures[-2:]
    assert (mine.name, guide.name) == ("locality-0-ranks", "locality-published")
    drawn = [
        [(row["n"], row["s"], row["v"]) for row in panel.spec["data"]["values"]]
        for panel in (*mine.panels, *guide.panels)
    ]
    own, exchanged, published_own, published_exchanged = drawn
    assert sorted(own) == sorted(published_own)
    assert sorted(exchanged) == sorted(published_exchanged)
    for rows in drawn:
        assert len(rows) == 24
        assert [value for _, _, value in rows] == sorted(value for _, _, value in rows)
    assert published_exchanged[-1] == ("23 ← 5", "diagonal", 23.533)
    assert all(panel.title.startswith("HECToR phase IIb, 24 threads: ") for panel in guide.panels)
    assert {entry.label for entry in guide.key} == set(question.locality.LINKS)
    assert made.sources[0].title.startswith("HECToR")


def test_a_machine_with_one_domain_has_the_value_of_its_case(written):
    """A disturbed launch, which the table leaves out, is no part of what the words say either."""
    survey = Survey(launches=3)
    axes = {"kernel": "latency", "order": 500}
    survey.measured("locality", {**axes, "arrangement": "own"}, 3e-8, 0)
    for launch, line in enumerate(survey.lines):
        line["memory"] = recorded.memory([0, 1], [0, 0], ["own"] * 2)
        if launch == 2:
            line["ranks"]["median"] = [8e-7] * 2
            line["samples"]["flags"] = [DISTURBED] * len(line["samples"]["flags"])
    reason = "the ranks of this node are in one memory domain: no memory is farther than its own"
    survey.lacking("locality", {**axes, "arrangement": "away-1"}, "skipped", reason)
    run = written(survey)
    made = asked(run)
    value, *_ = (result.headline for result in summarise(run) if result.headline is not None)
    assert reason in made.answer[0]
    assert f"it takes {units.format_seconds(value.value)} (95 % interval" in made.answer[0]
    assert made.figures == ()


def test_a_launch_that_results_leave_out_is_in_no_matrix(written):
    survey = guide_as_a_run(launches=4)
    clean = asked(written(survey))
    for line in survey.lines[3::4]:  # the last launch of each arrangement
        line["samples"]["flags"] = [DISTURBED] * len(line["samples"]["flags"])
        line["ranks"]["median"] = [rank * each for rank, each in enumerate(line["ranks"]["median"])]
    disturbed = asked(written(survey))
    drawn, undrawn = (
        [row["v"] for row in one.figures[0].panels[0].spec["data"]["values"]]
        for one in (disturbed, clean)
    )
    assert drawn == pytest.approx(undrawn, rel=1e-5)


def test_pages_of_which_the_kernel_does_not_tell_are_not_called_verified(written):
    words = "The kernel did not report where all pages were"
    survey = guide_as_a_run()
    assert words not in " ".join(asked(written(survey)).answer)
    survey.lines[-1]["memory"]["pages_unknown"][3] = 256
    assert words in " ".join(asked(written(survey)).answer)
