# SPDX-License-Identifier: BSD-3-Clause
"""Command lines of launchers, and that the real one does what they ask for."""

import os
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transrank import installation
from transrank.errors import LaunchError, UsageError
from transrank.lab.launch import launchers, process
from transrank.lab.launch.launcher import Capacity, Launcher
from transrank.lab.launch.launchers import Hydra, OpenMpi, Srun
from transrank.lab.store.records import Shape

PROGRAM = ["transrank-run", "--probe"]
FOUR = Capacity(nodes=1, cores_per_node=4)


def hydra(capacity: Capacity = FOUR) -> Hydra:
    return Hydra(capacity, "mpich", "mpiexec")


def openmpi(capacity: Capacity = FOUR) -> OpenMpi:
    return OpenMpi(capacity, "openmpi", "mpiexec")


def test_ranks_are_bound_to_cores_while_there_are_cores_and_yield_beyond():
    assert hydra().command(Shape(4), PROGRAM) == [
        *("mpiexec", "-n", "4", "-bind-to", "core"),
        *PROGRAM,
    ]
    assert openmpi().command(Shape(4), PROGRAM) == [
        *("mpiexec", "-n", "4", "--map-by", "core", "--bind-to", "core"),
        *PROGRAM,
    ]
    assert Srun(FOUR, "mpich", "srun").command(Shape(4), PROGRAM) == [
        *("srun", "-n", "4", "--mpi=pmi2", "-K1", "--cpu-bind=cores"),
        *PROGRAM,
    ]
    assert hydra().options(Shape(5)) == ["-n", "5"]
    assert hydra().settings(Shape(5))["MPIR_CVAR_ENABLE_HEAVY_YIELD"] == "1"
    assert "MPIR_CVAR_ENABLE_HEAVY_YIELD" not in hydra().settings(Shape(4))
    assert openmpi().options(Shape(5)) == [
        *("-n", "5", "--map-by", "slot:oversubscribe", "--bind-to", "none")
    ]
    assert "--overcommit" in Srun(FOUR, "openmpi", "srun").options(Shape(5))


def test_settings_go_before_those_of_the_user_who_may_ask_for_more_threads():
    added = {"OMP_NUM_THREADS": "4", "UCX_TLS": "self,sm"}
    with_them = replace(openmpi(), added=added)
    found = with_them.environment(Shape(2), {"UCX_TLS": "tcp", "OPENBLAS_NUM_THREADS": "8"})
    assert {name: found[name] for name in added} == added
    assert "OPENBLAS_NUM_THREADS" not in found
    # Open MPI starts ranks on other nodes with its own variables alone.
    assert with_them.options(Shape(2))[-4:] == ["-x", "OMP_NUM_THREADS", "-x", "UCX_TLS"]
    program = ["sh", "-c", "echo $OMP_NUM_THREADS $OPENBLAS_NUM_THREADS $MKL_NUM_THREADS"]
    launcher = launchers.default_launcher(Capacity(1, 2))
    assert launched(launcher, Shape(2), program) == ["1 1 1", "1 1 1"]
    added = launcher.environment(Shape(2), {"OMP_NUM_THREADS": "4"})
    assert "OMP_NUM_THREADS" not in added
    assert added["BLIS_NUM_THREADS"] == added["VECLIB_MAXIMUM_THREADS"] == "1"


@pytest.mark.parametrize(
    ("said", "kind"),
    [("HYDRA build details", Hydra), ("mpiexec (Open MPI) 5.0.8", OpenMpi), ("1.0", None)],
)
def test_an_mpiexec_is_known_by_what_it_says(tmp_path, said, kind):
    mpiexec = tmp_path / "mpiexec"
    mpiexec.write_text(f"#!/bin/sh\necho '{said}'\n")
    mpiexec.chmod(0o755)
    if kind is None:
        with pytest.raises(LaunchError, match="is no mpiexec of an MPI known here"):
            launchers.for_mpiexec(mpiexec, FOUR)
    else:
        assert type(launchers.for_mpiexec(mpiexec, FOUR)) is kind


def test_ranks_per_node_and_a_restricted_affinity_reach_the_launcher():
    capacity = Capacity(nodes=4, cores_per_node=8)
    shape = Shape(8, 2)
    assert hydra(capacity).options(shape)[:4] == ["-n", "8", "-ppn", "2"]
    assert "ppr:2:node" in openmpi(capacity).options(shape)
    assert Srun(capacity, "mpich", "srun").options(shape)[:6] == [
        *("-n", "8", "-N", "4", "--ntasks-per-node", "2")
    ]
    capacity = Capacity(nodes=1, cores_per_node=2, cpus=(3, 5))
    assert hydra(capacity).options(Shape(2)) == ["-n", "2", "-bind-to", "user:3,5"]
    assert openmpi(capacity).options(Shape(2))[-2:] == ["--bind-to", "none"]


