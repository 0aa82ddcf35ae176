# SPDX-License-Identifier: BSD-3-Clause
"""transrank versus, with the real runner under the real mpiexec."""

import json
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from support import commands
from support.built import build_folder
from support.commands import Store, pingpong
from transrank import installation
from transrank.errors import UsageError
from transrank.lab.cli import variants
from transrank.lab.launch.launcher import Capacity
from transrank.lab.launch.launchers import OpenMpi
from transrank.lab.store.records import Shape, read_run

HERE = Path(__file__).parent
# More, for each call, than whatever else runs on this machine makes of a message.
SPIN = "SLOW_CALLS_SECONDS=0.002"
CASES = ("pingpong", "--sizes", "8,8KiB", "-n", "2", "--max-time", "40ms", "--threshold", "40%")


def slow_calls() -> Path:
    library = build_folder() / "benchmarks" / "slow_calls.so"
    assert library.exists(), f"{library} is not built: make test builds it"
    return library


def test_calls_that_are_made_slower_are_found_and_the_verdict_is_printed_again(tmp_path):
    slow = ("--b", f"LD_PRELOAD={slow_calls()}", "--b", SPIN)
    finished = commands.transrank(
        "versus", *CASES, *slow, "--launches", "4", "--label", "slow", store=tmp_path
    )
    assert finished.status == 1, finished.stderr
    assert finished.stdout.startswith("baseline   A default settings\ncandidate  B LD_PRELOAD=/")
    assert "\n2 slower at 40 %\n" in finished.stdout
    assert "\nsmallest slowdown that half of the cases could show: " in finished.stdout
    again = commands.transrank("versus slow --threshold 40%", store=tmp_path)
    assert (again.status, again.stdout) == (1, finished.stdout)
    passing = commands.transrank(
        "versus latest --threshold 40% --fail-on never --format json", store=tmp_path
    ).check()
    assert json.loads(passing.stdout)["counts"]["slower"] == 2

    a, b = (read_run(path) for path in sorted(tmp_path.glob("*.jsonl")))
    assert (a.header.label, b.header.label) == ("slow-a", "slow-b")
    assert "LD_PRELOAD" not in a.header.environment
    assert b.header.environment["LD_PRELOAD"] == str(slow_calls())
    started = sorted(
        (launch.started, launch.launch, name)
        for name, run in (("a", a), ("b", b))
        for launch in run.launches
    )
    assert "".join(name for _, _, name in started) == "abbaabba"
    assert [number for _, number, _ in started] == [i for i in range(4) for _ in "ab"]
    # Each record is of its variant alone; launches that met other cores do not count.
    shown = commands.transrank("show slow-b --format json", store=tmp_path).check()
    assert all(len(case["launch_seconds"]) <= 4 for case in json.loads(shown.stdout)["results"])


def test_a_variant_may_be_the_environment_of_the_other(tmp_path):
    same = ("--b", f"runner={sys.prefix}") if installation.build().mpi != "site" else ()
    finished = commands.transrank(
        *("versus", *CASES, *same, "--launches", "4", "--fail-on", "never"),
        *("-o", tmp_path / "same.jsonl"),
        store=tmp_path,
    )
    assert finished.status == 0, finished.stderr
    a, b = (read_run(tmp_path / f"same-{name}.jsonl") for name in "ab")
    assert a.header.mpi == b.header.mpi
    assert [launch.command[0] for launch in b.launches] == [str(installation.runner())] * 4


