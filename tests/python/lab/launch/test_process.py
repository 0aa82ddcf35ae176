# SPDX-License-Identifier: BSD-3-Clause
"""Launches end: by themselves, in time, or killed, and leave no process behind; their output."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transrank.errors import LaunchError
from transrank.lab.launch import process
from transrank.lab.launch.outputs import files_of, json_objects, lines_of

SHELL = ["/bin/sh", "-c"]


def run(script: str, **options: object) -> process.Outcome:
    settings: dict[str, object] = {"environment": os.environ, "timeout_seconds": 60}
    return process.run([*SHELL, script], **(settings | options))


def marked_processes() -> list[int]:
    """Every process on this host that carries the mark of any launch of this test process."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if (
                entry.name.isdecimal()
                and f"{process.MARK}={os.getpid()}-".encode() in (entry / "environ").read_bytes()
            ):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def test_a_talkative_launch_is_not_looked_at_more_often():
    ticks: list[float] = []
    outcome = run(
        "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do echo $i; sleep 0.1; done",
        tick=lambda: ticks.append(time.monotonic()),
    )
    assert len(outcome.tail) == 15
    assert 1 <= len(ticks) <= outcome.seconds / process.TICK_SECONDS + 1


def test_a_launch_that_has_said_its_last_word_is_ended_soon(monkeypatch):
    monkeypatch.setattr(process, "DYING_SECONDS", 0.3)
    for ending in ("exec sleep 50", "exec >&- 2>&-; exec sleep 50"):
        outcome = run(f"echo lost >&2; {ending}", is_last_word=lambda line: line == "lost")
        assert outcome.seconds < 20
        assert not outcome.ok
        assert not outcome.timed_out
    outcome = run("echo lost >&2; exit 4", is_last_word=lambda line: line == "lost")
    assert (outcome.status, outcome.timed_out) == (4, False)


def test_lines_are_offered_and_what_is_not_taken_is_kept(tmp_path):
    taken: list[str] = []

    def take(line: str) -> bool:
        if line.startswith("progress"):
            taken.append(line)
        return bool(taken) and line == taken[-1]

    log = tmp_path / "logs" / "launch.log"
    outcome = run(
        "echo progress 1; echo lost words; echo oh dear >&2; printf 'progress end'",
        take_line=take,
        log=log,
    )
    assert outcome.ok
    assert taken == ["progress 1", "progress end"]
    assert sorted(outcome.tail) == ["lost words", "oh dear"]
    assert sorted(log.read_text().splitlines()) == ["lost words", "oh dear"]
    assert outcome.log == log


def test_a_log_is_written_only_where_there_is_something_to_say_and_a_place(tmp_path):
    outcome = run("exit 0", log=tmp_path / "launch.log")
    assert outcome.log is None
    assert list(tmp_path.iterdir()) == []
    outcome = run("echo oh dear >&2; exit 3", log=Path("/dev/full"))
    assert outcome.status == 3
    assert outcome.tail == ("oh dear",)
    victim, log = tmp_path / "victim", tmp_path / "launch.log"
    victim.write_text("precious")
    log.symlink_to(victim)
    outcome = run("echo oh dear >&2", log=log)
    assert (outcome.log, outcome.tail) == (None, ("oh dear",))
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("script", ["exec sleep 600", "trap '' TERM; sleep 600 & sleep 600"])
def test_a_launch_is_ended_when_its_time_is_over(script, monkeypatch):
    monkeypatch.setattr(process, "GRACE_SECONDS", 0.3)
    outcome = run(script, timeout_seconds=0.5)
    assert outcome.timed_out
    assert not outcome.ok
    assert marked_processes() == []


def test_a_descendant_that_left_the_group_and_holds_the_pipe_is_ended_too():
    started = time.monotonic()
    outcome = run("setsid sleep 600 & echo away")
    assert outcome.ok
    assert time.monotonic() - started < 30
    assert marked_processes() == []


def test_a_launcher_that_was_killed_or_is_not_there_is_told():
    assert run("kill -9 $$").status == -signal.SIGKILL
    with pytest.raises(LaunchError, match="cannot start /no/such/mpiexec: No such file"):
        process.run(["/no/such/mpiexec"], environment={}, timeout_seconds=5)


def test_megabytes_of_output_do_not_block_the_launch():
    count = 0

    def take(line: str) -> bool:
        nonlocal count
        count += len(line)
        return True

    script = "head -c 20000000 /dev/zero | tr '\\0' 'x' | fold -w 1000"
    assert run(script, take_line=take).ok
    assert count == 20_000_000


def test_an_interrupt_while_the_launcher_starts_leaves_no_process(monkeypatch):
    lost: list[subprocess.Popen[bytes]] = []
    real = process._start

    def interrupted(command: list[str], environment: dict[str, str]) -> None:
        lost.append(real(command, environment))
        program = Path(f"/proc/{lost[0].pid}/comm")
        while program.read_text() != "sleep\n":  # amid the shell's exec it has no environment
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(process, "_start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run("exec sleep 600")
    assert marked_processes() == []
    (launcher,) = lost
    launcher.communicate(timeout=10)
    assert launcher.returncode == -signal.SIGTERM


OBJECTS = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=3)


@given(st.lists(st.tuples(OBJECTS, st.sampled_from(["", " ", "rank 3: ", "}"])), max_size=5))
def test_every_object_in_a_line_is_found_whatever_stands_between(parts):
    line = "".join(between + json.dumps(value) for value, between in parts)
    assert json_objects(line) == [value for value, _ in parts]


@given(st.text())
def test_any_text_gives_objects_or_nothing(text):
    assert all(isinstance(value, dict) for value in json_objects(text))


def test_files_in_folders_below_a_prefix_are_read(tmp_path):
    (tmp_path / "job.output.77" / "0").mkdir(parents=True)
    (tmp_path / "job.output.77" / "0" / "stdout.1.0").write_text("first\n")
    (tmp_path / "job.output.77" / "0" / "stdout.1.1").write_text("second\n")
    (tmp_path / "job.2.0").write_text("third")
    (tmp_path / "other").write_text("no")
    assert len(files_of(tmp_path / "job")) == 3
    assert sorted(lines_of(tmp_path / "job")) == ["first", "second", "third"]
