# SPDX-License-Identifier: BSD-3-Clause
"""The library at hand really uses a file that was written for it, and no other."""

from pathlib import Path

import pytest

from transrank import installation
from transrank.errors import LaunchError, RecordError
from transrank.lab.cli import __main__ as frame
from transrank.lab.cli import tune as verb
from transrank.lab.tune import evidence
from transrank.lab.tune.campaign import Campaign
from transrank.lab.tune.choice import Range
from transrank.lab.tune.library import MPI, Choices, Library, library

RANKS = 4
SHORT, LONG, LEFT = 8, 64, 512
# By operation one algorithm for SHORT and one for LONG, which differ in what they send: so at least
# one of them is not the default's.
PAIRS = {
    "alltoall": ("modified_bruck", "linear"),
    "allgather": ("bruck", "linear"),
    "allreduce": ("recursive_doubling", "ring"),
    "bcast": ("binomial", "scatter_allgather_ring"),
    "reduce": ("linear", "rabenseifner"),
    "barrier": ("linear", "double_ring"),
}

counting = pytest.mark.skipif(
    installation.mpi_kind() != "openmpi", reason="only Open MPI counts the messages of a call"
)
naming = pytest.mark.skipif(
    installation.mpi_kind() != "mpich", reason="only MPICH names its table at its start"
)


def choices() -> Choices:
    return {
        operation: (Range(SHORT, SHORT, first), Range(LONG, LONG, second), Range(LEFT, LEFT, None))
        if operation != "barrier"
        else (Range(0, 0, first),)
        for operation, (first, second) in PAIRS.items()
    }


def campaign(whose: Library, folder: Path, place: verb.Place) -> Campaign:
    answer = folder / "probe.json"
    place.placement(answer)
    sizes = f"{SHORT},{LONG},{LEFT}"
    shape = [f"--probed={answer}"]
    return Campaign(whose, tuple(PAIRS), sizes, RANKS, 2, "1ms", folder, lambda _: None, shape)


@counting
def test_what_is_sent_shows_that_open_mpi_uses_its_file(tmp_path, place):
    whose = library(MPI, RANKS, RANKS)
    path = tmp_path / "rules.conf"
    path.write_text(whose.text(choices(), RANKS))
    measured = campaign(whose, tmp_path, place)
    shown = evidence.look(measured, path, choices())
    assert set(shown) == set(PAIRS)
    for operation, by_size in shown.items():
        expected = {0} if operation == "barrier" else {SHORT, LONG}
        assert set(by_size) == expected
        assert evidence.NOT_USED not in by_size.values(), (operation, by_size)
        if operation != "barrier":
            assert set(by_size.values()) != {evidence.BY_TIME}, operation
    assert shown["alltoall"][SHORT] == "messages: 12, now 8"
    path.write_text(whose.text(choices(), RANKS + 1))  # for other communicators
    seen = measured.watch({"foreign": whose.environment(path)})
    assert seen["foreign"]["alltoall"][SHORT][0] == 12


@naming
def test_mpich_names_the_file_that_it_uses(tmp_path, place):
    whose = library(MPI, RANKS, RANKS)
    algorithm = whose.algorithms("alltoall", RANKS)[0]
    path = tmp_path / "table.json"
    path.write_text(whose.text({"alltoall": (Range(8, 64, algorithm),)}, RANKS))
    measured = campaign(whose, tmp_path, place)
    assert "names the file" in str(evidence.said(measured, path, place.said))
    with pytest.raises((RecordError, LaunchError)):
        evidence.said(measured, tmp_path / "missing.json", place.said)


@pytest.fixture
def place() -> verb.Place:
    return verb._place(frame.build_parser().parse_args(["tune"]), RANKS)