def test_a_run_that_was_interrupted_is_finished_by_its_own_settings(tmp_path):
    whole = tmp_path / "whole.jsonl"
    fails = tmp_path / "fails"
    script = tmp_path / "mpiexec-that-fails"
    # The probe succeeds, and two launches.
    script.write_text(
        f'#!/bin/sh\necho >>{fails}\n[ "$(wc -l <{fails})" = 4 ] && exit 7\n'
        f'exec {installation.mpiexec()} "$@"\n'
    )
    script.chmod(0o755)
    launcher = ("--b", f"launcher={script} -n {{ranks}}", "--b", "OMP_NUM_THREADS=1")
    stopped = commands.transrank(
        "versus", *CASES, *launcher, "--launches", "4", "-o", whole, store=tmp_path
    ).fails(3, "error: variant B: launch 2 (2 ranks) failed")
    commands.transrank(f"measure --resume {tmp_path / 'whole-b.jsonl'}", store=tmp_path).fails(
        2, "is one of two variants of transrank versus", "hint: transrank versus --resume whole-b"
    )
    again = ("versus", "--resume", tmp_path / "whole-a.jsonl", "--threshold", "40%")
    bare = commands.transrank(*again, store=tmp_path)
    assert bare.status == 2
    for said in (stopped.stderr, bare.stderr):  # a file supplies no program
        assert shlex.join(launcher) in " ".join(said.split())
    finished = commands.transrank(*again, *launcher, store=tmp_path)
    assert finished.status in (0, 1, 5), finished.stderr
    assert "same at 40 %" in finished.stdout or "unclear" in finished.stdout
    assert len(fails.read_text().splitlines()) == 7  # a probe again, and launches 2 and 3
    for name in "ab":
        run = read_run(tmp_path / f"whole-{name}.jsonl")
        assert sorted({case.launch for case in run.cases}) == [0, 1, 2, 3]
        assert run.problems == ()


WRONG = [
    (["--b", "FOO"], "--b 'FOO' is not NAME=VALUE"),
    (["--a", "=1"], "--a '=1' is not NAME=VALUE"),
    (["--b", "X=1", "--b", "X=2"], "--b X is given twice"),
    (["--b", "runner=/nowhere"], "--b runner: /nowhere is not an executable program"),
    (["--b", f"runner={HERE}"], f"--b runner: {HERE} is not a Python environment"),
    (["--b", "mpiexec=/nowhere"], "--b mpiexec: /nowhere is not an executable program"),
    (
        ["--b", "MPIR_CVAR_ALLREDUCE_INTRA_ALGORTIHM=ring"],
        "--b MPIR_CVAR_ALLREDUCE_INTRA_ALGORTIHM: the MPI library has no such setting",
    ),
    (
        ["--b", "mpir_cvar_allreduce_intra_algorithm=ring"],
        "--b mpir_cvar_allreduce_intra_algorithm: the MPI library has no such setting",
    ),
    (["--b", "Tuning=x.json"], "--b Tuning: there is no such setting"),
    (["--b", "RUNNER=x"], "--b RUNNER: there is no such setting"),
    (["--b", "tuning=/nowhere"], "--b tuning: /nowhere is not a file"),
    (["--b", "launcher=nosuch"], "unknown launcher 'nosuch'; known: hydra, openmpi, srun"),
    (["--b", f"mpiexec={os.devnull}", "--b", "launcher=hydra"], f"--b mpiexec: {os.devnull} is"),
]


@pytest.mark.parametrize(("settings", "message"), WRONG)
def test_a_variant_that_is_none_is_refused_in_one_line(store, settings, message):
    answer = store.run("versus pingpong", *settings)
    error, hint, *more = answer.stderr.splitlines()
    assert answer.status == 2
    assert error.startswith(f"error: {message}")
    assert hint.startswith("hint: ")
    assert not more
    assert list(store.path.iterdir()) == []


def environment_of(folder: Path, script: str) -> Path:
    """A folder whose bin/python is this shell script."""
    python = folder / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)
    return folder


def test_an_environment_is_asked_for_its_runner_under_the_settings_of_the_variant(tmp_path):
    seen, runner = tmp_path / "seen", Path(sys.executable)
    script = f'echo "$TRANSRANK_MPI $MPIEXEC" >{seen}; echo {runner}'
    environment = environment_of(tmp_path / "env", script)
    settings = [f"runner={environment}", f"mpiexec={runner}", "TRANSRANK_MPI=openmpi"]
    assert variants.parse("b", settings).runner == runner
    assert seen.read_text() == f"openmpi {runner}\n"


