# SPDX-License-Identifier: BSD-3-Clause
"""How far apart the cores were: which samples count, a warning, a difference between runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import recorded
from transrank.errors import RecordError
from transrank.stats.advice import run_warnings
from transrank.stats.conditions import differences
from transrank.stats.core_distance import core_latency, distances_of
from transrank.stats.core_state import core_states
from transrank.stats.summary import summarise
from transrank.store.records import Run, read_run

Launches = Sequence[Sequence[float | None]]


def write(folder: Path, lines: list[recorded.Line], launches: int) -> Run:
    header = [recorded.header()] + [recorded.launch(launch) for launch in range(launches)]
    return read_run(recorded.write(folder / f"{len(list(folder.iterdir()))}.jsonl", header + lines))


def run_of(folder: Path, launches: Launches, each: int = 5, size: int = 1024) -> Run:
    """A run of one case: in each launch rounds of `each` samples, with cores so many ns apart.

    A sample takes ten times as long as a cache line; where that is not known, a second.
    """
    lines = []
    for launch, cores in enumerate(launches):
        seconds = [1.0 if ns is None else ns * 1e-8 for ns in cores]
        lines.append(
            recorded.case(
                size=size,
                launch=launch,
                seconds=np.repeat(seconds, each).tolist(),
                rounds=[each] * len(cores),
                core_latency_seconds=[None if ns is None else ns * 1e-9 for ns in cores],
            )
        )
    return write(folder, lines, len(launches))


def nanoseconds(*values: float) -> list[int]:
    return [round(value * 1e9) for value in values]


def moved(run: Run) -> list[str]:
    found = run_warnings(run, summarise(run))
    return [caution.text for caution in found if "a cache line took" in caution.text]


def test_the_distance_is_the_median_over_launches_of_their_medians(tmp_path: Path) -> None:
    run = run_of(tmp_path, [[120, 140, 121], [130, 131, 118], [125, 125, 125]])
    found = core_latency(run.cases)
    assert found is not None
    assert nanoseconds(found.median, found.nearest, found.farthest) == [125, 121, 130]
    assert not found.several


@pytest.mark.parametrize(("second", "warns"), [(104, False), (112, True)])
def test_launches_with_cores_farther_apart_are_warned_of(
    tmp_path: Path, second: float, warns: bool
) -> None:
    assert bool(moved(run_of(tmp_path, [[100], [second]]))) == warns


@pytest.mark.parametrize(
    ("cores", "shares", "usual"),
    [
        ([[22, 50, 50, 250]] * 2, {22: 0.25, 50: 0.5, 250: 0.25}, 22),
        ([[22] + [50] * 8 + [250] * 11] * 3, {22: 0.05, 50: 0.4, 250: 0.55}, 50),
        ([[22] * 4] * 2 + [[50] * 4] * 3 + [[250] * 4] * 3, {22: 1 / 4, 50: 3 / 8, 250: 3 / 8}, 50),
        ([[22], [50], [120], [250], [250]], {22: 0.2, 50: 0.2, 120: 0.2, 250: 0.4}, 250),
        ([[118, 125, 133, 141, 150]] * 2, {133: 1.0}, 133),
    ],
)
def test_the_nearest_distance_that_is_not_rare_is_the_usual_one(
    tmp_path: Path, cores: list[list[float]], shares: dict[int, float], usual: int
) -> None:
    found = core_latency(run_of(tmp_path, cores).cases)
    assert found is not None
    assert {
        nanoseconds(distance.median)[0]: distance.share for distance in found.distances
    } == pytest.approx(shares)
    assert nanoseconds(found.usual.median) == [usual]


@pytest.mark.parametrize(("everywhere", "usual"), [(9, 50), (8, 250)])
def test_the_usual_distance_is_met_by_nearly_all_cases_in_three_launches(
    tmp_path: Path, everywhere: int, usual: int
) -> None:
    def line(launch: int, size: int, rounds: list[float]) -> recorded.Line:
        return recorded.case(
            launch=launch,
            size=size,
            seconds=[1e-6] * len(rounds),
            rounds=[1] * len(rounds),
            core_latency_seconds=[ns * 1e-9 for ns in rounds],
        )

    lines = [
        line(launch, 8 << case, [50, 250, 250] if launch < 2 or case < everywhere else [250] * 3)
        for launch in range(3)
        for case in range(10)
    ]
    found = core_latency(write(tmp_path, lines, 3).cases)
    assert found is not None
    assert nanoseconds(found.usual.median) == [usual]


def test_each_number_of_ranks_has_distances_of_its_own(tmp_path: Path) -> None:
    lines = [
        recorded.case(
            launch=launch,
            shape={"ranks": ranks, "ranks_per_node": 0},
            rounds=[5, 5],
            core_latency_seconds=[ns * 1e-9] * 2,
        )
        for launch, (ranks, ns) in enumerate([(2, 50)] * 3 + [(4, 250)] * 3)
    ]
    run = write(tmp_path, lines, 6)
    found = {shape.ranks: state.latency for shape, state in core_states(run.cases).items()}
    assert found[2] is not None
    assert found[4] is not None
    assert nanoseconds(found[2].usual.median, found[4].usual.median) == [50, 250]
    assert moved(run) == []
    assert all(result.kept == 1 for result in summarise(run))


def test_a_passing_value_between_two_distances_does_not_join_them(tmp_path: Path) -> None:
    near, far, passing = [50] * 80, [250] * 60, [61, 75, 92, 112, 137, 167, 204]
    found = core_latency(run_of(tmp_path, [near + far + passing] * 2, each=1).cases)
    assert found is not None
    assert nanoseconds(*(distance.median for distance in found.distances)) == [50, 250]


def test_samples_of_the_usual_distance_alone_count(tmp_path: Path) -> None:
    run = run_of(tmp_path, [[50, 250, 250, 50], [250, 50, 250], [50, 52, None]])
    (result,) = summarise(run)
    assert result.headline is not None
    assert result.headline.value == pytest.approx(500e-9)
    assert (result.samples, result.clean) == (50, 25)
    assert result.unusual == pytest.approx(0.5)
    (text,) = moved(run)
    assert "50.0 ns in 56 % of the rounds, and these alone count" in text
    assert "250 ns in 44 %" in text
    assert not any("busy" in caution.text for caution in run_warnings(run, [result]))


def test_a_case_that_was_never_at_the_usual_distance_keeps_its_samples(tmp_path: Path) -> None:
    usual, away = run_of(tmp_path, [[50] * 8] * 2), run_of(tmp_path, [[250]] * 2, size=8)
    lines = [*usual.path.read_text().splitlines(), *away.path.read_text().splitlines()[-2:]]
    both = tmp_path / "both.jsonl"
    both.write_text("\n".join(lines) + "\n")
    run = read_run(both)
    small, large = sorted(summarise(run), key=lambda result: result.bytes or 0)
    assert small.headline is not None
    assert small.headline.value == pytest.approx(2.5e-6)
    assert large.headline is not None
    assert large.headline.value == pytest.approx(5e-7)
    assert small.kept == 1
    assert not small.all_used


def test_cores_farther_apart_in_one_of_two_runs_are_a_difference(tmp_path: Path) -> None:
    near, far = run_of(tmp_path, [[100], [101]]), run_of(tmp_path, [[115], [116]])
    assert differences(near, near) == []
    (found,) = differences(near, far)
    assert "cores: 100 ns / 116 ns" in found


def test_runs_whose_values_are_of_one_distance_are_alike(tmp_path: Path) -> None:
    mixed, near = run_of(tmp_path, [[50, 250, 250]] * 3), run_of(tmp_path, [[50, 50]] * 3)
    assert differences(mixed, near) == []


def test_runs_that_did_not_measure_it_say_nothing(tmp_path: Path) -> None:
    for lines in ([recorded.case()], [recorded.case(core_latency_seconds=[None])]):
        run = write(tmp_path, lines, 1)
        assert core_latency(run.cases) is None
        assert moved(run) == []


def test_a_distance_for_more_rounds_than_there_are_is_refused(tmp_path: Path) -> None:
    for name in ("core_latency_seconds", "core_work_seconds"):
        with pytest.raises(RecordError, match=f"{name} tells of 2 rounds but rounds of 1"):
            write(tmp_path, [recorded.case(**{name: [5e-8, 5e-8]})], 1)


@pytest.mark.parametrize("launches", [[], [[]], [[5e-8], [0.0]], [[np.nan]]])
def test_distances_need_positive_times(launches: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="needs positive times"):
        distances_of([np.array(found) for found in launches])
