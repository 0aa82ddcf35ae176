# SPDX-License-Identifier: BSD-3-Clause
"""Output of ranks: glued lines, and files where a launcher writes files."""

import json

from hypothesis import given
from hypothesis import strategies as st

from transrank.lab.launch.outputs import files_of, json_objects, lines_of

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
