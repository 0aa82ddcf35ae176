# SPDX-License-Identifier: BSD-3-Clause
import os
from datetime import datetime, timezone
from pathlib import Path

import pytest

from support import recorded
from transrank.errors import RecordError
from transrank.lab.store import records, runs


def keep(store: Path, run: str, **changes: object) -> None:
    day = run[:8]
    created = f"{day[:4]}-{day[4:6]}-{day[6:]}T00:00:00Z"
    recorded.write(store / f"{run}.jsonl", [recorded.header(run=run, created=created, **changes)])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    keep(tmp_path, "20261101-000000-aaaa", label="night")
    keep(tmp_path, "20261102-000000-bbbb")
    keep(tmp_path, "20261103-000000-cccc", label="night")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("latest", "20261103-000000-cccc"),
        ("latest~2", "20261101-000000-aaaa"),
        ("20261102-000000-bbbb", "20261102-000000-bbbb"),
        ("20261102", "20261102-000000-bbbb"),
        ("night", "20261103-000000-cccc"),
    ],
)
def test_a_run_is_found_by_what_a_user_calls_it(store, text, run):
    assert runs.find_run(text, store) == store / f"{run}.jsonl"


def test_a_file_is_found_by_its_path(store, tmp_path):
    path = recorded.write(tmp_path / "elsewhere.jsonl", [recorded.header()])
    assert runs.find_run(str(path), store) == path


@pytest.mark.parametrize(
    ("text", "says", "hint"),
    [
        ("latest~3", "latest~3 does not exist: 3 runs are stored", "the oldest is latest~2"),
        ("2026", "'2026' is ambiguous: 3 runs begin with it: ", "give more of the name"),
        ("noon", "no run is called 'noon'", "20261101-000000-aaaa (night)"),
        ("noon", "no run is called 'noon'", "--label NAME gives a run a name"),
        ("nights", "no run is called 'nights'", "did you mean 'night'? stored in"),
        ("x" * 5000, "no run is called", "stored in"),
        ("a\0b", "no run is called", "stored in"),
        ("", "no run is called ''", "stored in"),
    ],
)
def test_what_is_not_found_is_told_with_what_would_be(store, text, says, hint):
    with pytest.raises(RecordError) as refused:
        runs.find_run(text, store)
    assert says in refused.value.message
    assert hint in refused.value.hint


def test_the_list_is_sorted_by_time_and_leaves_broken_files_out(store):
    (store / "broken.jsonl").write_bytes(b"\xff\xfe")
    (store / "empty.jsonl").write_bytes(b"")
    (store / "odd.jsonl").write_text('{"kind": "header", "imported": 5, "mpi": [1]}\n', "utf-8")
    keep(store, "20261001-000000-dddd")
    assert [run.run[-4:] for run in runs.list_runs(store)] == ["dddd", "aaaa", "bbbb", "cccc"]
    assert runs.list_runs(store)[1].label == "night"
    assert runs.list_runs(store)[1].source == "MPICH Version: 5.0.2"


@pytest.fixture
def odd(store: Path) -> dict[str, Path]:
    """What may have the name of a record and is none."""
    found = {kind: store / f"{kind}.jsonl" for kind in ("pipe", "device", "folder")}
    os.mkfifo(found["pipe"])
    found["device"].symlink_to("/dev/zero")
    found["folder"].mkdir()
    return found


@pytest.mark.parametrize(
    ("kind", "says"), [("pipe", "regular"), ("device", "regular"), ("folder", "directory")]
)
def test_what_is_no_file_is_refused_and_not_waited_for(odd, kind, says, store):
    assert [run.run[-4:] for run in runs.list_runs(store)] == ["aaaa", "bbbb", "cccc"]
    path = runs.find_run(str(odd[kind]), store)
    for read in (records.read_run, records.repair):
        with pytest.raises(RecordError, match=f"cannot be read: .*{says}"):
            read(path)


def test_who_has_no_home_directory_is_told_to_name_a_store(monkeypatch, tmp_path):
    def homeless(_: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("TRANSRANK_STORE", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "expanduser", homeless)
    with pytest.raises(RecordError, match="no such home directory") as refused:
        runs.store_directory()
    assert "--store" in str(refused.value.hint)
    assert runs.name_of(tmp_path / "run.jsonl") == str(tmp_path / "run.jsonl")


def test_an_imported_run_names_its_suite_and_an_empty_store_tells_how_to_fill_it(tmp_path):
    recorded.write(tmp_path / "x.jsonl", [recorded.imported_header()])
    assert runs.list_runs(tmp_path)[0].source == "OSU 7.4"
    with pytest.raises(RecordError, match="no run is stored in") as refused:
        runs.find_run("latest", tmp_path / "none")
    assert "transrank survey" in str(refused.value.hint)


def test_ids_tell_the_time_and_do_not_collide():
    moment = datetime(2026, 11, 20, 12, 34, 56, tzinfo=timezone.utc)
    ids = {runs.new_run_id(moment) for _ in range(20)}
    assert len(ids) > 15
    assert all(name.startswith("20261120-123456-") and len(name) == 20 for name in ids)


@pytest.mark.parametrize(
    ("environment", "directory"),
    [
        ({"TRANSRANK_STORE": "/data/runs", "XDG_DATA_HOME": "/xdg"}, "/data/runs"),
        ({"XDG_DATA_HOME": "/xdg"}, "/xdg/transrank"),
        ({"XDG_DATA_HOME": "relative", "HOME": "/home/user"}, "/home/user/.local/share/transrank"),
        ({"HOME": "/home/user"}, "/home/user/.local/share/transrank"),
    ],
)
def test_the_store_is_where_the_environment_says(monkeypatch, environment, directory):
    for name in ("TRANSRANK_STORE", "XDG_DATA_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert runs.store_directory() == Path(directory)