@pytest.mark.parametrize(
    ("script", "mode", "said"),
    [
        ("exit 9", 0o755, "it ended with 9"),
        ("echo why >&2; exit 1", 0o755, "why"),
        ("", 0o644, "Permission denied"),
    ],
)
def test_an_environment_that_does_not_answer_is_refused(tmp_path, script, mode, said):
    environment = environment_of(tmp_path / "env", script)
    (environment / "bin" / "python").chmod(mode)
    with pytest.raises(UsageError, match=f"is not a Python environment with transrank: .*{said}"):
        variants.parse("b", [f"runner={environment}"])


def test_a_variant_that_does_not_start_leaves_no_record(store):
    program = store.path / "no-runner"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    store.run("versus pingpong --sizes 8 -n 2 --b", f"runner={program}").fails(
        3, "error: variant B: MPI does not start on 2 ranks: "
    )
    assert not any(store.path.glob("*.jsonl"))


def pair(store: Store, b: float) -> None:
    for name, other, seconds in (("a", "b", 1.0), ("b", "a", b)):
        versus = {"variant": name, "other": f"20261101-000000-aaaa-{other}", "settings": []}
        run = f"20261101-000000-aaaa-{name}"
        store.keep(run, *pingpong(8, seconds), versus=versus, label=f"trial-{name}")


def test_any_name_of_either_record_finds_both(store):
    pair(store, 1.3)
    first = store.path / "20261101-000000-aaaa-a.jsonl"
    answers = [
        store.run(f"versus {name}")
        for name in ("latest", "latest~1", "trial", "trial-b", "20261101-000000-aaaa", first)
    ]
    assert {answer.status for answer in answers} == {1}
    assert len({answer.stdout for answer in answers}) == 1
    assert "1.300" in answers[0].stdout
    assert store.run("compare trial-a trial-b").stdout == answers[0].stdout
    inverse = store.run("compare trial-b trial-a")
    assert (inverse.status, "0.769" in inverse.stdout) == (0, True)


def test_what_is_no_pair_is_refused(store):
    assert "no run is stored" in store.run("versus latest").stderr
    assert "did you mean 'pingpong'?" in store.run("versus pingpon").stderr
    store.keep("20261102-000000-bbbb", *pingpong(8, 1.0), label="alone")
    store.run("versus alone").fails(2, "bbbb is not a run of transrank versus")
    pair(store, 1.0)
    (store.path / "20261101-000000-aaaa-a.jsonl").unlink()
    store.run("versus trial-b").fails(4, "the other variant of ")
    versus = {"variant": "a", "other": "../elsewhere", "settings": []}
    store.keep("20261103-000000-cccc", *pingpong(8, 1.0), versus=versus)
    store.run("versus latest").fails(4, "other")


def with_mpi(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    built = replace(installation.build(), mpi="site", mpi_kind=kind)
    monkeypatch.setattr(installation, "build", lambda: built)


def test_an_algorithm_of_fujitsu_mpi_is_set_for_all_ranks(monkeypatch):
    with_mpi(monkeypatch, "openmpi")
    variant = variants.parse("b", ["alltoall=blacc6d"])
    assert variant.settings == ("alltoall=blacc6d",)
    shape = Shape(12, 1)
    launcher = OpenMpi(Capacity(12, 48), "openmpi", "mpiexec", added=dict(variant.added))
    name = "OMPI_MCA_coll_select_alltoall_algorithm"
    command = launcher.command(shape, ["transrank-run"])
    assert command[command.index("-x") : -1] == ["-x", name]
    assert launcher.environment(shape, {name: "pairwise"})[name] == "blacc6d"


@pytest.mark.parametrize(
    ("kind", "algorithm", "said"),
    [
        ("openmpi", "bruck", "no 'bruck'"),
        ("mpich", "blacc6d", "is for Fujitsu MPI, and this transrank was built with another"),
    ],
)
def test_an_alltoall_that_the_mpi_cannot_have_is_refused(monkeypatch, kind, algorithm, said):
    with_mpi(monkeypatch, kind)
    with pytest.raises(UsageError, match=said) as refused:
        variants.parse("b", [f"alltoall={algorithm}"])
    assert "blacc6d" in str(refused.value) or "list studies" in str(refused.value.hint)
