# SPDX-License-Identifier: BSD-3-Clause
"""What is imported or published has the names that transrank-run gives its own cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from transrank.lab.reference.tables import machine
from transrank.lab.store.importing import read_output
from transrank.lab.store.suites.meaning import meaning_of
from transrank.lab.study import catalogue

OUTPUTS = sorted((Path(__file__).parent / "outputs").glob("*.txt"))


def listed(study: str, *arguments: str) -> set[str]:
    """The cases of a study on four ranks, those on request included."""
    request = [*arguments, "--study", study]
    return {case.case for case in catalogue.list_cases(request, 4)}


def imported(path: Path) -> dict[str, set[str]]:
    output = read_output(path)
    cases: dict[str, set[str]] = {}
    for reading in output.readings:
        meaning = meaning_of(output.suite, reading)
        if meaning is not None:
            cases.setdefault(meaning.study, set()).add(meaning.case)
    return cases


@pytest.mark.parametrize("path", OUTPUTS, ids=lambda path: path.stem)
def test_an_imported_case_is_a_case_of_the_runner(path: Path) -> None:
    for study, cases in imported(path).items():
        arguments: tuple[str, ...] = ()
        if study == "collectives":
            arguments = ("--axis", "datatype=float,double,int8", "--memory", "1GiB")
        if study == "one-sided":
            arguments = ("--axis", "window=allocated,created")
        if study == "message-rate":
            arguments = ("--axis", "pairs=1,2")
        assert cases <= listed(study, *arguments)


@pytest.mark.parametrize("study", machine("fugaku").studies)
def test_a_published_case_has_the_axes_of_ours(study: str) -> None:
    known = catalogue.find(study)
    for point in machine("fugaku").of_study(study):
        for name, value in point.axes.items():
            assert name in ("bytes", "job_shape") or value in known.axes[name]


def test_one_sided_results_of_osu_are_cases_of_the_study() -> None:
    found = {}
    for name in ("osu_put_latency", "osu_get_bw", "osu_get_latency_lock"):
        output = read_output(Path(__file__).parent / "outputs" / f"{name}.txt")
        meaning = meaning_of(output.suite, output.readings[-1])
        assert meaning is not None
        found[name] = meaning.case
    assert found == {
        "osu_put_latency": "one-sided/put/flush/allocated/1/64KiB",
        "osu_get_bw": "one-sided/get/flush/allocated/64/64KiB",
        "osu_get_latency_lock": "one-sided/get/lock/created/1/1KiB",
    }
