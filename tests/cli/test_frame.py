# SPDX-License-Identifier: BSD-3-Clause
"""The frame of the command line: help, exit statuses, words for what goes wrong."""

import io
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import transrank
from support import commands
from transrank.errors import LaunchError
from transrank.lab.cli import __main__ as frame
from transrank.lab.cli import output
from transrank.lab.launch import process
from transrank.lab.machine import facts
from transrank.lab.machine.files import Files
from transrank.lab.machine.load import Load, read_load
from transrank.lab.store.records import read_run
from transrank.lab.view.kinds import WORDS
from transrank.lab.view.table import Column, Table

STATUSES = {0, 1, 2, 3, 4}


@pytest.mark.parametrize("verb", ["", *frame.VERBS])
def test_help_fits_eighty_columns(verb, store, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    finished = store.run(*([verb] if verb else []), "--help").check()
    assert finished.stderr == ""
    too_long = [line for line in finished.stdout.splitlines() if len(line) > 80]
    assert too_long == []


def test_the_help_has_first_steps_and_the_exit_statuses(store):
    text = store.run("--help").check().stdout
    for verb in frame.VERBS:
        assert f"\n    {verb} " in text
    assert "first steps:\n  transrank doctor" in text
    for status in ("0 success", "1 a check failed", "2 wrong usage", "3 the MPI run failed"):
        assert status in text
    assert "4 results missing or unreadable" in text
    assert "130 interrupted" in text


def test_environment_variables_are_told_by_the_help_of_what_reads_them(store):
    text = store.run("measure --help").check().stdout
    assert "TRANSRANK_LAUNCHER" in text
    assert "TRANSRANK_STORE" in text
    assert "NO_COLOR" in text


def test_the_version_and_without_a_verb_the_help_are_shown(store):
    finished = store.run("--version").check()
    assert finished.stdout == f"transrank {transrank.__version__}\n"
    finished = store.run("")
    assert finished.status == 2
    assert finished.stdout.startswith("usage: transrank")


@pytest.mark.parametrize(
    ("arguments", "error", "hint"),
    [
        (["surve"], "unknown verb 'surve'", "did you mean 'survey'?"),
        (["zzz"], "unknown verb 'zzz'", "known: doctor, survey"),
        (["doctor", "--rank", "2"], "doctor: unknown option '--rank'", "did you mean '--ranks'?"),
        (["doctor", "now"], "doctor: unknown argument 'now'", "transrank doctor --help"),
        (["doctor", "--ranks", "two"], "'two' is not a count", "transrank doctor --help"),
        (["measure", "pingpon"], "unknown study 'pingpon'", "did you mean 'pingpong'?"),
        (["measure"], "no study is given", "transrank measure pingpong"),
        (["measure", "pingpong", "--sizes", "64K"], "64KiB", ""),
        (["measure", "pingpong", "--precision", "2"], "has no unit: write 2%", "--help"),
        (["measure", "pingpong", "--max-time", "5"], "has no unit", "--help"),
        (["measure", "pingpong", "--axis", "window"], "is not NAME=VALUES", ""),
        (["measure", "pingpong", "--axis", "zone=1"], "no axis 'zone' in pingpong", ""),
        (["measure", "bandwidth", "--windw", "8"], "unknown option '--windw'", "'--window'"),
        (["measure", "collectives", "--op", "bcast"], "unknown option '--op'", "'--operation'"),
        (["measure", "pingpong", "--launcher", "hydro"], "unknown launcher 'hydro'", ""),
        (["measure", "pingpong", "-n", "4..2"], "goes down", ""),
        (["measure", "pingpong", "--launches", "10001"], "launches are too many", "--help"),
        (
            ["measure", "pingpong", "--sizes", "8", "--memory", "0", "--dry-run"],
            "the limit is 0B",
            "--memory",
        ),
        (["survey", "--report", "x", "--no-report"], "exclude each other", ""),
        (["script", "slum"], "invalid choice: 'slum'", "transrank script --help"),
    ],
)
def test_wrong_usage_is_one_line_with_a_hint(arguments, error, hint, store):
    finished = store.run("", *arguments)
    assert finished.status == 2, finished.describe()
    lines = finished.stderr.splitlines()
    assert error in lines[0] or error in finished.stderr
    assert lines[0].startswith("error: ")
    assert hint in finished.stderr
    assert len(lines) <= 2
    assert finished.stdout == ""


def read_from(command: list[str], store: Path) -> subprocess.Popen[str]:
    """Start a command whose output and complaints the test reads as they come."""
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **commands.environment(store)},
    )


