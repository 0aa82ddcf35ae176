# SPDX-License-Identifier: BSD-3-Clause
"""Job scripts say what the batch systems need to know, and a shell accepts them."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from transrank.errors import UsageError
from transrank.lab.launch import scripts
from transrank.lab.launch.scripts import SYSTEMS, Job, nodes_of_shape

JOB = Job(
    nodes=384,
    ranks_per_node=4,
    seconds=1800,
    command=("survey", "--quick"),
    transrank=Path("/home/me/my env/bin/transrank"),
    runner=Path("/home/me/my env/transrank-run"),
    queue="large",
    account="hp000",
    node_shape="4x6x16:torus:strict-io",
)


@pytest.mark.parametrize("system", list(SYSTEMS))
@pytest.mark.parametrize("command", [("survey",), ("measure", "launch", "--label", "it's")])
def test_a_shell_accepts_every_script(system, command):
    text = SYSTEMS[system](replace(JOB, command=command))
    subprocess.run(["bash", "-n"], input=text, text=True, check=True)
    assert text.startswith("#!/bin/bash\n#")


@pytest.mark.parametrize("system", list(SYSTEMS))
def test_a_job_that_starts_again_finishes_its_run(system, tmp_path):
    program = tmp_path / "transrank"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/arguments\n')
    program.chmod(0o755)
    for name in ("llio_transfer", "date"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    job = replace(JOB, transrank=program, launcher=None)

    def arguments_of_a_start() -> list[str]:
        environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
        for prefix, folder in (("SLURM_JOB", "SLURM_SUBMIT_DIR"), ("PBS_JOB", "PBS_O_WORKDIR")):
            environment |= {f"{prefix}_ID": "7", f"{prefix}ID": "7", folder: str(tmp_path)}
        environment["PJM_JOBID"] = "7"
        subprocess.run(
            ["bash", "-eu"],
            input=SYSTEMS[system](job),
            text=True,
            check=True,
            cwd=tmp_path,
            env=environment,
        )
        return (tmp_path / "arguments").read_text().splitlines()

    left = tmp_path / "transrank-7.logs"
    left.mkdir()
    (left / "launch-000.0.0").write_text("output of an earlier attempt")
    first = arguments_of_a_start()
    # Under PJM the ranks' output is read from there; it must not be that of another attempt.
    assert left.exists() == (system != "pjm")
    assert first[:2] == ["survey", "--quick"]
    assert first[first.index("--output") + 1] == "transrank-7.jsonl"
    (tmp_path / "transrank-7.jsonl").write_text("{}\n")
    again = arguments_of_a_start()
    assert again[:3] == ["survey", "--resume", "transrank-7.jsonl"]
    assert "--quick" not in again


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_job_that_resumes_a_run_does_that_and_names_no_record(system):
    job = replace(JOB, command=("survey", "--resume", "before.jsonl"))
    text = SYSTEMS[system](job)
    assert " survey --resume before.jsonl" in text
    assert "--output" not in text.replace("--output=transrank", "")
    assert "$record" not in text


def test_the_pjm_script_says_what_the_published_ones_say():
    lines = scripts.pjm(JOB).splitlines()
    for line in (
        '#PJM -L "elapse=00:30:00"',
        '#PJM -L "rscgrp=large"',
        '#PJM -L "node=4x6x16:torus:strict-io"',
        '#PJM --mpi "proc=1536"',
        "#PJM -S",
        "#PJM -j",
        "export LANG=C",
        "export PLE_MPI_STD_EMPTYFILE=off",
        'llio_transfer "$runner"',
    ):
        assert line in lines
    text = "\n".join(lines)
    assert "llio_transfer --purge" in text
    assert "rm -rf" in text
    assert "'/usr/bin/time -p mpiexec -n {ranks} -of-proc {output}'" in text
    assert "date '+%Y-%m-%d %H:%M:%S.%6N'" in text
    text = scripts.pjm(replace(JOB, command=("measure", "launch"), job_starts_alone=True))
    assert "-stdout-proc {output}.output.%j/%/1000r/stdout" in text
    assert "-stderr-proc {output}.output.%j/%/1000r/stderr" in text
    assert "-of-proc" not in text


def test_slurm_and_pbs_are_told_nodes_ranks_and_time():
    slurm = scripts.slurm(replace(JOB, seconds=5400))
    assert "#SBATCH --nodes=384" in slurm
    assert "#SBATCH --ntasks-per-node=4" in slurm
    assert "#SBATCH --time=01:30:00" in slurm
    assert "#SBATCH --partition=large" in slurm
    assert "--launcher srun" in slurm
    pbs = scripts.pbs(JOB)
    assert "#PBS -l select=384:ncpus=4:mpiprocs=4" in pbs
    assert "#PBS -l walltime=00:30:00" in pbs
    assert "--launcher" not in pbs
    text = scripts.slurm(replace(JOB, ranks_per_node=None))
    assert "--ntasks" not in text
    assert "#SBATCH --exclusive" in text


@pytest.mark.parametrize("system", ["pbs", "pjm"])
def test_other_systems_have_to_be_told_the_ranks_of_a_node(system):
    with pytest.raises(UsageError, match=f"{system} needs the number of ranks") as refused:
        SYSTEMS[system](replace(JOB, ranks_per_node=None))
    assert "--ranks-per-node" in refused.value.hint


@pytest.mark.parametrize("named", [("--launcher", "hydra"), ("--launcher=hydra",)])
def test_a_launcher_that_the_command_names_is_the_only_one(named):
    text = scripts.slurm(replace(JOB, command=("survey", "--quick", *named)))
    words = [line.split() for line in text.splitlines() if "transrank'" in line]
    assert ["srun" in line for line in words] == [False, False]
    assert [sum(word.startswith("--launcher") for word in line) for line in words] == [1, 1]


@pytest.mark.parametrize(
    ("shape", "nodes"), [("384", 384), ("4x6x16", 384), ("48x12x48:strict-io", 27648)]
)
def test_a_node_shape_is_counted(shape, nodes):
    assert nodes_of_shape(shape) == nodes


@pytest.mark.parametrize("shape", ["", "4x", "4x6x16x2", "0x4", "4x6:Torus", "4*6", "4x6;rm"])
def test_what_is_no_node_shape_is_refused(shape):
    with pytest.raises(UsageError, match="is no node shape"):
        nodes_of_shape(shape)


@pytest.mark.parametrize("changes", [{"queue": "a\nb"}, {"account": "x y"}, {"command": ("rm",)}])
def test_what_would_break_a_script_is_refused(changes):
    with pytest.raises(UsageError):
        replace(JOB, **changes)
