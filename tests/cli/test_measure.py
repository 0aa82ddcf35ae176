# SPDX-License-Identifier: BSD-3-Clause
"""transrank measure, with the real runner under the real mpiexec: asked for, planned, done."""

import dataclasses
import os

import pytest

from support import commands
from support.commands import happened, measure, only_run, paste, planned
from transrank import installation
from transrank.lab.cli import execution
from transrank.lab.cli.__main__ import main
from transrank.lab.launch.launcher import Capacity
from transrank.lab.store.records import finished_cases, read_run
from transrank.lab.store.settings import LAUNCHES

RUNNER = "transrank-run"


def test_a_run_has_every_planned_case_and_its_header_knows_the_machine(tmp_path):
    finished = measure(
        "pingpong exchange --sizes 8,1KiB --max-time 60ms --label first", store=tmp_path
    ).check()
    run = only_run(tmp_path)
    assert run.problems == ()
    assert finished_cases(run) == planned(run)
    assert len({case for _, case in planned(run)}) == 4
    assert len(planned(run)) >= 4 * LAUNCHES
    header = run.header
    assert header.label == "first"
    assert header.mpi is not None
    assert len(header.placement.binding) == 2
    assert header.machine["cores"] >= 1
    assert header.options.max_time_seconds == 0.06
    assert happened(run) == ["finished"]
    for case in run.cases:
        work = case.samples.core_work_seconds
        assert work.size == case.samples.rounds.size
        assert ((work > 1e-7) & (work < 1e-2)).all()
        assert case.waited_seconds is not None
    assert not any(tmp_path.glob("*.logs"))
    shown = commands.transrank("show first", store=tmp_path).check()
    assert finished.stdout == shown.stdout
    lines = [line for line in finished.stderr.splitlines() if line.startswith("[")]
    assert len(lines) == len(planned(run))
    assert lines[-1].startswith(f"[{len(lines)}/{len(lines)}] ")
    assert f"transrank show {header.run}" in finished.stderr


def test_an_axis_is_an_option_and_ranks_and_placements_are_swept(tmp_path):
    for way in (["--window", "4"], ["--window=4"]):
        finished = measure(
            *("bandwidth", "--sizes", "8", *way, "--dry-run", "--launches", "1"), store=tmp_path
        ).check()
        assert "--axis window=4" in finished.stdout
    finished = measure(
        "exchange -n 1,2..4 --ranks-per-node 1,4 --sizes 8 --dry-run --launches 1", store=tmp_path
    ).check()
    assert ranks_of_dry_run(finished.stdout) == ["1", "4"]
    assert "left out: 2 ranks, 1 per node: needs 2 nodes" in finished.stderr


def test_any_block_of_rows_and_any_two_partitions_are_measured(tmp_path):
    few = ("-n", "2", "--launches", "1", "--count", "2", "--way", "auto", "--transport", "auto")
    wanted = ("--grid", "9x6x2", "--from", "2", "--to", "1x1x2", "--vdim", "7", "--rows", "5x3x2")
    some = ("--layouts", "blocks", "--phase", "run", "--mode", "used")
    measure("redistribute ghost", *few, *wanted, *some, store=tmp_path).check()
    cases = {case.case: case.status for case in only_run(tmp_path).cases}
    assert cases == {
        "redistribute/9x6x2/1/blocks/2x1-1x1x2/run/used/auto": "ok",
        "ghost/corrected/7/used/auto/5x3x2": "ok",
    }


def test_what_is_asked_for_reaches_the_runner(capsys):
    asked = {
        "--precision": ("5%", "0.025"),
        "--max-time": ("4s", "2"),
        "--cache": ("cold", "cold"),
        "--buffer-offset": ("16", "16"),
        "--sync": ("clock", "clock"),
        "--record-samples": ("ranks", "ranks"),
        "--list-ranks": ("12", "12"),
        "--memory": ("8MiB", "8388608"),
        "--watchdog": ("7s", "7"),
        "--seed": ("3", "3"),
    }
    words = [word for option, (value, _) in asked.items() for word in (option, value)]
    asking = ["measure", "pingpong", "--sizes", "8", "--launches", "2", "--dry-run"]
    assert main([*asking, *words]) == 0
    launches = [line for line in capsys.readouterr().out.splitlines() if RUNNER in line]
    assert len(launches) == 2
    for option, (_, told) in asked.items():
        assert f" {option} {told} " in launches[0]


