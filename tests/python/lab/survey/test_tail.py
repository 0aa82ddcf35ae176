# SPDX-License-Identifier: BSD-3-Clause
"""Lines of a growing file are seen once, and only when they are whole."""

from __future__ import annotations

import itertools
import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from transrank.lab.survey.tail import Tail


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