def test_output_that_nobody_reads_is_no_error(tmp_path):
    # More than a pipe holds: the writer must meet the closed end.
    command = [*commands.COMMAND, "measure", "pingpong", "--dry-run", "--launches", "500"]
    with read_from(command, tmp_path) as reading:
        reading.stdout.readline()
        reading.stdout.close()
        assert reading.stderr.read() == ""
    assert reading.returncode == 141
    read, write = os.pipe()
    os.close(read)
    finished = subprocess.run([*commands.COMMAND, "nosuch"], stderr=write, check=False)
    os.close(write)
    assert finished.returncode == 141


def test_a_run_whose_progress_nobody_reads_any_more_stops_and_keeps_its_cases(tmp_path):
    command = [*commands.COMMAND, "measure", "pingpong", "--max-time", "10ms", "--launches", "50"]
    with read_from(command, tmp_path) as reading:
        while " in launch " not in reading.stderr.readline():
            pass
        reading.stderr.close()
        assert reading.stdout.read() == ""
    assert reading.returncode == 141
    (record,) = tmp_path.glob("*.jsonl")
    run = read_run(record)
    assert len(run.cases) > 0
    assert run.events[-1].event == "interrupted"


def test_a_bug_is_one_line_and_verbose_shows_its_traceback(monkeypatch, capsys):
    def stumble(_: object) -> int:
        raise KeyError("boom")

    monkeypatch.setattr("transrank.lab.cli.doctor.run", stumble)
    assert frame.main(["doctor"]) == frame.INTERNAL_ERROR
    words = capsys.readouterr().err
    assert words.startswith("error: internal error: KeyError: 'boom' (transrank ")
    assert "please report it" in words
    assert "Traceback" not in words
    assert frame.main(["doctor", "--verbose"]) == frame.INTERNAL_ERROR
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_has_its_own_status(number, monkeypatch, capsys):
    def wait(_: object) -> int:
        signal.raise_signal(number)
        time.sleep(10)
        return 0

    before = signal.getsignal(number)
    monkeypatch.setattr("transrank.lab.cli.doctor.run", wait)
    assert frame.main(["doctor"]) == 130
    assert capsys.readouterr().err == "error: interrupted\n"
    assert signal.getsignal(number) == before


@pytest.mark.parametrize("terminal", ["dumb", "xterm-256color"])
def test_colour_appears_only_where_it_is_wanted(terminal, monkeypatch, capsys):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", terminal)
    for color, coloured in (("auto", False), ("always", True), ("never", False)):
        monkeypatch.setattr(output.settings, "color", color)
        output.error("wrong", "right")
        assert ("\x1b" in capsys.readouterr().err) == coloured


def test_warnings_are_said_once_and_silenced_by_qq(monkeypatch, capsys):
    monkeypatch.setattr(output, "settings", output.Settings())
    output.warning("4 ranks share 2 cores; waits dominate", "-n 2")
    output.warning("4 ranks share 2 cores; waits dominate", "-n 2")
    assert capsys.readouterr().err == (
        "warning: 4 ranks share 2 cores; waits dominate. hint: -n 2\n"
    )
    monkeypatch.setattr(output, "settings", output.Settings(quiet=2))
    output.warning("another")
    assert capsys.readouterr().err == ""


def test_a_handler_that_python_did_not_set_is_left_alone(tmp_path, monkeypatch, capsys):
    """A library that is loaded before Python may have set one: Python then knows none."""
    set_by_python = signal.signal
    known = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}

    def with_unknown(number: int, handler: Any) -> Any:
        previous = set_by_python(number, handler)
        return None if number in known else previous

    monkeypatch.setattr(signal, "signal", with_unknown)
    try:
        status = frame.main(["list", "runs", "--store", str(tmp_path)])
    finally:
        for number, handler in known.items():
            set_by_python(number, handler)
    assert (status, capsys.readouterr().err) == (0, f"no runs in {tmp_path}\n")


