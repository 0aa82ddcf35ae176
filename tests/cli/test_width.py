# SPDX-License-Identifier: BSD-3-Clause
"""Everything that is printed for people fits the terminal: 80 columns, or as many as it has."""

import re
from pathlib import Path

import pytest

from support import commands
from support.bounded import Finished
from support.commands import Store
from transrank.lab.cli import output, tune
from transrank.lab.reference.tables import machines
from transrank.lab.stats.estimate import Estimate
from transrank.lab.tune.tuning import Proof
from transrank.lab.view.kinds import SECONDS, WORDS
from transrank.lab.view.table import Column, Table

NARROW = {"COLUMNS": "80"}
# One small run of every study that anything was published for, and of one with long names.
STUDIES = (
    *("pingpong", "pingping", "sendrecv", "exchange", "collectives", "send-modes", "ghost"),
    *("locality", "plan-scaling", "redistribute", "launch"),
)
SMALL = (
    *("-n", "2", "--launches", "1", "--count", "1", "--sizes", "8,100000", "--order", "64"),
    *("--operation", "alltoall,barrier", "--vdim", "6", "--plan_ranks", "32", "--kernel", "triad"),
    *("--grid", "16x32x4", "--way", "auto,mpi-alltoallw,async-per-run-together"),
    *("--mode", "unmodified", "--blocks", "regular", "--routine", "send,bsend"),
    *("--transport", "auto,mpi-packed-neighborhood", "--form", "blocking"),
)
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def measured(folder: Path) -> Finished:
    """The small run, with the progress that it showed; the store then has a copy of it, too."""
    finished = commands.transrank(
        *("measure", *STUDIES, *SMALL, "--label", "one"), store=folder, env=NARROW
    ).check()
    (record,) = folder.glob("*.jsonl")
    text = record.read_text()
    text = text.replace(f'"run": "{record.stem}"', '"run": "20990101-000000-bbbb"', 1)
    (folder / "20990101-000000-bbbb.jsonl").write_text(text.replace('"one"', '"two"', 1))
    return finished


@pytest.fixture
def store(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("COLUMNS", "80")
    return Store(folder)


def too_long(text: str, most: int = 80) -> list[str]:
    """The lines that are wider than they need: a path or a name alone may be."""
    return [line for line in text.splitlines() if len(line) > most and len(line.split()) > 1]


def test_the_progress_of_a_run_and_what_it_shows_fit_80_columns(measured):
    assert measured.stderr.count(" in launch 3") > 2
    assert "…" in measured.stderr
    assert too_long(measured.stdout + measured.stderr) == []


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(
    "arguments",
    [
        *("show one", "show one -v", "show nosuch", "tune", "list", "list studies"),
        "show one --case nosuch/of/these/there/are/none/at/all/in/this/run",
        *("compare one two", "compare one two -v --fail-on unclear", "list machines"),
        "plan redistribute --grid 512x1024x16 --from 8x16 --to 16x8 --fields 8",
        *("doctor -n 2 -v", "doctor -n 100000", "measure --resume one"),
        "measure pingpong --nosuch-option-that-is-long-enough-to-need-a-line-of-its-own 17",
        "export one -o /dev/null",
    ],
)
def test_a_verb_fits_80_columns(arguments, store):
    answer = store.run(arguments)
    assert answer.stdout + answer.stderr
    assert too_long(answer.stdout + answer.stderr) == []


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize("machine", [machine.name for machine in machines()])
def test_one_run_is_laid_beside_every_machine(machine, store):
    answer = store.run(f"compare one {machine}")
    assert answer.status == 0, answer.stderr
    assert too_long(answer.stdout + answer.stderr) == []
    said = ("ratio", "comparable would be", "were only plotted, so there is no number")
    assert any(words in " ".join(answer.stdout.split()) for words in said)
    assert too_long(store.run(f"show {machine}").stdout) == []


def shown_on(columns: int, *arguments: str, store: Path) -> str:
    return CONTROL.sub("", commands.on_terminal(columns, *arguments, store=store))


@pytest.mark.usefixtures("measured")
def test_a_terminal_is_filled_to_its_width(folder):
    pictures = {
        columns: shown_on(columns, "show", "one", "--case", "ghost/*", store=folder)
        for columns in (60, 120)
    }
    assert too_long(pictures[120], 120) == []
    assert len(pictures[120].splitlines()) < len(pictures[60].splitlines())
    assert "IMB mean" in pictures[120]
    # The names of the ways are long: the least of the columns makes room for them.
    assert "IMB mean" not in pictures[60]
    assert "mpi-packed-neighborhood" in pictures[60]


def test_a_run_in_progress_fits_the_terminal(folder):
    measure = ("measure", "pingpong", "-n", "2", "--launches", "2", "--count", "1", "--sizes", "8")
    text = shown_on(80, *measure, "-o", str(folder / "shown.log"), store=folder)
    assert "launch 2 of 2 at 2 ranks" in text
    assert too_long(text.replace("\r", "\n")) == []


def test_a_number_stays_with_its_unit_and_a_path_whole(monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr(output, "settings", output.Settings())  # another test may have been quiet
    path = "/a" * 60
    output.note(f"{'x' * 72} 12.5 ms and {path} and then")
    assert capsys.readouterr().err.splitlines() == [
        "x" * 72,
        "  12.5 ms and",
        f"  {path}",
        "  and then",
    ]


def test_a_long_cell_takes_several_lines_and_a_number_none(monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS")
    columns = [Column("verdict", WORDS), Column("finding", WORDS), Column("time", SECONDS)]
    table = Table("", columns, [["ok", "word " * 30, 1.23e-6], ["note", "brief", 45.6e-6]])
    output.print_or_write(lambda console: output.print_table(console, table), None)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert max(map(len, lines)) <= 80
    assert lines[1].split()[-3:] == ["word", "1.23", "µs"]
    assert lines[2].split() == ["word"] * len(lines[2].split())
    assert lines[-1].split() == ["note", "brief", "45.6", "µs"]


def test_what_tune_proves_fits_80_columns(monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS")
    ratio = Estimate(0.67, 0.61, 0.72)
    named = ("recursive_doubling", "messages of a rank: at most 123456, now 12")
    tune._print([Proof("allgather", 1 << 20, 1.23e-3, 4.56e-4, ratio, *named)])
    heading, _, row, *shown = capsys.readouterr().out.splitlines()
    assert heading == "allgather"
    assert row.split()[2] == "recursive_doubling"
    assert max(map(len, [row, *shown])) <= 80
    assert "shown by messages of a rank: at most 123456, now 12" in " ".join(
        " ".join(shown).split()
    )
