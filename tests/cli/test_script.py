# SPDX-License-Identifier: BSD-3-Clause
"""transrank script: the examples of its help, and what it refuses."""

import shlex
import subprocess

import pytest

from transrank.lab.cli import script


def examples() -> list[list[str]]:
    text = script.EPILOG.replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip().startswith("transrank")]
    return [shlex.split(line.partition(" > ")[0])[1:] for line in lines]


@pytest.mark.parametrize("arguments", examples(), ids=" ".join)
def test_the_examples_of_the_help_give_scripts_that_a_shell_accepts(
    arguments, store, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    finished = store.run("", *arguments).check()
    subprocess.run(["bash", "-n"], input=finished.stdout, text=True, check=True)
    assert "transrank-run" in finished.stdout or "pjm" not in arguments


def test_what_follows_the_dashes_runs_in_the_job_on_whole_nodes_by_default(store):
    finished = store.run(
        "script pjm --node-shape 2x3 --ranks-per-node 4 --time 1:00:00 -- measure "
        "pingpong --label 'two words'"
    ).check()
    assert "measure pingpong --label 'two words'" in finished.stdout
    assert '#PJM --mpi "proc=24"' in finished.stdout
    assert '#PJM -L "elapse=01:00:00"' in finished.stdout
    finished = store.run("script slurm").check()
    assert "ntasks" not in finished.stdout


@pytest.mark.parametrize(
    ("command", "alone"),
    [
        (["measure", "launch"], True),
        (["measure", "-n", "4", "launch"], True),
        (["measure", "--label", "launch", "pingpong"], False),
        (["measure", "launch", "pingpong"], False),
    ],
)
def test_job_starts_alone_are_recognised_wherever_the_study_stands(command, alone, store):
    finished = store.run("script pjm --nodes 6 --ranks-per-node 1 --", *command).check()
    assert ("-stdout-proc" in finished.stdout) == alone


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["slurm", "--", "survey", "--qick"], "survey: unknown option '--qick'"),
        (["pbs", "--nodes", "2"], "pbs needs the number of ranks per node"),
        (["slurm", "--node-shape", "4x4"], "--node-shape is only for pjm"),
        (["pjm", "--node-shape", "4x4", "--nodes", "8"], "which has 16"),
        (["slurm", "--nodes", "2,4"], "several jobs are several scripts"),
        (["pjm", "--node-shape", "torus"], "is no node shape"),
        (["slurm", "--time", "30"], "has no unit"),
        (["slurm", "--queue", "a b"], "is no name"),
        (["slurm", "--", "measure", "pingpog"], "unknown study 'pingpog'"),
        (["slurm", "--", "measure", "pingpong", "--sizes", "4Kb"], "'4Kb' is not a size"),
        (["slurm", "--", "survey", "--count", "9", "--max-time", "1s"], "exclude each other"),
        (["slurm", "--", "survey", "--count", "9", "--most-launches", "9"], "exclude each other"),
        (["slurm", "--", "show", "latest"], "a job runs 'survey' or 'measure'"),
        (["slurm", "--", "survey", "--output", "mine.jsonl"], "names its record after itself"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, error, store):
    store.run("script", *arguments).fails(2, error)


@pytest.mark.parametrize(("given", "limit"), [("90min", "01:30:00"), ("1-12:00:00", "36:00:00")])
def test_a_time_limit_may_have_days(given, limit, store):
    text = store.run(f"script slurm --nodes 2 --time {given}").check().stdout
    assert f"#SBATCH --time={limit}" in text


@pytest.mark.parametrize(
    ("system", "nodes", "names"),
    [
        ("slurm", "--nodes 2,4", {"job-2.sh": "--nodes=2", "job-4.sh": "--nodes=4"}),
        (
            "pjm",
            "--node-shape 2x3:torus,4x3",
            {"job-2x3.sh": '"node=2x3:torus"', "job-4x3.sh": '"node=4x3"'},
        ),
    ],
)
def test_a_series_has_a_script_for_each_job(system, nodes, names, store, tmp_path):
    command = f"script {system} {nodes} --ranks-per-node 4 -o {tmp_path}/job.sh -- measure ghost"
    finished = store.run(command).check()
    assert finished.stdout.split() == [str(tmp_path / name) for name in names]
    for name, asked in names.items():
        assert asked in (tmp_path / name).read_text()
