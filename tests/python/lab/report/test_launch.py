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


def test_published_starts_of_as_many_ranks_have_a_table_by_shape(written):
    (table,) = asked(written, (2, 768), 1).tables
    assert ["4x6x32", "3.78 s", "4.47 s"] in [list(row.cells[1:4]) for row in table.rows]