@pytest.mark.parametrize(
    ("asked", "launches", "most"),
    [
        ((), LAUNCHES, 40),
        (("--launches", "3"), 3, None),
        (("--count", "100"), LAUNCHES, None),
        (("--most-launches", "100"), LAUNCHES, 100),
        (("--most-launches", "2"), 2, 2),
        (("--launches", "3", "--most-launches", "5"), 3, 5),
    ],
)
def test_a_case_is_launched_as_often_as_asked_for(asked, launches, most, tmp_path):
    record = tmp_path / "run.jsonl"
    words = ("pingpong", "--sizes", "8", *asked, "--prepare", "-o", record)
    measure(*words, store=tmp_path).check()
    header = read_run(record).header
    assert len(header.plan) == header.options.launches == launches
    assert header.options.most_launches == most


def test_the_lines_of_a_dry_run_make_a_record_that_can_be_shown(tmp_path):
    finished = measure(
        "pingpong launch --sizes 8 --launches 1 --count 2 --dry-run --label 'by hand'",
        store=tmp_path,
    ).check()
    assert list(tmp_path.iterdir()) == []
    lines = finished.stdout.splitlines()
    # Its record file, the launch of pingpong, and per mode a warm-up and two jobs.
    assert len(lines) == 1 + 1 + 2 * 3
    paste(finished.stdout, tmp_path)
    record = tmp_path / "by-hand.jsonl"
    run = read_run(record)
    assert run.header.label == "by hand"
    assert [case.case for case in run.cases] == ["pingpong/8B"]
    shown = commands.transrank(f"show {record}", store=tmp_path).check()
    assert "pingpong, 2 ranks" in shown.stdout
    assert list(tmp_path.iterdir()) == [record]


def test_a_prepared_record_is_measured_later_and_no_record_ever_overwritten(tmp_path):
    record = tmp_path / "later.jsonl"
    arguments = ("pingpong", "--sizes", "8", "--max-time", "30ms", "--launches", "1")
    prepared = measure(*arguments, "--prepare", "-o", record, store=tmp_path).check()
    assert "measure it with: transrank measure --resume later\n" in prepared.stderr
    assert read_run(record).cases == ()
    measure(f"--resume {record}", store=tmp_path).check()
    assert [case.case for case in read_run(record).cases] == ["pingpong/8B"]
    before = record.read_bytes()
    measure(*arguments, "-o", record, store=tmp_path).fails(2, "later.jsonl exists")
    assert record.read_bytes() == before
    measure(f"pingpong -o {tmp_path}", store=tmp_path).fails(2, f"hint: -o {tmp_path}/run.jsonl")


def test_a_case_may_stop_at_a_count_and_keep_every_rank(tmp_path):
    measure(
        "pingpong --sizes 8 --launches 1 --count 500 --record-samples ranks --buffer-offset 16",
        store=tmp_path,
    ).check()
    run = only_run(tmp_path)
    assert run.header.options.count == 500
    assert run.header.options.buffer_offset == 16
    (case,) = run.cases
    assert case.stop == "count"
    assert case.batch * case.samples.seconds.size >= 500
    assert case.ranks.all is not None
    assert len(case.ranks.all) == 2


def ranks_of_dry_run(text: str) -> list[str]:
    """How many ranks each launch of a dry run has."""
    return [line.split(" -n ")[1].split()[0] for line in text.splitlines() if RUNNER in line]


@pytest.mark.parametrize(
    ("counts", "ranks"), [((), ["2"]), (("-n", "2,4"), ["2", "4"])], ids=["default", "named"]
)
def test_by_default_two_ranks_are_measured_once_and_named_counts_as_told(
    counts, ranks, monkeypatch, capsys
):
    here = execution.look_around(None)
    launcher = dataclasses.replace(here.launcher, capacity=Capacity(nodes=1, cores_per_node=8))
    monkeypatch.setattr(execution, "look_around", lambda _: execution.Site(here.facts, launcher))
    arguments = ["measure", "pingpong", "--sizes", "8", "--launches", "1", "--dry-run"]
    assert main([*arguments, *counts]) == 0
    assert ranks_of_dry_run(capsys.readouterr().out) == ranks


def test_what_depends_on_the_memory_is_measured_beside_copies(tmp_path):
    sizes = ("--sizes", "1KiB,256KiB,1MiB")
    for study in (("sendrecv", *sizes), ("memory-copy", "--axis", "kernel=memcpy", *sizes)):
        measure(*study, "--launches", "1", "--max-time", "50ms", store=tmp_path).check()
    copied = {}
    for run in map(read_run, sorted(tmp_path.glob("*.jsonl"))):
        for case in run.cases:
            copies = case.samples.memory_copy_seconds
            copied[case.case] = copies is not None and bool(((copies > 1e-6) & (copies < 1)).all())
    # Half of what a rank touches is sent, the other half received.
    assert {case for case, measured in copied.items() if measured} == {"sendrecv/1MiB"}
    assert len(copied) > 6


