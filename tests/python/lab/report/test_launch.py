# SPDX-License-Identifier: BSD-3-Clause
"""The question about job starts: how they grow, and on which shapes of nodes others were."""

from collections.abc import Callable

from python.lab.report.synthetic import Survey, context
from transrank.lab.report.questions import launch
from transrank.lab.report.questions.question import Question
from transrank.lab.store.records import Run


def asked(written: Callable[..., Run], counts: tuple[int, ...], per_node: int = 0) -> Question:
    """Job starts whose time grows with the square root of the ranks."""
    survey = Survey(launches=3, noise=1e-4)
    for ranks in counts:
        survey.measured("launch", {"stamp": "plain"}, 0.1 * ranks**0.5, 0, ranks, per_node)
    return launch.ask(context(written(survey)))


def test_the_growth_has_an_exponent_beside_that_of_proportion(written):
    _, growth = asked(written, (2, 4, 8, 16)).answer
    assert "From 2 to 16 ranks that time grows with an exponent of 0.50 (95 % interval" in growth
    assert "in proportion to the ranks would be 1" in growth


def test_two_numbers_of_ranks_have_no_exponent(written):
    made = asked(written, (2, 4))
    assert len(made.answer) == 1
    assert made.tables == ()


def test_published_starts_of_as_many_ranks_have_a_table_by_shape(written):
    (table,) = asked(written, (2, 768), 1).tables
    assert ["4x6x32", "3.78 s", "4.47 s"] in [list(row.cells[1:4]) for row in table.rows]
