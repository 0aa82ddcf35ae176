# SPDX-License-Identifier: BSD-3-Clause
"""What of the environment is stored, and what it says about the job."""

import pytest

from transrank.lab.machine.allocation import Allocation, read_allocation
from transrank.lab.machine.environment import portable, relevant


def test_only_what_shapes_an_mpi_run_is_stored():
    kept = {
        "OMP_NUM_THREADS": "1",
        "UCX_TLS": "sm",
        "FI_PROVIDER": "tcp",
        "SLURM_JOB_ID": "7",
        "OMPI_MCA_pml": "ob1",
        "MPIR_CVAR_CH4_NETMOD": "ofi",
    }
    dropped = {"HOME": "/home/me", "PATH": "/bin", "EDITOR": "vi"}
    assert relevant(kept | dropped) == dict(sorted(kept.items()))


def test_what_a_job_says_of_itself_is_not_carried_into_another():
    settings = {"UCX_TLS": "sm", "PMIX_MCA_gds": "hash", "TRANSRANK_LAUNCHER": "srun"}
    job = {"SLURM_JOB_ID": "7", "PMIX_RANK": "0", "PBS_NODEFILE": "/n", "LANG": "C", "HOME": "/"}
    assert portable(settings | job) == dict(sorted(settings.items()))


@pytest.mark.parametrize("name", ["SLURM_JWT_TOKEN", "PMIX_SECURITY_CREDENTIAL", "MPI_API_KEY"])
def test_secrets_are_never_stored(name):
    assert relevant({name: "hunter2"}) == {}


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, Allocation(None, 1)),
        ({"SLURM_JOB_NUM_NODES": "4", "SLURM_NTASKS": "32"}, Allocation("slurm", 4, 32)),
        ({"SLURM_JOB_NUM_NODES": "2"}, Allocation("slurm", 2)),
        ({"PJM_NODE": "384", "PJM_MPI_PROC": "1536"}, Allocation("pjm", 384, 1536)),
        ({"SLURM_JOB_NUM_NODES": "many"}, Allocation(None, 1)),
        ({"PBS_NODEFILE": "/nowhere/at/all"}, Allocation(None, 1)),
    ],
)
def test_the_batch_system_tells_nodes_and_tasks(environment, expected):
    assert read_allocation(environment) == expected


def test_a_node_file_has_a_line_per_task(tmp_path):
    nodes = tmp_path / "nodes"
    nodes.write_text("a\na\nb\nb\n")
    assert read_allocation({"PBS_NODEFILE": str(nodes)}) == Allocation("pbs", 2, 4)
