# SPDX-License-Identifier: BSD-3-Clause
"""Headers and events are valid whatever the user says; lines of a growing file are seen once."""

import itertools
import json
import os
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from support import recorded
from transrank.lab.launch.launcher import Capacity
from transrank.lab.launch.launchers import Hydra
from transrank.lab.machine.facts import Facts, differences, read_facts
from transrank.lab.store import records
from transrank.lab.store.lines import line_from_json
from transrank.lab.store.records import PlannedLaunch, Shape
from transrank.lab.store.settings import Settings
from transrank.lab.survey.lines import event_line, header_line
from transrank.lab.survey.probe import Probe
from transrank.lab.survey.tail import Tail

FACTS: Facts = read_facts(os.environ, load_seconds=0)
PLAN = (PlannedLaunch(0, Shape(2, 1), ("pingpong/8B",), ("--study", "pingpong")),)
PROBED = Probe(recorded.MPI, recorded.PLACEMENT, recorded.CLOCK, 0.3)
# Command lines and variables may hold bytes that are no text: Python makes lone surrogates of them.
ANY_TEXT = st.text(st.characters() | st.characters(categories=["Cs"]), max_size=10)


def header(label: str | None, word: str, value: str) -> dict[str, object]:
    return header_line(
        "20261120-123456-ab12",
        label,
        ["transrank", "measure", word],
        Settings(),
        Hydra(Capacity(1, 2), "mpich", "mpiexec"),
        PLAN,
        PROBED,
        FACTS,
        {"OMP_NUM_THREADS": value, "HOME": "/home/me"},
    )


@given(label=st.none() | ANY_TEXT, word=ANY_TEXT, value=ANY_TEXT)
def test_any_label_argument_and_setting_can_be_stored(label, word, value):
    line = header(label, word, value)
    written = json.dumps(line, ensure_ascii=False, allow_nan=False).encode()
    line_from_json(json.loads(written))


@given(ANY_TEXT)
def test_any_message_of_an_event_can_be_stored(message):
    line = event_line("interrupted", message)
    line_from_json(json.loads(json.dumps(line, ensure_ascii=False).encode()))


def test_a_header_reads_back_as_what_was_planned(tmp_path):
    path = tmp_path / "20261120-123456-ab12.jsonl"
    records.append_line(path, header("night", "pingpong", "1"))
    found = records.read_run(path).header
    assert found.plan == PLAN
    assert found.label == "night"
    assert dict(found.environment) == {"OMP_NUM_THREADS": "1"}
    assert differences(found.machine, FACTS.as_json()) == []


@given(
    objects=st.lists(st.dictionaries(st.text(max_size=3), st.integers(), max_size=2), max_size=6),
    cuts=st.lists(st.integers(0, 400), max_size=6),
)
def test_whatever_the_pieces_every_line_is_seen_once(objects, cuts):
    data = "".join(json.dumps(one) + "\n" for one in objects).encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        path.write_text("before\n")
        tail = Tail(path)
        seen: list[dict[str, int]] = []
        places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
        for begin, end in itertools.pairwise(places):
            with path.open("ab") as file:
                file.write(data[begin:end])
            seen += tail.read()
    assert seen == objects


def test_damaged_lines_and_a_missing_file_are_no_lines(tmp_path):
    path = tmp_path / "run.jsonl"
    tail = Tail(path)
    assert tail.read() == []
    path.write_text('{"a": 1\n[1]\n{"b": 2}\n')
    assert tail.read() == [{"b": 2}]