def test_tables_on_a_pipe_are_not_cut(capsys):
    row = ["x" * 300, "[bold]as it stands[/]"]
    table = Table("", [Column("long", WORDS), Column("short")], [row])
    output.print_or_write(lambda console: output.print_table(console, table), None)
    text = capsys.readouterr().out
    assert row[0] in text
    assert row[1] in text


def test_a_result_that_cannot_be_written_is_status_4(store):
    store.run(f"script slurm -o {store.path / 'no' / 'such' / 'file'}").fails(4, "cannot write")


PARSER = frame.build_parser()
OPTIONS = sorted({option for verb in frame.VERBS for option in frame.options_of(PARSER, verb)})
OPTIONS += ["--", "--operation", "--window"]
VALUES = [
    "1", "2", "0", "-1", "2,4", "1..8", "8..1", "2%", "200%", "0%", "1s", "0s", "1e999s", "nan%",
    "warm", "cold", "clock", "64KiB", "64K", "0..4MiB", "json", "table", "latest", "latest~9",
    "pingpong", "launch", "exchange", "slurm", "pjm", "4x6x16:torus", "runs", "studies", "auto",
    "mpirun -n {ranks}", "{ranks}", "x=y", "window=64", "no/such/file", "", "\udcff", "µ",
]  # fmt: skip


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.sampled_from(list(frame.VERBS)) | st.sampled_from(OPTIONS) | st.sampled_from(VALUES)
        | st.text(max_size=8).filter(lambda text: "\0" not in text),
        max_size=8,
    )
)  # fmt: skip
@example(["carry", "sh"])
def test_any_command_line_ends_in_a_documented_status(monkeypatch, tmp_path, words):
    """No launch takes place; all else is real."""

    def no_launch(*_: object, **__: object) -> NoReturn:
        raise LaunchError("no launch in this test")

    def quick_look(files: Files, _: float) -> Load:
        return read_load(files, 0.0)

    with monkeypatch.context() as patch:
        patch.setattr(output, "settings", output.Settings())  # -q holds for the whole process
        patch.setattr(process, "run", no_launch)
        patch.setattr("os.execvpe", no_launch)  # of carry, which becomes the program
        patch.setattr(facts, "read_load", quick_look)
        patch.setenv("TRANSRANK_STORE", str(tmp_path / "store"))
        patch.delenv("TRANSRANK_LAUNCHER", raising=False)
        patch.chdir(tmp_path)
        words_out, errors = io.StringIO(), io.StringIO()
        patch.setattr("sys.stdout", words_out)
        patch.setattr("sys.stderr", errors)
        status = frame.main(words)
    assert status in STATUSES, (words, status, errors.getvalue())
    assert "Traceback" not in errors.getvalue()
    if status > 1:
        assert "error: " in errors.getvalue() or words_out.getvalue().startswith("usage: ")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["-q", "show"], "transrank show -q"),
        (["-qq", "measure", "pingpong"], "transrank measure -qq pingpong"),
        (["-v", "--color", "never", "show", "latest"], "transrank show -v --color never latest"),
        (["-q"], "transrank VERB -q"),
    ],
    ids=["show", "measure", "two options", "no verb"],
)
def test_options_before_the_verb_are_told_their_place(words, hint):
    status, said = commands.run_quietly(words)
    assert status == 2
    assert said.splitlines() == [
        f"error: the option '{words[0]}' comes before the verb",
        f"hint: options follow it: {hint}",
    ]


@pytest.mark.parametrize(("quiet", "place"), [("-q", 1), ("-qq", 2), ("-qqq", 4)])
def test_every_verb_takes_quiet_twice_wherever_it_stands(quiet, place):
    words = ["measure", "pingpong", "--sizes", "8", "--dry-run", "-n", "2"]
    status, said = commands.run_quietly([*words[:place], quiet, *words[place:]])
    assert (status, said) == (0, "")
