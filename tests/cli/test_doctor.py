# SPDX-License-Identifier: BSD-3-Clause
"""transrank doctor on this machine, and on what is wrong on purpose."""

import dataclasses
import io
import json
import os
import pwd
import secrets
import time

import pytest

from support.bounded import Finished
from transrank import installation
from transrank.lab.cli import doctor, execution, output
from transrank.lab.cli.__main__ import parse
from transrank.lab.launch import left_overs
from transrank.lab.launch.launcher import Capacity
from transrank.lab.store.records import Shape
from transrank.lab.survey.checks import Check
from transrank.lab.view.table import Table


def checks(finished: Finished) -> dict[str, dict[str, str]]:
    return {check["check"]: check for check in json.loads(finished.stdout)}


def test_the_table_ends_in_a_sentence_and_the_status_agrees(store):
    finished = store.run("doctor")
    lines = finished.stdout.splitlines()
    assert lines[0].split() == ["verdict", "check", "finding"]
    healthy = lines[-1] == "nothing found that would distort the numbers"
    assert finished.status == (0 if healthy else 1)
    assert any("warning" in line for line in lines) != healthy


def test_the_map_of_the_machine_stands_below_the_checks(store):
    xt6 = "pack:2 numa:2(memory=8GiB) l3:1(size=6MiB) core:6 pu:1"
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})  # as in a container, or under taskset
    try:
        finished = store.run("doctor -n 1", env={"TRANSRANK_TOPOLOGY": xt6})
    finally:
        os.sched_setaffinity(0, allowed)
    lines = finished.stdout.splitlines()
    assert "2 packages, 4 memory domains, 24 cores (synthetic)" in finished.stdout
    assert "    L3 6 MiB: CPUs 18-23" in lines
    if min(allowed) == 0:
        assert "  domain 0: CPUs 0-5, of which 0 may be used, 8 GiB" in lines
    assert "  domain 3: CPUs 18-23, none of which may be used, 8 GiB" in lines


def test_a_map_that_describes_no_machine_is_wrong_usage(store, tmp_path):
    store.run("doctor", env={"TRANSRANK_TOPOLOGY": "gpu:4"}).fails(
        2, "TRANSRANK_TOPOLOGY: 'gpu:4' does not describe a part of a machine"
    )
    pipe = tmp_path / "map.xml"
    os.mkfifo(pipe)
    store.run("doctor", env={"TRANSRANK_TOPOLOGY": str(pipe)}).fails(
        2, f"TRANSRANK_TOPOLOGY: {pipe} is not a regular file"
    )


def test_mpi_is_really_started(store):
    finished = store.run("doctor --format json")
    found = checks(finished)
    assert found["MPI"]["verdict"] == "ok"
    names = {"mpich": "MPICH", "openmpi": "Open MPI"}
    assert names.get(installation.mpi_kind(), "") in found["MPI"]["finding"]
    assert found["clock"]["verdict"] == "ok"


def test_without_a_count_the_largest_launch_of_a_survey_is_examined():
    here = execution.look_around(None)
    for nodes, shape in ((1, Shape(8)), (3, Shape(24, 8))):
        launcher = dataclasses.replace(here.launcher, capacity=Capacity(nodes, 8))
        site = execution.Site(here.facts, launcher)
        assert doctor._shape(parse(["doctor"]), site) == shape
        assert doctor._shape(parse(["doctor", "-n", "4"]), site) == Shape(4)


def test_an_mpi_that_does_not_start_is_a_finding(store):
    finished = store.run("doctor", "--launcher", "sh -c 'echo it broke >&2; exit 4' {ranks}")
    assert finished.status == 1
    assert "MPI does not start on 2 ranks: sh exited with 4; it said: it broke" in finished.stdout
    assert finished.stderr == ""


def test_a_launcher_of_another_mpi_is_told_in_one_sentence(store):
    words = "echo Runtime environment uses unsupported PMI version PMIx. Aborting. >&2"
    launcher = f"sh -c '{words}; echo more >&2; exit 16' {{ranks}}"
    finished = store.run("doctor -n 2 --launcher", launcher)
    told = "MPI does not start on 2 ranks: the launcher belongs to another MPI than transrank-run"
    assert any(line.endswith(told) for line in finished.stdout.splitlines())
    assert "hint: leave out --launcher" in finished.stdout


def test_the_table_in_a_file_has_no_control_codes(store, tmp_path):
    file = tmp_path / "doctor.txt"
    finished = store.run(f"doctor --color always -o {file}")
    assert finished.stdout == ""
    assert "\x1b" not in file.read_text()
    assert file.read_text().startswith("verdict")


def test_what_killed_jobs_left_in_shared_memory_is_named_with_its_age_and_owner(store):
    segment = left_overs.FOLDER / f"mpich_shm_test{secrets.token_hex(4)}_0"
    segment.write_bytes(bytes(2048))
    try:
        hours_ago = time.time() - 3 * 3600
        os.utime(segment, (hours_ago, hours_ago))
        finished = store.run("doctor --format json")
        found = checks(finished)["left over"]
        owner = pwd.getpwuid(os.geteuid()).pw_name
        assert f"{segment.name} (2 KiB, 3 h 00 min old, of {owner})" in found["finding"]
        assert (found["verdict"], str(segment) in found["hint"]) == ("note", True)
    finally:
        segment.unlink()


@pytest.mark.parametrize("verb", ["doctor", "tune -o rules.conf"])
def test_far_more_ranks_than_cores_are_refused_before_any_starts(verb, store):
    store.run(f"{verb} -n 4096").fails(2, "4,096 ranks: 4,096 ranks on", "--oversubscribe")
    assert "oversubscribe" in store.run(f"{verb.split()[0]} --help").stdout


def test_a_long_enumeration_is_shown_in_part_unless_all_is_asked_for(monkeypatch):
    found = Check("left over", "note", ", ".join(f"segment {i}" for i in range(300)), "rm " * 300)
    monkeypatch.setattr(output, "settings", output.Settings())
    assert "segment 299" not in shown(found)
    assert shown(found).count("… (full text: doctor -v)") == 2
    (record,) = Table("", doctor.FIELDS, [found]).records()
    assert record["finding"] == found.finding
    monkeypatch.setattr(output, "settings", output.Settings(verbose=1))
    assert "segment 299" in shown(found)


def shown(check: Check) -> str:
    console = output.PlainConsole(width=80, file=io.StringIO(), soft_wrap=True)
    with console.capture() as capture:
        doctor._print(console, [check], None)
    return " ".join(capture.get().split())