def test_more_ranks_than_cores_run_and_are_warned_of(tmp_path):
    ranks = len(os.sched_getaffinity(0)) + 1
    finished = measure(
        f"exchange -n {ranks} --sizes 8 --launches 1 --max-time 50ms", store=tmp_path
    ).check()
    assert f"warning: {ranks} ranks share" in finished.stderr
    (case,) = only_run(tmp_path).cases
    assert case.samples.core_latency_seconds is None
    assert case.samples.core_work_seconds is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--count", "2", "--max-time", "1s"), "leave out --count or --max-time"),
        (("--count", "2", "--precision", "4%"), "leave out --count or --precision"),
        (("-n", "1"), "every case would be skipped: pingpong/8B needs at least 2 ranks"),
        (("--memory", "8"), "every case would be skipped: pingpong/8B needs 512B of memory"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_anything_starts(arguments, says, tmp_path):
    measure("pingpong --sizes 8", *arguments, store=tmp_path).fails(2, says)
    assert list(tmp_path.iterdir()) == []


def test_a_home_that_cannot_be_written_to_is_named_before_anything_is_measured(tmp_path):
    homeless = {"HOME": "/dev/null", "XDG_DATA_HOME": "", "TRANSRANK_STORE": ""}
    refused = measure("pingpong --sizes 8", store=tmp_path, env=homeless)
    assert refused.status == 4, refused.describe()
    said = " ".join(refused.stderr.split())
    assert "create the folder /dev/null/.local/share/transrank: Not a directory hint:" in said
    assert "--store or -o" in said
    listed = commands.transrank("list runs", store=tmp_path, env=homeless).check()
    assert "no runs in /dev/null" in listed.stderr + listed.stdout


def test_more_ranks_than_four_for_each_core_are_a_wish_of_their_own(tmp_path):
    arguments = ("plan-scaling", "--ranks", "2048", "--dry-run")
    measure(*arguments, store=tmp_path).fails(
        2, "2,048 ranks on", "for each core", "--oversubscribe"
    )
    assert "-n 2048" in measure(*arguments, "--oversubscribe", store=tmp_path).check().stdout
    typed = measure("plan-scaling --plan_ranks 2048 --dry-run", store=tmp_path).check()
    assert "--axis plan_ranks=2048" in typed.stdout
    assert "-n 2048" not in typed.stdout


@pytest.mark.parametrize(
    ("arguments", "known"),
    [
        (("collectives", "--operation", "bcst"), "hint: did you mean 'bcast'?"),
        (("locality", "--arrangement", "away-x"), "known: own"),
        (("ghost", "--vdim", "5000"), "known: 6 20 120 1..4096"),
        (("redistribute", "--from", "2x"), "known: usual 1..65536x65536x65536"),
        (("launch", "--stamp", "plane"), "known: plain, init"),
    ],
)
def test_a_misspelt_value_of_an_axis_is_answered_by_the_known_ones(arguments, known, tmp_path):
    measure(*arguments, "--dry-run", store=tmp_path).fails(2, f"'{arguments[-1]}'", known)


def test_products_of_matrices_need_nothing_but_what_the_laboratory_needs(tmp_path):
    options = ("--axis", "kernel=dgemm", "--axis", "arrangement=own", "--axis", "order=100")
    counts = ("--launches", "1", "--count", "3", "-n", "1")
    measure("locality", *options, *counts, store=tmp_path).check()
    (path,) = tmp_path.glob("*.jsonl")
    (case,) = read_run(path).cases
    assert (case.status, case.reason) == ("ok", None)
    assert "scipy_openblas32" in str(case.memory.blas)


@pytest.mark.parametrize(
    ("launcher", "words"),
    [
        ("/no/such/launcher {ranks}", "cannot start /no/such/launcher"),
        ("sh -c 'exit 9' {ranks}", "exited with 9"),
        ("env -u PMI_RANK {ranks}", "MPI does not start on 2 ranks"),
        # As a launcher of another MPI: every rank is a world of its own.
        ("""sh -c '"$@"; "$@"' {ranks}""", "separate MPI jobs answered"),
    ],
)
def test_a_launcher_that_fails_is_named_and_leaves_no_run(launcher, words, tmp_path):
    measure("pingpong --launcher", launcher, store=tmp_path).fails(3, words)
    assert list(tmp_path.glob("*.jsonl")) == []


def test_a_template_in_the_environment_is_used_and_stored(tmp_path):
    mpiexec = installation.mpiexec()
    if mpiexec is None:
        pytest.skip("this MPI has no mpiexec")
    template = f"env SEEN=1 {mpiexec} -n {{ranks}}"
    finished = measure(
        "pingpong --sizes 8 --max-time 30ms --launches 1 -v",
        store=tmp_path,
        env={"TRANSRANK_LAUNCHER": template},
    ).check()
    options = only_run(tmp_path).header.options
    assert options.launcher == template
    assert f"env SEEN=1 {mpiexec} -n 2" in finished.stderr
