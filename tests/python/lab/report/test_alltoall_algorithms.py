# SPDX-License-Identifier: BSD-3-Clause
"""The page says where MPI's alltoall is beaten, by which algorithm and how much."""

from collections.abc import Callable

from python.lab.report.synthetic import Survey, context
from transrank.lab.report.questions import alltoall_algorithms
from transrank.lab.report.questions.study import answer as of
from transrank.lab.store.records import Run

SECONDS = {
    "mpi": (2e-6, 3e-6, 60e-6),
    "auto": (0.9e-6, 0.9e-6, 50e-6),
    "on-node-direct": (1e-6, 1e-6, 60e-6),
    "bruck": (1.8e-6, 4e-6, 90e-6),
    "mpi-pairwise": (2.5e-6, 2e-6, 60e-6),
    "mpi-brucks": (2.1e-6, 5e-6, 95e-6),
}
SIZES = (8, 1024, 65536)


def question(written: Callable[..., Run], algorithms: dict[str, tuple[float, ...]]) -> object:
    survey = Survey(launches=5)
    for algorithm, times in algorithms.items():
        for size, seconds in zip(SIZES, times, strict=True):
            axes = {"algorithm": algorithm, "arrays": "shared", "bytes": size}
            survey.measured("alltoall-algorithms", axes, seconds, 2 * size)
    return of(alltoall_algorithms.STUDY)(context(written(survey)))


def test_where_the_default_is_beaten_the_fastest_of_each_kind_are_told(written):
    asked = question(written, SECONDS)
    own, forced = asked.answer
    assert "beaten by transrank's `on-node-direct` for blocks of 8 B to 1 KiB" in own
    assert "beaten by the library's own `mpi-pairwise` for blocks of 1 KiB" in forced
    assert "64 KiB" not in own + forced
    first, second, _ = asked.tables[0].rows
    assert first.cells[2] == "on-node-direct"
    assert first.cells[4] == "mpi-brucks"
    assert second.cells[4] == "mpi-pairwise"
    assert second.cells[3].startswith("3.0") or second.cells[3].startswith("2.9")
    assert asked.figures[0].key[0].label == "mpi"
    assert "alltoall-throughput" not in [figure.name for figure in asked.figures]
    (source,) = asked.sources
    assert "RIKEN" in source.attribution


def test_nothing_wins_where_all_are_alike_and_nothing_is_said_without_the_default(written):
    asked = question(written, {"mpi": (1e-6,) * 3, "linear": (2e-6,) * 3})
    assert len(asked.answer) == 1
    assert "none of transrank's algorithms" in asked.answer[0]
    assert question(written, {"auto": (1e-6,) * 3}).answer == ()


def test_where_only_the_choices_were_measured_they_are_compared(written):
    asked = question(written, {name: SECONDS[name] for name in ("mpi", "auto")})
    (told,) = asked.answer
    assert "beaten by transrank's `auto` for blocks of 8 B to 64 KiB" in told
    table = asked.tables[0]
    assert [row.cells[2] for row in table.rows] == ["auto"] * 3
    assert len(table.columns) == 4


def test_the_throughput_of_the_choice_has_a_curve_for_each_number_of_nodes(written):
    survey = Survey(launches=3)
    for nodes in (2, 4, 8, 12, 24):
        for size in SIZES:
            axes = {"algorithm": "mpi", "arrays": "private", "bytes": size}
            survey.measured("alltoall-algorithms", axes, 1e-6 * nodes, nodes * size, nodes, 1)
    made = of(alltoall_algorithms.STUDY)(context(written(survey)))
    (figure,) = [each for each in made.figures if each.name == "alltoall-throughput"]
    assert len(figure.panels) == 1
    assert [entry.label for entry in figure.key][::4] == [
        "2 ranks, 1 per node",
        "24 ranks, 1 per node",
    ]
