# SPDX-License-Identifier: BSD-3-Clause
"""A job script of `transrank script` runs on a real Slurm of two nodes, on virtual hosts."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import slurm_cluster
from support.slurm_cluster import SlurmCluster
from transrank import installation
from transrank.lab.store.records import Run, Shape, read_run

REASON = slurm_cluster.reason_against()
pytestmark = [pytest.mark.hosts, pytest.mark.skipif(REASON is not None, reason=REASON or "")]

# The virtual hosts see each other's shared memory, so MPI is told to use the network between them.
NETWORK = {
    "mpich": ["MPIR_CVAR_CH4_NETMOD=ofi", "FI_PROVIDER=tcp"],
    "openmpi": ["OMPI_MCA_pml=ob1", "OMPI_MCA_btl=self,sm,tcp"],
}
# srun starts Open MPI's ranks by PMIx alone, which Debian's Slurm has as a package of its own.
LAUNCHERS = {"mpich": "srun", "openmpi": "openmpi"}
MEASURE = "measure pingpong launch --sizes 1KiB --count 2 --launches 1"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlurmCluster]:
    with slurm_cluster.slurm_cluster(tmp_path_factory.mktemp("slurm")) as up:
        yield up


def transrank(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "transrank.lab.cli", *arguments]


def submit(cluster: SlurmCluster, folder: Path, command: str, *options: str) -> Run:
    kind = installation.build().mpi_kind
    launcher = LAUNCHERS[kind]
    printed = cluster.run(
        *transrank("script", "slurm", "--nodes=2", "--time=5min", *options),
        *[f"--launcher={launcher}", "--", *command.split()],
        cwd=folder,
        timeout=60,
    )
    assert printed.returncode == 0, printed.stderr
    script = folder / "job.sh"
    script.write_text(printed.stdout)
    ended = cluster.submit(
        "env", *NETWORK[kind], "sbatch", "--parsable", script, cwd=folder, timeout=150
    )
    said = "\n".join(path.read_text() for path in folder.glob("transrank-*.out"))
    assert ended == ("COMPLETED", "0:0"), f"{ended}\n{said}\n{cluster.logs()}"
    (record,) = folder.glob("transrank-*.jsonl")
    return read_run(record)


@pytest.mark.skipif(
    installation.build().mpi_kind not in NETWORK, reason="how this MPI reaches hosts is unknown"
)
def test_a_job_measures_within_a_node_and_between_two(cluster, tmp_path):
    run = submit(cluster, tmp_path, MEASURE, "--ranks-per-node=2")
    assert run.problems == ()
    hosts_by_shape = {
        (launch.shape.ranks, launch.shape.ranks_per_node): set(launch.placement.hosts)
        for launch in run.launches
    }
    assert {"node0", "node1"} in hosts_by_shape.values()
    measured = {case.study for case in run.cases if case.status == "ok"}
    assert measured == {"pingpong", "launch"}
    between = [
        case for case in run.cases if case.shape.ranks == 2 and case.shape.ranks_per_node == 1
    ]
    assert between
    assert all(case.status == "ok" for case in between)


@pytest.mark.skipif(
    installation.build().mpi_kind not in NETWORK, reason="how this MPI reaches hosts is unknown"
)
def test_a_job_without_a_number_of_ranks_fills_its_nodes(cluster, tmp_path):
    run = submit(cluster, tmp_path, "measure exchange --sizes 8 --count 2 --launches 1")
    cores = run.header.machine["usable_cores"]
    assert run.header.machine["allocation"]["slots"] is None
    assert max(case.shape for case in run.cases if case.status == "ok") == Shape(2 * cores, cores)
