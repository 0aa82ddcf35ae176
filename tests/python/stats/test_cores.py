# SPDX-License-Identifier: BSD-3-Clause
"""How far apart the cores were: a warning within a run, a difference between runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import recorded
from transrank.stats.advice import run_warnings
from transrank.stats.conditions import differences
from transrank.stats.cores import core_latency
from transrank.stats.summary import summarise
from transrank.store.records import Run, read_run


def run_of(folder: Path, launches: list[list[float]]) -> Run:
    """A run with a case per value, in launches; values are nanoseconds."""
    lines = [
        recorded.case(size=2**size, launch=launch, core_latency_seconds=value * 1e-9)
        for launch, values in enumerate(launches)
        for size, value in enumerate(values)
    ]
    header = [recorded.header()] + [recorded.launch(launch) for launch in range(len(launches))]
    return read_run(recorded.write(folder / f"{len(list(folder.iterdir()))}.jsonl", header + lines))


def warned(run: Run) -> bool:
    return any("equally far apart" in found.text for found in run_warnings(run, summarise(run)))


def test_the_distance_is_the_median_over_launches_of_their_medians(tmp_path: Path) -> None:
    run = run_of(tmp_path, [[120, 900, 121], [130, 131, 100], [125, 125, 125]])
    found = core_latency(run.cases)
    assert found is not None
    assert [round(value * 1e9) for value in (found.median, found.nearest, found.farthest)] == [
        *(125, 121, 130)
    ]


@pytest.mark.parametrize(("second", "warns"), [(104, False), (112, True)])
def test_launches_with_cores_farther_apart_are_warned_of(
    tmp_path: Path, second: float, warns: bool
) -> None:
    assert warned(run_of(tmp_path, [[100], [second]])) == warns


def test_cores_farther_apart_in_one_of_two_runs_are_a_difference(tmp_path: Path) -> None:
    near, far = run_of(tmp_path, [[100], [101]]), run_of(tmp_path, [[115], [116]])
    assert differences(near, near) == []
    (found,) = differences(near, far)
    assert "cores: 100 ns / 116 ns" in found


def test_runs_that_did_not_measure_it_say_nothing(tmp_path: Path) -> None:
    run = read_run(
        recorded.write(
            tmp_path / "a.jsonl", [recorded.header(), recorded.launch(), recorded.case()]
        )
    )
    assert core_latency(run.cases) is None
    assert not warned(run)
