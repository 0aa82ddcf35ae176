# SPDX-License-Identifier: BSD-3-Clause
"""Figures over ranks: times that follow a known power law, and what stands beside them."""

import re
from collections.abc import Callable

import pytest

from python.lab.report.synthetic import Axes, Survey, context
from transrank.lab.reference.tables import machine
from transrank.lab.report.figures.figure import Figure
from transrank.lab.report.machine_run import run_of
from transrank.lab.report.questions.growth import with_growth
from transrank.lab.report.questions.question import Question
from transrank.lab.report.questions.table import STUDIES, ask_all, study_of
from transrank.lab.store.records import Run

Written = Callable[..., Run]
# Milliseconds in total, as printed.
TABLE_2 = (
    *((32, 0.132084), (64, 0.230073), (128, 0.458205), (256, 1.232135)),
    *((512, 3.7798), (1024, 13.862), (2048, 55.3349)),
)


def asked(run: Run, study: str) -> Question:
    return with_growth(context(run), Question("anchor", "heading", ()), [study_of(study)])


def measured(written: Written, study: str, axes: Axes, power: float, counts=(1, 2, 4)) -> Run:
    """A case whose time goes with a power of the ranks: 1 ms on one."""
    survey = Survey(launches=3, noise=1e-9)
    for ranks in counts:
        survey.measured(study, axes, 1e-3 * ranks**power, 8.0, ranks)
    return written(survey)


def drawn(figure: Figure, panel: int = 0) -> dict[str, dict[float, float]]:
    """{label: {x: y}} of a panel's curves, guides and published ones included."""
    labels = {entry.key: entry.label for entry in figure.key}
    spec = figure.panels[panel].spec
    assert spec is not None
    found: dict[str, dict[float, float]] = {}
    for row in spec["data"]["values"]:
        if row["k"] != "launch":
            found.setdefault(labels[row["s"]], {})[row["x"]] = row["y"]
    return found


@pytest.mark.parametrize(("power", "exponent"), [(0.0, "0.00"), (2.0, "2.00"), (-0.5, "-0.50")])
def test_the_exponent_is_that_of_the_times(power, exponent, written):
    question = asked(measured(written, "ghost", {"transport": "auto"}, power), "ghost")
    (text,) = question.answer
    assert text.startswith(f"From 1 to 4 ranks the time grows with an exponent of {exponent} (95 %")
    (row,) = question.tables[0].rows
    assert row.cells[1:3] == ("1", "4")
    assert row.cells[-1].startswith(f"{exponent} (95 % interval")


def test_guides_have_the_slopes_of_their_names_and_begin_where_the_curve_does(written):
    question = asked(measured(written, "ghost", {"transport": "auto"}, 0.3), "ghost")
    curves = drawn(question.figures[0])
    assert curves["ghost"][1] == pytest.approx(1e-3, rel=1e-4)
    for name, power in (("1/n", -1), ("n", 1), ("n²", 2)):
        guide = curves[f"in proportion to {name}"]
        assert guide == pytest.approx({1: 1e-3, 4: 1e-3 * 4.0**power}, rel=1e-4)


@pytest.mark.parametrize(
    ("work", "expected"), [("ghost", {1: 1, 4: 2}), ("redistribute", {4: 0.5})]
)
def test_a_speed_up_counts_the_work_of_all_ranks(work, expected, written):
    """Times grow with the root of the ranks: four take twice as long as one."""
    question = asked(measured(written, work, {"phase": "run"}, 0.5), work)
    curves = drawn(question.figures[1])
    for ranks, times in expected.items():
        assert curves[work][ranks] == pytest.approx(times, rel=1e-3)
    assert curves["in proportion to n"] == pytest.approx({1: 1, 4: 4}, rel=1e-3)


@pytest.mark.parametrize("counts", [(2,), (2, 4)])
def test_fewer_than_three_numbers_of_ranks_have_a_figure_only_where_it_is_the_study_s(
    counts, written
):
    assert asked(measured(written, "ghost", {}, 1.0, counts), "ghost").figures == ()
    starts = asked(measured(written, "launch", {"stamp": "plain"}, 1.0, counts), "launch")
    assert [figure.name for figure in starts.figures] == ["ranks-launch"]
    assert starts.answer == ()
    assert starts.tables == ()


def test_axes_are_curves_panels_or_follow_the_ranks(written):
    survey = Survey(launches=3, noise=1e-9)
    for ranks, parts in ((1, "1x1-1x1"), (2, "2x1-1x2"), (4, "4x1-1x4")):
        for way, power in (("auto", -1), ("sync-per-peer-together", 2)):
            for phase in ("run", "store"):
                axes = {"phase": phase, "way": way, "parts": parts}
                survey.measured("redistribute", axes, 1e-3 * ranks**power, 8.0, ranks)
    question = asked(written(survey), "redistribute")
    figure = question.figures[0]
    assert [panel.title for panel in figure.panels] == ["run", "store"]
    curves = drawn(figure)
    assert set(curves["auto"]) == set(curves["sync-per-peer-together"]) == {1, 2, 4}
    assert re.search(r"exponent of -1\.00 .* for run, auto to 2\.00 ", question.answer[0])


