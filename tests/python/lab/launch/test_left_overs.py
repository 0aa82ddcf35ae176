# SPDX-License-Identifier: BSD-3-Clause
"""What killed ranks leave in shared memory: told from what is in use, removed by its launch."""

import contextlib
import mmap
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from transrank.lab.launch import left_overs, process

# Makes a segment, maps it, says so, and waits to be killed.
RANK = """
import mmap, os, sys, time
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
os.ftruncate(file, 4096)
kept = mmap.mmap(file, 4096)
print("mapped", flush=True)
time.sleep(600)
"""
OLD = time.time() - 3600


@pytest.fixture
def segment() -> Iterator[Path]:
    """The path of a segment that nobody has made yet."""
    path = left_overs.FOLDER / f"mpich_shm_test{secrets.token_hex(4)}_0"
    yield path
    path.unlink(missing_ok=True)


def rank(path: Path) -> list[str]:
    return [sys.executable, "-c", RANK, str(path)]


@contextlib.contextmanager
def mapping(path: Path) -> Iterator[None]:
    """Map a segment as a rank of another job does."""
    with path.open("w+b") as file:
        file.truncate(4096)
        with mmap.mmap(file.fileno(), 4096):
            os.utime(path, (OLD, OLD))
            yield


def test_a_segment_is_left_behind_when_its_last_process_has_gone(segment):
    with subprocess.Popen(rank(segment), stdout=subprocess.PIPE) as running:
        running.stdout.readline()
        os.utime(segment, (OLD, OLD))
        assert segment not in [one.path for one in left_overs.left_behind().unused]
        running.kill()
    (found,) = [one for one in left_overs.left_behind().unused if one.path == segment]
    assert (found.bytes, found.owner) == (4096, os.geteuid())
    assert abs(found.age_seconds - (time.time() - OLD)) < 60


def test_a_new_segment_may_be_one_that_a_rank_is_about_to_map(segment):
    segment.write_bytes(b"x")
    assert segment not in [one.path for one in left_overs.left_behind().unused]
    os.utime(segment, (OLD, OLD))
    assert segment in [one.path for one in left_overs.left_behind().unused]


def test_other_files_and_links_are_not_looked_at(tmp_path):
    (tmp_path / "precious").write_bytes(b"x")
    (tmp_path / "mpich_shm_folder").mkdir()
    (tmp_path / "mpich_shm_link").symlink_to(tmp_path / "precious")
    assert left_overs.segments(tmp_path) == []
    assert left_overs.segments(tmp_path / "none") == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to somebody else")
def test_what_is_another_users_is_not_said_to_be_left_behind(segment, monkeypatch):
    segment.write_bytes(b"x")
    os.chown(segment, 12345, 12345)
    os.utime(segment, (OLD, OLD))
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    found = left_overs.left_behind()
    assert segment in [one.path for one in found.unknown]
    assert segment not in [one.path for one in found.unused]


@pytest.mark.parametrize("ticks", [0.05, 60])
def test_a_launch_that_is_ended_leaves_no_segment_and_touches_no_others(
    segment, ticks, monkeypatch
):
    monkeypatch.setattr(process, "TICK_SECONDS", ticks)
    before, during = segment.with_name(f"{segment.name}1"), segment.with_name(f"{segment.name}2")
    loose = segment.with_name(f"{segment.name}3")
    before.write_bytes(b"x")
    with contextlib.ExitStack() as others:
        for path in (before, during, loose):
            others.callback(path.unlink, missing_ok=True)

        def take(line: str) -> bool:
            """While the launch runs, another job begins, and a third one is killed."""
            others.enter_context(mapping(during))
            loose.write_bytes(b"x")
            return line == "mapped"

        outcome = process.run(
            rank(segment), environment=os.environ, timeout_seconds=1.5, take_line=take
        )
        assert outcome.timed_out
        assert not segment.exists()
        assert all(path.exists() for path in (before, during, loose))


def test_what_is_left_of_a_launch_whose_ranks_were_killed_is_removed_too(segment, monkeypatch):
    monkeypatch.setattr(process, "TICK_SECONDS", 0.05)
    waits_and_kills = f"{sys.executable} -c '{RANK}' {segment} & sleep 1; kill -9 $!; exit 9"
    outcome = process.run(
        ["/bin/sh", "-c", waits_and_kills], environment=os.environ, timeout_seconds=60
    )
    assert outcome.status == 9
    assert not segment.exists()


def test_a_segment_that_another_process_still_maps_is_not_removed(segment):
    mine = [os.getpid()]
    watch = left_overs.Watch(lambda: mine)
    with mapping(segment):
        watch.look()
        watch.remove()
        assert segment.exists()
    watch.remove()
    assert not segment.exists()


def test_a_new_segment_of_the_same_name_is_not_removed(segment):
    watch = left_overs.Watch(lambda: [os.getpid()])
    with mapping(segment):
        watch.look()
        segment.rename(segment.with_name(f"{segment.name}_old"))
        segment.write_bytes(b"of another job")
    try:
        watch.remove()
        assert segment.exists()
    finally:
        segment.with_name(f"{segment.name}_old").unlink()
