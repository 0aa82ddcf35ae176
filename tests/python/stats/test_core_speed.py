# SPDX-License-Identifier: BSD-3-Clause
"""How fast the cores were: which samples count, and the warning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import recorded
from transrank.report.measured import measure_up
from transrank.report.words.method import describe_method
from transrank.stats.advice import run_warnings
from transrank.stats.conditions import differences
from transrank.stats.core_state import core_states
from transrank.stats.summary import summarise
from transrank.store.records import Run, read_run

EACH = 5


def case(size: int, launch: int, work: Sequence[float], distance: Sequence[float]) -> recorded.Line:
    return recorded.case(
        size=size,
        launch=launch,
        seconds=np.repeat(work, EACH) * 1e-6,
        rounds=[EACH] * len(work),
        core_work_seconds=[each * 1e-6 for each in work],
        core_latency_seconds=[each * 1e-9 for each in distance],
    )


def write(folder: Path, cases: Sequence[recorded.Line]) -> Run:
    launches = [recorded.launch(number) for number in {line["launch"] for line in cases}]
    return read_run(recorded.write(folder / "run.jsonl", [recorded.header(), *launches, *cases]))


def run_of(
    folder: Path, work: Sequence[Sequence[float]], distance: Sequence[float] | None = None
) -> Run:
    """A run of one case: in each launch rounds of EACH samples beside a work of so many µs.

    A sample takes as long as the work. `distance` says how many ns the cores were apart.
    """
    return write(
        folder,
        [
            case(1024, number, rounds, distance or [50] * len(rounds))
            for number, rounds in enumerate(work)
        ],
    )


def slowed(run: Run) -> list[str]:
    found = run_warnings(run, summarise(run))
    return [caution.text for caution in found if "core was slower" in caution.text]


@pytest.mark.parametrize(
    ("work", "value", "kept"),
    [
        ([[4.0, 4.2, 5.2]] * 3, 4.1, 2 / 3),
        ([[5.2, 5.2, 4.0, 5.6]] * 3, 4.0, 1 / 4),
        ([[4.0, 4.1, 4.2, 4.3]] * 3, 4.15, 1.0),
        ([[4.0, 4.0]] + [[5.2, 5.2]] * 2, 5.2, 1.0),
    ],
)
def test_rounds_on_slowed_cores_are_left_out_where_others_were_met_often(
    tmp_path: Path, work: list[list[float]], value: float, kept: float
) -> None:
    (result,) = summarise(run_of(tmp_path, work))
    assert result.headline is not None
    assert result.headline.value == pytest.approx(value * 1e-6)
    assert result.kept == pytest.approx(kept)
    assert result.unusual == pytest.approx(1 - kept)


def method(run: Run) -> str:
    return " ".join(text for part in describe_method(measure_up([run])) for text in part.sentences)


def test_a_warning_tells_of_slowed_cores_unless_they_are_rare(tmp_path: Path) -> None:
    (text,) = slowed(run_of(tmp_path, [[4.0, 4.0, 5.2, 4.0]] * 3))
    assert "in 25 % of the rounds some rank's core was slower by 8 % or more" in text
    assert text.endswith("they are left out")
    assert "these rounds are left out" in method(run_of(tmp_path, [[4.0, 4.0, 5.2, 4.0]] * 3))
    (text,) = slowed(run_of(tmp_path, [[4.0] * 2] + [[5.2] * 2] * 2))
    assert text.endswith("they count, too")
    assert "these rounds count, too" in method(run_of(tmp_path, [[4.0] * 2] + [[5.2] * 2] * 2))
    assert slowed(run_of(tmp_path, [[4.0] * 19 + [5.2]] * 3)) == []


def test_speeds_are_compared_at_the_usual_distance(tmp_path: Path) -> None:
    """Threads of one core slow each other: that is their speed, and no disturbance."""
    run = run_of(tmp_path, [[4.0, 5.2, 5.2]] * 3, [250, 22, 22])
    (state,) = core_states(run.cases).values()
    assert state.speed is not None
    assert state.speed.fast == pytest.approx(5.2e-6)
    assert state.speed.slowed_share == 0
    (result,) = summarise(run)
    assert result.headline is not None
    assert result.headline.value == pytest.approx(5.2e-6)


def test_a_case_that_was_always_slowed_keeps_the_rounds_at_the_usual_distance(
    tmp_path: Path,
) -> None:
    cases = [
        case(8 << number, launch, [4.0, 4.0] if number else [5.2, 9.9], [50, 50 if number else 250])
        for number in range(10)
        for launch in range(3)
    ]
    results = summarise(write(tmp_path, cases))
    values = [result.headline.value for result in results if result.headline is not None]
    assert values == pytest.approx([5.2e-6] + [4e-6] * 9)


@pytest.mark.parametrize(("work", "differ"), [(4.1, False), (4.4, True)])
def test_slower_cores_in_one_of_two_runs_are_a_difference(
    tmp_path: Path, work: float, differ: bool
) -> None:
    folders = [tmp_path / "one", tmp_path / "other"]
    for folder in folders:
        folder.mkdir()
    one, other = run_of(folders[0], [[4.0] * 2] * 3), run_of(folders[1], [[work] * 2] * 3)
    found = differences(one, other)
    expected = "a fixed piece of work on the slowest core: 4.00 µs / 4.40 µs"
    assert found == ([expected] if differ else [])


def test_runs_that_did_not_measure_it_say_nothing(tmp_path: Path) -> None:
    run = read_run(recorded.write(tmp_path / "run.jsonl", [recorded.header(), recorded.case()]))
    (state,) = core_states(run.cases).values()
    assert state.speed is None
    assert slowed(run) == []