def test_an_mpiexec_is_recognised_and_its_fullest_node_decides():
    capacity = Capacity(nodes=3, cores_per_node=4)
    assert not capacity.oversubscribed(Shape(12))
    assert capacity.oversubscribed(Shape(13))
    assert capacity.oversubscribed(Shape(6, 6))
    assert capacity.fits(Shape(12, 4))
    assert not capacity.fits(Shape(4, 1))
    mpiexec = installation.mpiexec()
    if mpiexec is None:
        pytest.skip("this MPI has no mpiexec")
    assert installation.kind_of_mpiexec(mpiexec) == installation.mpi_kind()


@pytest.mark.skipif(
    installation.mpi_kind() != "mpich" or len(os.sched_getaffinity(0)) < 2,
    reason="Hydra alone takes CPU numbers; two CPUs to choose from",
)
def test_hydra_puts_the_rank_on_the_cpu_that_it_may_use():
    last = max(os.sched_getaffinity(0))
    launcher = launchers.default_launcher(Capacity(nodes=1, cores_per_node=1, cpus=(last,)))
    lines = launched(launcher, Shape(1), ["grep", "Cpus_allowed_list", "/proc/self/status"])
    assert [line.split()[-1] for line in lines] == [str(last)]


def launched(launcher: Launcher, shape: Shape, program: list[str]) -> list[str]:
    lines: list[str] = []
    outcome = process.run(
        launcher.command(shape, program),
        environment={**os.environ, **launcher.environment(shape, os.environ)},
        timeout_seconds=60,
        take_line=lambda line: not lines.append(line),
    )
    assert outcome.ok, outcome
    return lines


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_the_real_launcher_starts_so_many_ranks_bound_if_they_fit(ranks):
    cores = len(os.sched_getaffinity(0))
    launcher = launchers.default_launcher(Capacity(nodes=1, cores_per_node=cores))
    lines = launched(launcher, Shape(ranks), ["grep", "Cpus_allowed_list", "/proc/self/status"])
    bindings = [line.split()[-1] for line in lines]
    assert len(bindings) == ranks
    if ranks <= cores:
        assert len(set(bindings)) == ranks


def test_a_template_is_filled_in_and_followed_by_the_program():
    capacity = Capacity(nodes=2, cores_per_node=8)
    launcher = launchers.choose("srun -n {ranks} --ntasks-per-node {ranks_per_node}", capacity)
    assert launcher.command(Shape(8, 4), PROGRAM) == [
        *("srun", "-n", "8", "--ntasks-per-node", "4"),
        *PROGRAM,
    ]
    assert launcher.command(Shape(6), PROGRAM)[4] == "3"
    assert not launcher.writes_files
    launcher = launchers.choose("batch -N {nodes} -of {output} sh -c {command}", FOUR)
    command = launcher.command(Shape(3, 1), ["run", "a b"], Path("/logs/launch-1"))
    assert command == ["batch", "-N", "3", "-of", "/logs/launch-1", "sh", "-c", "run 'a b'"]
    assert launcher.writes_files
    launcher = launchers.choose("mpirun -n {ranks}", FOUR)
    with pytest.raises(UsageError, match="cannot place 2 ranks per node"):
        launcher.command(Shape(4, 2), PROGRAM)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hydro", "unknown launcher 'hydro'; known: hydra, openmpi, srun"),
        ("mpirun -n 4", "unknown launcher"),
        ("mpirun -n {ranks} {nodez}", "unknown placeholder {nodez}"),
        ("mpirun -n {ranks", "cannot be read"),
        ("mpirun -n '{ranks}", "cannot be read: No closing quotation"),
        ("mpirun -n {ranks!r}", "more than a name in braces"),
        ("mpirun -n {ranks.real}", "unknown placeholder"),
        ("", "unknown launcher ''"),
    ],
)
def test_a_template_that_cannot_work_is_refused(text, message):
    with pytest.raises(UsageError, match=message.replace("{", r"\{").replace("}", r"\}")):
        launchers.choose(text, FOUR)


@given(st.text())
def test_any_text_is_a_launcher_or_a_usage_error(text):
    try:
        launcher = launchers.choose(text, FOUR)
    except UsageError:
        return
    command = launcher.command(Shape(2), PROGRAM)
    assert command
    assert all(isinstance(word, str) for word in command)


@given(
    ranks=st.integers(1, 10_000),
    per_node=st.integers(0, 64),
    nodes=st.integers(1, 500),
    cores=st.integers(1, 128),
)
def test_every_launcher_is_told_the_ranks_and_binds_exactly_when_they_fit(
    ranks, per_node, nodes, cores
):
    capacity = Capacity(nodes, cores)
    shape = Shape(ranks, per_node)
    share = per_node or -(-ranks // nodes)
    for kind in launchers.KINDS.values():
        words = kind(capacity, "mpich", "launch").command(shape, PROGRAM)
        assert words[words.index("-n") + 1] == str(ranks)
        assert words[-2:] == PROGRAM
        bound = any(word in ("core", "--cpu-bind=cores") for word in words[-3:] + words[-4:-2])
        assert bound == (share <= cores), shlex.join(words)
