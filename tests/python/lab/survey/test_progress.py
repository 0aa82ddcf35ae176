# SPDX-License-Identifier: BSD-3-Clause
"""What is seen while a run goes on."""

import io

import pytest
from rich.console import Console

from support import recorded
from transrank.lab.store.records import Shape
from transrank.lab.survey.progress import Finished, LastLine, Lines, Progress, for_console

MEASURED = {
    "seconds": [5e-5, 1.00e-6, 1.01e-6, 1.02e-6, 1.03e-6, 1.04e-6, 1.05e-6, 1.06e-6],
    "fastest": [1e-6] * 8,
    "flags": [1, 0, 0, 0, 0, 0, 0, 0],
    "rounds": [8],
}


def finished(**changes: object) -> Finished:
    return Finished.from_line(recorded.case(1024, launch=0, samples=MEASURED, **changes))


def test_flagged_samples_are_left_out_of_what_is_shown():
    case = finished()
    assert case.value.value == pytest.approx(1.03e-6)
    assert case.result() == "1.03 µs ±2.9 %"


def test_a_case_without_result_says_why():
    reason = f"needs {'much ' * 30}memory"
    line = Finished.from_line(recorded.skipped(1024, launch=0, reason=reason))
    stream = io.StringIO()
    with for_console(1, Console(file=stream, width=80), quiet=False) as progress:
        progress.finishes(line, seconds_left=5.0)
    lines = stream.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert f"skipped: {reason}" in " ".join(line.strip() for line in lines)


def shown(console: Console, cases: int) -> str:
    with for_console(cases, console, quiet=False) as progress:
        for place in range(cases):
            progress.launch_begins(place + 1, cases, Shape(2))
            progress.finishes(finished(), seconds_left=60.0 * (cases - place - 1) + 5)
    stream = console.file
    assert isinstance(stream, io.StringIO)
    return stream.getvalue()


def test_a_log_gets_one_line_per_case_and_no_control_codes():
    text = shown(Console(file=io.StringIO(), width=80), 12)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[2] == "launch 2 of 12 at 2 ranks; 11 min left"
    assert lines[0].startswith("launch 1 of 12 at 2 ranks")
    cases = [line for line in lines if line.startswith("[")]
    assert len(cases) == 12
    assert cases[0].startswith("[ 1/12] pingpong/1024B  ")
    assert "\x1b" not in text


def test_launches_beyond_the_first_ones_are_counted_apart():
    console = Console(file=io.StringIO(), width=80)
    with for_console(1, console, quiet=False) as progress:
        for launches in (1, None, None):
            progress.launch_begins(progress.place + 1, launches, Shape(2))
            progress.finishes(finished(), seconds_left=5.0)
    lines = console.file.getvalue().splitlines()
    assert lines[4] == "launch 3 at 2 ranks, for more precision"
    assert lines[5].startswith("[+2] pingpong/1024B")


def test_an_interval_of_one_launch_says_so(monkeypatch):
    """The run's, over all launches, is another, and wider."""
    monkeypatch.setattr("transrank.lab.survey.progress.REDRAW_SECONDS", 0.0)
    for terminal in (False, True):
        text = shown(Console(file=io.StringIO(), force_terminal=terminal, width=80), 3)
        for launch in (1, 2, 3):
            assert f"1.03 µs ±2.9 % in launch {launch}" in text


def test_a_long_name_gives_way_to_its_numbers():
    parts = ("collectives", "reduce", "nonblocking", "float", "rotating", "1024B")
    progress = Progress(1000)
    progress.launch_begins(12, 40, Shape(2))
    progress.finishes(case := finished(case="/".join(parts)), seconds_left=3000.0)
    assert "/".join(parts) in progress.line(case, 200)
    line = progress.line(case, 80, progress.left())
    assert len(line) == 80
    assert line.startswith("[   1/1000] collectives/")
    assert "…" in line
    assert line.endswith("/1024B  1.03 µs ±2.9 % in launch 12  50 min left")


@pytest.mark.parametrize("quiet", [True, False])
def test_what_is_not_shown_is_not_worked_out(quiet, monkeypatch):
    worked_out: list[Finished] = []
    monkeypatch.setattr(Finished, "result", lambda case: worked_out.append(case) or "x")
    console = Console(file=io.StringIO(), force_terminal=True, width=200)
    with for_console(100, console, quiet=quiet) as progress:
        for _ in range(100):
            progress.finishes(finished(), seconds_left=1.0)
    assert len(worked_out) < (1 if quiet else 20)


def test_each_kind_of_console_gets_its_progress():
    terminal = Console(file=io.StringIO(), force_terminal=True)
    assert isinstance(for_console(1, terminal, quiet=False), LastLine)
    assert isinstance(for_console(1, Console(file=io.StringIO()), quiet=False), Lines)
    assert type(for_console(1, terminal, quiet=True)) is Progress
    console = Console(file=io.StringIO(), force_terminal=True, width=200)
    text = shown(console, 3)
    assert "[1/3]" in text
    assert text.count("\n") <= 1
