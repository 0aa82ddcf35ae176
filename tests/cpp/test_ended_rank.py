# SPDX-License-Identifier: BSD-3-Clause
"""What the others are told when a rank is killed or finalizes MPI, and that nothing is left."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Mpiexec
from support.built import cpp_test
from transrank import installation

WAYS = ["shared-direct", "kernel-copy", "shared-staged", "message"]
# By default a launcher ends the whole job when a rank dies.
KEEP_GOING = {"mpich": ["-disable-auto-cleanup"], "openmpi": ["--continuous"]}
# Even so Hydra 5.0 kills the other ranks, most of the time, when it sees one die.
SEES_NO_DEATH = ("mpich",)
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - looked at, not written to
# What an MPI library itself leaves of a rank that was killed, whatever that ran.
OF_MPI = ("mpich_shm_", "sm_segment.", "vader_segment.")


def processes_with(token: str) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
        except OSError:  # it has ended meanwhile
            continue
        if token.encode() in words:
            found.append(int(folder.name))
    return found


def is_mapped(path: Path) -> bool:
    """Whether some process has the file mapped: then it belongs to a program that still runs."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if str(path) in (folder / "maps").read_text():
                return True
        except OSError:
            continue
    return False


@pytest.fixture(autouse=True)
def _nothing_is_left_behind(tmp_path: Path) -> Iterator[None]:
    before = set(SHARED_MEMORY.iterdir())
    yield
    left: list[int | Path] = []
    for _ in range(50):
        files = (path for path in SHARED_MEMORY.iterdir() if path not in before)
        left = [
            *processes_with(str(tmp_path)),
            *(path for path in files if not path.name.startswith(OF_MPI) and not is_mapped(path)),
        ]
        if not left:
            break
        time.sleep(0.1)
    assert not left


def run_to_the_end(
    launcher: list[str | Path], folder: Path, hidden_ranks: int, *arguments: str
) -> int:
    """Run the program under `launcher`; return the exit status.

    Nothing is killed that outlives the launcher: the tests look for that. `folder` tells the
    processes of this test from all others. Of 0 hidden ranks the launcher sees that one dies.
    """
    program = cpp_test("exchange/killed_rank_program")
    command = [*map(str, launcher), str(program), *arguments, str(folder), str(hidden_ranks)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            return process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            for left in processes_with(str(folder)):
                os.kill(left, signal.SIGKILL)
            raise


@pytest.fixture(scope="module")
def survivable(mpiexec: Mpiexec) -> list[str | Path]:
    """Return a launcher that lets ranks outlive each other."""
    kind = installation.build().mpi
    if kind not in KEEP_GOING:
        pytest.skip(f"no way is known to let ranks of {kind} outlive one that was killed")
    return [mpiexec.path, *KEEP_GOING[kind]]


def last_words(
    launcher: list[str | Path], folder: Path, ranks: int, scenario: str, way: str, call: str
) -> dict[int, str]:
    """Return what each rank said in the end."""
    hidden = ranks if installation.build().mpi in SEES_NO_DEATH else 0
    run_to_the_end([*launcher, "-n", str(ranks)], folder, hidden, scenario, way, call)
    return {int(path.name): path.read_text() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("way", "call"),
    [*((way, "wait") for way in WAYS), ("shared-direct", "test"), ("message", "test")],
)
def test_every_other_rank_is_told_who_was_killed(survivable, tmp_path, way, call):
    words = last_words(survivable, tmp_path, 4, "killed", way, call)
    assert words == dict.fromkeys([0, 2, 3], "rank 1 has ended before this exchange was over")


@pytest.mark.parametrize(
    ("scenario", "way", "call"),
    [
        ("alltoall", "pairwise", "wait"), ("alltoall", "bruck", "test"),
        ("alltoall", "on-node-direct", "wait"), ("alltoall", "mpi", "wait"),
        ("alltoall", "mpi", "test"), ("redistribution", "auto", "wait"),
        ("redistribution", "message", "wait"), ("redistribution", "message", "test"),
    ],
)  # fmt: skip
def test_every_other_rank_is_told_who_was_killed_amid(survivable, tmp_path, scenario, way, call):
    words = last_words(survivable, tmp_path, 4, scenario, way, call)
    # Who was told ends, too, and one that looks later may see that first.
    assert words.keys() == {0, 2, 3}
    for rank, told in words.items():
        others = {0, 1, 2, 3} - {rank}
        assert told in {f"rank {it} has ended before this exchange was over" for it in others}
    assert "rank 1 has ended before this exchange was over" in words.values()


@pytest.mark.parametrize("way", ["agree", "deliver", "swap", "gather", "broadcast", "receive"])
def test_a_rank_that_is_killed_within_a_creation_call_is_named(survivable, tmp_path, way):
    words = last_words(survivable, tmp_path, 3, "creation", way, "")
    assert words.keys() == {0, 2}
    assert all("will not come to the collective call" in told for told in words.values())
    assert all(told.startswith("rank ") for told in words.values())
    assert any(told.startswith("rank 1 ") for told in words.values())


@pytest.mark.parametrize("way", ["shared-direct", "message"])
def test_a_killed_rank_is_noticed_beside_one_that_is_stuck(survivable, tmp_path, way):
    words = last_words(survivable, tmp_path, 4, "stuck", way, "wait")
    assert words[0] == "rank 3 has ended before this exchange was over"


@pytest.mark.parametrize("way", ["shared-staged", "message"])
def test_a_rank_that_has_done_its_part_may_end(survivable, tmp_path, way):
    words = last_words(survivable, tmp_path, 3, "early", way, "wait")
    assert words == {0: "sum 103", 1: "sum 100"}


def test_nothing_is_left_behind_when_the_launcher_ends_the_job(mpiexec, tmp_path):
    status = run_to_the_end([mpiexec.path, "-n", "4"], tmp_path, 0, "killed", "auto", "wait")
    assert status != 0


# MPICH then takes each rank for a node of its own, and its MPI_Finalize waits for nobody.
APART = {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"}


@pytest.mark.parametrize("scenario", ["late", "freed", "outlived"])
def test_a_rank_may_drop_its_exchanges_long_after_others_have_come_to_finalize(mpiexec, scenario):
    mpiexec.run(3, cpp_test("exchange/finalize_program"), scenario, timeout=20, env=APART).check()


def test_threads_may_use_communicators_for_the_first_time_in_any_order(mpiexec):
    program = cpp_test("threads/own_exchanges_program")
    mpiexec.run(3, program, "kept", timeout=60, env=APART).check()


@pytest.mark.parametrize("scenario", ["kept", "bind"])
def test_who_waits_for_a_rank_that_finalizes_with_its_exchange_is_told(mpiexec, scenario):
    mpiexec.run(3, cpp_test("exchange/finalize_program"), scenario, timeout=20, env=APART).check()
