# SPDX-License-Identifier: BSD-3-Clause
"""Words from elsewhere, in a record, a file name, a launch's output, stay words when printed."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from support import commands, recorded
from support.commands import Store, pingpong
from transrank.lab.cli import output
from transrank.lab.view.csv_text import as_csv
from transrank.lab.view.table import Column, Table

# Set the title, clear the screen, C1's CSI, back over what was printed, write from right to left.
HOSTILE = "\x1b]0;title\x07\x1b[2J\x9b31m\x7f\x08\r\u202eend\u2066"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = Store(tmp_path)
    mpi = {**recorded.MPI, "library": f"MPI {HOSTILE}"}
    lines = [
        *pingpong(1024, 2.0),
        *pingpong(1024, 2.0, case=f"ping{HOSTILE}/{HOSTILE}", study=f"ping{HOSTILE}", axes={}),
        recorded.skipped(4096, reason=f"needs {HOSTILE}"),
        recorded.skipped(8192, status="failed", reason=f"lost {HOSTILE}"),
    ]
    for number in (20, 21):
        found.keep(f"202611{number}-000000-aaaa", *lines, label=f"night {HOSTILE}", mpi=mpi)
    return found


@pytest.mark.parametrize(
    "words",
    [
        ["show"], ["show", "-vv"], ["compare", "latest~1", "latest"],
        ["compare", "latest", "triton"], ["list"], ["show", f"nosuch {HOSTILE}"],
        ["show", "--case", HOSTILE], ["show", f"./{HOSTILE}.jsonl"], ["import", f"./{HOSTILE}"],
        ["show", "-o", f"./{HOSTILE}/there"], [HOSTILE],
    ],
)  # fmt: skip
def test_no_verb_sends_control_characters_of_a_record_or_a_name(words, store):
    answer = store.run("", *words)
    for said in (answer.stdout, answer.stderr):
        assert STEERING.findall(said) == []
    assert "title" in answer.stdout + answer.stderr


def test_what_would_have_steered_the_terminal_is_seen_and_colors_are_kept(store, monkeypatch):
    assert "night ␛]0;title␇␛[2J�31m␡␈" in store.run("list").stdout
    heading = store.run("show").stdout.splitlines()[0]
    assert "night ␛]0;title␇␛[2J�31m␡␈" in heading
    monkeypatch.setattr(output.settings, "color", "always")
    console = output.data()
    with console.capture() as captured:
        output.print_table(console, Table("", [Column("heading")], [[HOSTILE]]))
    assert "\x1b[1m" in captured.get()
    assert "\x1b[2J" not in captured.get()


def test_a_bug_shows_its_traceback_without_control_characters(store, monkeypatch):
    def fail(*_: object) -> None:
        raise AssertionError(HOSTILE)

    monkeypatch.setattr("transrank.lab.cli.show.summarise", fail)
    answer = store.run("show --verbose").fails(70, "Traceback")
    assert STEERING.findall(answer.stderr) == []


def test_json_shows_control_characters_on_a_terminal_and_holds_them_in_a_file(store):
    words = ["show", "--format", "json"]
    shown = commands.on_terminal(80, *words, store=store.path)
    assert "title" in shown
    assert STEERING.findall(shown.replace("\r\n", "\n")) == []
    assert json.loads(store.run("", *words).stdout)["label"] == f"night {HOSTILE}"


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize(
    "words", ["=HYPERLINK(1)", "+1+cmd", "-2+3+cmd", "@SUM(1)", "\t=1", "\r=1", "＝1+1"]
)
def test_no_cell_of_csv_begins_a_formula(words):
    (row,) = _rows(as_csv([{"label": words, words: "heading"}]))
    shown = output.visible(words)
    assert row == {"label": f"'{shown}", f"'{shown}": "heading"}


def test_words_do_not_end_a_row_of_csv_and_numbers_stay(store):
    rows = _rows(store.run("export latest").stdout)
    assert len(rows) == 4
    assert f"needs {output.visible(HOSTILE)}" in [row["reason"] for row in rows]
    rows = [{"a": -1.5, "b": "-1.5e-6", "c": None, "d": "it's = 1", "e": 3, "f": "-inf"}]
    (row,) = _rows(as_csv(rows))
    assert list(row.values()) == ["-1.5", "-1.5e-6", "", "it's = 1", "3", "-inf"]