def test_an_operation_has_curves_of_small_middle_and_large_messages(written):
    survey = Survey(launches=3, noise=1e-9)
    for ranks in (2, 4, 8):
        for size in (0, 4, 8, 64, 1024, 2048, 1 << 19, 1 << 20):
            for form, factor in (("blocking", 1), ("nonblocking", 5)):
                axes = {"operation": "bcast", "form": form, "bytes": size}
                if size < 1 << 20 or ranks < 8:  # the largest needs more memory on eight ranks
                    survey.measured("collectives", axes, 1e-6 * factor, size, ranks)
    figure = asked(written(survey), "collectives").figures[0]
    assert len(figure.panels) == 1
    curves = drawn(figure)
    measured_ones = [label for label in curves if not label.startswith("in proportion")]
    assert measured_ones == ["8 B", "2 KiB", "512 KiB"]
    assert curves["8 B"] == pytest.approx({2: 1e-6, 4: 1e-6, 8: 1e-6}, rel=1e-3)


def test_two_placements_of_as_many_ranks_are_two_curves(written):
    survey = Survey(launches=3, noise=1e-9)
    for ranks in (2, 4, 8):
        for per_node, factor in ((1, 3), (2, 1)):
            axes = {"operation": "barrier", "form": "blocking"}
            survey.measured("collectives", axes, 1e-6 * factor * ranks, 0, ranks, per_node)
    curves = drawn(asked(written(survey), "collectives").figures[0])
    assert curves["1 per node"][8] == pytest.approx(24e-6, rel=1e-3)
    assert curves["2 per node"][8] == pytest.approx(8e-6, rel=1e-3)


def test_published_starts_and_routes_join_at_their_own_ranks(written):
    starts = asked(measured(written, "launch", {"stamp": "plain"}, 0.1, (2, 4)), "launch")
    theirs = drawn(starts.figures[0])["Fugaku, published, last rank"]
    assert list(theirs) == [432, 768, 3456, 27648]
    for ranks, seconds in theirs.items():
        slowest = [p.seconds for p in machine("fugaku").of_study("launch") if p.ranks == ranks]
        assert min(slowest) <= seconds <= max(slowest)
    assert any("RIKEN" in source.attribution for source in starts.sources)
    axes: Axes = {"routes": "one", "plan_ranks": 64}
    plans = asked(measured(written, "plan-scaling", axes, 0.0, (1,)), "plan-scaling")
    assert drawn(plans.figures[0])["Jaguar, published"][2048] == pytest.approx(55.3349e-3, rel=1e-4)


def test_esmf_s_figure_8_is_drawn_of_its_table():
    (question,) = (q for q in ask_all(context(run_of(machine("jaguar")))) if q.figures)
    curves = drawn(question.figures[0])
    assert curves["plan-scaling"] == pytest.approx(
        {ranks: 1e-3 * total for ranks, total in TABLE_2}, rel=1e-4
    )
    assert {"in proportion to n", "in proportion to n²"} <= set(curves)


def test_more_ways_than_colours_leave_out_the_slowest(written):
    survey = Survey(launches=3, noise=1e-9)
    for ranks in (1, 2, 4):
        for way in range(10):
            axes = {"way": f"way-{way}"}
            survey.measured("redistribute", axes, 1e-3 * (1 + way) * ranks, 8.0, ranks)
    curves = drawn(asked(written(survey), "redistribute").figures[0])
    assert [name for name in curves if "way" in name] == [f"way-{way}" for way in range(8)]


def test_jobs_of_one_number_of_ranks_each_are_drawn_together(tmp_path):
    runs = []
    for ranks in (8, 64, 512):
        survey = Survey(run=f"run-{ranks}", label=f"job-{ranks}", launches=3, noise=1e-9)
        survey.measured("ghost", {"transport": "auto"}, 1e-6 * ranks**0.5, 8.0, ranks)
        runs.append(survey.read(tmp_path))
    question, ghost = Question("anchor", "heading", ()), [study_of("ghost")]
    together = with_growth(context(*runs), question, ghost)
    assert drawn(together.figures[0])["ghost"] == pytest.approx(
        {ranks: 1e-6 * ranks**0.5 for ranks in (8, 64, 512)}, rel=1e-3
    )
    assert together.answer[0].startswith("all runs: from 8 to 512 ranks the time grows with an")
    assert with_growth(context(*runs[:2]), question, ghost).figures == ()


def test_every_role_names_a_study_and_its_axes():
    from transrank.lab.study.catalogue import studies

    for name, roles in STUDIES.items():
        known = {*studies()[name].axes, "bytes", "job_shape", "parts"}
        assert {*roles.way, *roles.follows, *roles.marks[:1]} <= known, name
