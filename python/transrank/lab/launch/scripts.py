# SPDX-License-Identifier: BSD-3-Clause
"""Job scripts: the options with which Slurm, PBS and Fujitsu's PJM run a survey in a job.

One function per batch system, one row in `SYSTEMS`. A job that is started again (requeued) finishes
the run that it began. The PJM script follows the conventions of the job scripts published with the
Fugaku measurements: the node shape as a string, empty output files switched off, the binary spread
to the nodes beforehand, output of the ranks in files of their own.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from transrank.errors import UsageError

WORD = re.compile(r"[\w.@+:,/=-]+", re.ASCII)
SHAPE = re.compile(r"(\d+(?:x\d+){0,2})((?::[a-z]+(?:-[a-z]+)*)*)", re.ASCII)
RESUMES = ("survey", "measure")


@dataclass(frozen=True)
class Job:
    """What a script asks the batch system for, and the transrank command that it runs.

    `ranks_per_node` is the most that a node gets; None leaves it to Slurm, which then gives all of
    its cores. `node_shape` is PJM's, e.g. ``4x6x16:torus:strict-io``; `command` are transrank's
    arguments, `job_starts_alone` whether they measure the launch study and nothing else.
    """

    nodes: int
    ranks_per_node: int | None
    seconds: float
    command: tuple[str, ...]
    transrank: Path
    runner: Path
    queue: str | None = None
    account: str | None = None
    node_shape: str | None = None
    launcher: str | None = None
    job_starts_alone: bool = False

    def __post_init__(self) -> None:
        for option, value in (("--queue", self.queue), ("--account", self.account)):
            if value is not None and not WORD.fullmatch(value):
                raise UsageError(f"{option} '{value}' is no name that a batch system takes")
        if not self.command or self.command[0] not in RESUMES:
            raise UsageError(
                f"a job runs 'survey' or 'measure', not '{' '.join(self.command)}'",
                "transrank script slurm --nodes 4 -- survey --quick",
            )

    def known_ranks_per_node(self, system: str) -> int:
        """The ranks of a node, for a batch system that needs the number.

        Raises UsageError: it was not given.
        """
        if self.ranks_per_node is None:
            raise UsageError(
                f"{system} needs the number of ranks per node",
                "--ranks-per-node N, the cores of a node",
            )
        return self.ranks_per_node


def nodes_of_shape(shape: str) -> int:
    """Return how many nodes a PJM shape has: 384 for ``4x6x16:torus:strict-io``.

    Raises UsageError: it is no shape.
    """
    found = SHAPE.fullmatch(shape)
    if found is None or math.prod(sizes := [int(size) for size in found[1].split("x")]) == 0:
        raise UsageError(
            f"'{shape}' is no node shape", "e.g. --node-shape 384 or 4x6x16:torus:strict-io"
        )
    return math.prod(sizes)


def slurm(job: Job) -> str:
    """Return a script for sbatch."""
    directives = [
        "--job-name=transrank",
        f"--nodes={job.nodes}",
        *_given("--ntasks-per-node={}", job.ranks_per_node),
        f"--time={_clock(job.seconds)}",
        *_given("--partition={}", job.queue),
        *_given("--account={}", job.account),
        "--exclusive",
        "--requeue",
        "--output=transrank-%j.out",
    ]
    return _script(
        [f"#SBATCH {line}" for line in directives],
        ['cd "$SLURM_SUBMIT_DIR"'],
        *_run(job, "SLURM_JOB_ID", job.launcher or "srun"),
    )


def pbs(job: Job) -> str:
    """Return a script for qsub."""
    per_node = job.known_ranks_per_node("pbs")
    directives = [
        "-N transrank",
        f"-l select={job.nodes}:ncpus={per_node}:mpiprocs={per_node}",
        "-l place=scatter:excl",
        f"-l walltime={_clock(job.seconds)}",
        *_given("-q {}", job.queue),
        *_given("-A {}", job.account),
        "-r y",
        "-j oe",
    ]
    return _script(
        [f"#PBS {line}" for line in directives],
        ['cd "$PBS_O_WORKDIR"'],
        *_run(job, "PBS_JOBID", job.launcher),
    )


def pjm(job: Job) -> str:
    """Return a script for pjsub."""
    directives = [
        f'-L "elapse={_clock(job.seconds)}"',
        *_given('-L "rscgrp={}"', job.queue),
        *_given("-g {}", job.account),
        f'-L "node={job.node_shape or job.nodes}"',
        f'--mpi "proc={job.nodes * job.known_ranks_per_node("pjm")}"',
        "-N transrank",
        "-S",
        "-j",
    ]
    preparation = [
        "export LANG=C",
        "# No file for a rank that says nothing.",
        "export PLE_MPI_STD_EMPTYFILE=off",
        "",
        "# The binary goes to the nodes' own storage, so that its loading is not what is measured.",
        f"runner={shlex.quote(str(job.runner))}",
        'llio_transfer "$runner"',
        "trap 'llio_transfer --purge \"$runner\"' EXIT",
        "# What an earlier attempt of this job left.",
        'rm -rf "transrank-${PJM_JOBID}.logs"',
        "",
        "date '+%Y-%m-%d %H:%M:%S.%6N'",
    ]
    return _script(
        [f"#PJM {line}" for line in directives],
        preparation,
        *_run(job, "PJM_JOBID", job.launcher or _pjm_launcher(job)),
    )


def _pjm_launcher(job: Job) -> str:
    if job.job_starts_alone:
        # A folder per thousand ranks: one with all of them would be what is measured.
        return (
            "mpiexec -n {ranks}"
            " -stdout-proc {output}.output.%j/%/1000r/stdout"
            " -stderr-proc {output}.output.%j/%/1000r/stderr"
        )
    return "/usr/bin/time -p mpiexec -n {ranks} -of-proc {output}"


SYSTEMS: dict[str, Callable[[Job], str]] = {"slurm": slurm, "pbs": pbs, "pjm": pjm}


def _run(job: Job, job_id: str, launcher: str | None) -> list[list[str]]:
    """Return the lines that run transrank, and those that finish what a job before it began."""
    verb, *rest = job.command
    transrank = shlex.quote(str(job.transrank))
    named = any(word.partition("=")[0] == "--launcher" for word in rest)
    chosen = _launcher_of(rest) if named else ["--launcher", launcher] if launcher else []
    # To resume a run these are given again; all else is in its plan.
    added = [] if named else chosen
    chosen = [*chosen, "--oversubscribe"] if "--oversubscribe" in rest else chosen
    if any(word.partition("=")[0] == "--resume" for word in rest):
        return [[f"{transrank} {shlex.join([verb, *rest, *added])}"]]
    return [
        [f'record="transrank-${{{job_id}}}.jsonl"'],
        [
            'if [ -s "$record" ]; then',
            f'    {transrank} {verb} --resume "$record" {shlex.join(chosen)}'.rstrip(),
            "else",
            f'    {transrank} {shlex.join([verb, *rest, *added])} --output "$record"',
            "fi",
        ],
    ]


def _launcher_of(words: Sequence[str]) -> list[str]:
    """The launcher option among the words, as it stands there."""
    place = next(i for i, word in enumerate(words) if word.partition("=")[0] == "--launcher")
    return list(words[place : place + (1 if "=" in words[place] else 2)])


def _script(directives: Sequence[str], *parts: Sequence[str]) -> str:
    blocks = [["#!/bin/bash", *directives], *parts]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _given(form: str, value: str | int | None) -> list[str]:
    return [] if value is None else [form.format(value)]


def _clock(seconds: float) -> str:
    minutes, rest = divmod(math.ceil(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{rest:02d}"
