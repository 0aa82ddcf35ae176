# SPDX-License-Identifier: BSD-3-Clause
"""Facts about machines, their environment and load, from trees that are known."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from python.lab.machine import trees
from transrank.lab.machine import facts, files
from transrank.lab.machine.allocation import Allocation, read_allocation
from transrank.lab.machine.environment import portable, relevant
from transrank.lab.machine.facts import Facts, read_facts
from transrank.lab.machine.files import Files
from transrank.lab.machine.load import Load, read_load


def read(tmp_path: Path, tree: dict[str, str], environment: dict[str, str] | None = None) -> Facts:
    return read_facts(environment or {}, Files(trees.plant(tmp_path, tree)), load_seconds=0)


def test_a_server_is_read_as_it_was_built(tmp_path):
    topology = read(tmp_path, trees.server()).topology
    assert (topology.packages, topology.dies, len(topology.nodes)) == (2, 4, 4)
    assert (topology.cores, len(topology.cpus), topology.threads_per_core) == (16, 32, 2)
    assert topology.model == "Example(R) Server 9000 @ 2.40GHz"
    assert [node.cpus for node in topology.nodes][1] == (4, 5, 6, 7, 20, 21, 22, 23)
    assert topology.nodes[3].distances == (32, 32, 12, 10)
    assert {cpu.node for cpu in topology.cpus if cpu.package == 1} == {2, 3}
    caches = {cache.level: cache for cache in read(tmp_path, trees.server()).topology.caches}
    assert [caches[level].instances for level in (1, 2, 3)] == [16, 16, 4]
    assert [caches[level].shared_by for level in (1, 2, 3)] == [2, 2, 8]
    assert [caches[level].bytes for level in (1, 2, 3)] == [48 << 10, 2 << 20, 32 << 20]
    found = read(tmp_path, trees.server())
    assert found.usable_cpus == tuple(range(16))
    assert found.usable_cores == 16
    assert not found.affinity_restricted


def test_an_affinity_to_both_threads_of_two_cores_leaves_two_cores(tmp_path):
    tree = trees.server() | {"proc/self/status": "Cpus_allowed_list:\t3,5,19,21\n"}
    found = read(tmp_path, tree)
    assert found.usable_cpus == (3, 5)
    assert found.affinity_restricted
    assert found.as_json()["affinity"] == "3,5,19,21"


@pytest.mark.parametrize(
    ("tree", "cpus", "memory"),
    [
        ({"sys/fs/cgroup/user.slice/cpu.max": "350000 100000"}, 3.5, None),
        ({"sys/fs/cgroup/user.slice/session-7.scope/memory.max": "1073741824"}, None, 1 << 30),
        (
            {
                "proc/self/cgroup": "4:memory:/docker/ab\n3:cpu,cpuacct:/docker/ab\n",
                "sys/fs/cgroup/cpu,cpuacct/docker/ab/cpu.cfs_quota_us": "200000",
                "sys/fs/cgroup/cpu,cpuacct/docker/ab/cpu.cfs_period_us": "100000",
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1",
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000",
                "sys/fs/cgroup/memory/docker/memory.limit_in_bytes": "2147483648",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
            },
            2.0,
            2 << 30,
        ),
    ],
)
def test_the_tightest_limit_of_the_control_groups_counts(tmp_path, tree, cpus, memory):
    found = read(tmp_path, trees.server() | tree)
    assert (found.limits.cpus, found.limits.memory_bytes) == (cpus, memory)
    assert found.usable_cores == (16 if cpus is None else int(cpus))


def test_the_captured_virtual_machine_is_read_as_what_it_is(tmp_path):
    found = read(tmp_path, trees.virtual_machine())
    stored = found.as_json()
    assert (stored["packages"], stored["cores"], stored["threads_per_core"]) == (1, 2, 1)
    assert stored["cpu"] == "Intel(R) Xeon(R) Processor"
    assert stored["virtualisation"] == "virtual machine"
    assert stored["clock_source"] == "tsc"
    assert stored["governor"] is None
    assert stored["memory"]["shared_memory_bytes"] == 24684092 * 1024
    assert stored["memory"]["transparent_huge_pages"] == "madvise"
    assert {(cache["level"], cache["kind"]) for cache in stored["caches"]} == {
        (1, "data"),
        (1, "instruction"),
        (2, "unified"),
        (3, "unified"),
    }


def test_what_a_machine_does_not_tell_is_unknown_but_it_has_cpus(tmp_path):
    stored = read(tmp_path, {}).as_json()
    assert json.loads(json.dumps(stored))["cpu"] == "unknown"
    assert stored["usable_cores"] == 1
    tree = {"proc/cpuinfo": "processor : 0\nprocessor : 1\nprocessor : 2\n"}
    found = read(tmp_path, tree)
    assert found.topology.cores == 3
    assert found.topology.caches == ()
    assert found.free_memory_bytes is None
    tree = {"proc/cpuinfo": "processor : 0\nCPU implementer : 0x46\nCPU part : 0x001\n"}
    assert read(tmp_path, tree).topology.model == "Fujitsu A64FX"


@pytest.mark.parametrize(
    ("options", "size"),
    [("rw,size=65536k", 64 << 20), ("rw", 131_500_000 * 1024), ("size=25%", 65_750_000 * 1024)],
)
def test_the_size_of_shared_memory_is_that_of_the_mount(tmp_path, options, size):
    tree = trees.server() | {"proc/mounts": f"shm /dev/shm tmpfs {options} 0 0\n"}
    assert read(tmp_path, tree).memory.shared_memory_bytes == size


def test_machines_differ_by_what_does_not_change_on_one(tmp_path):
    server = read(tmp_path / "server", trees.server()).as_json()
    virtual = read(tmp_path / "virtual", trees.virtual_machine()).as_json()
    assert facts.differences(server, server | {"load": {}, "governor": "performance"}) == []
    changes = facts.differences(server, virtual)
    assert "cores was 16, is 2" in changes
    assert any(change.startswith("kernel was 5.14.0") for change in changes)

    def node(host: str, system: str | None, cores: int = 16) -> dict[str, object]:
        return {"host": host, "cores": cores, "allocation": {"system": system, "nodes": 1}}

    assert facts.differences(node("a", "slurm"), node("b", "slurm")) == []
    assert facts.differences(node("a", "slurm"), node("b", "slurm", 8)) == ["cores was 16, is 8"]
    assert facts.differences(node("a", None), node("b", "slurm")) == ["host was a, is b"]
    assert facts.differences(node("a", None), node("b", None)) == ["host was a, is b"]


def test_this_machine_agrees_with_what_python_sees():
    found = read_facts(os.environ, load_seconds=0.01)
    assert set(found.limits.affinity) == os.sched_getaffinity(0)
    assert len(found.topology.cpus) >= len(os.sched_getaffinity(0))
    assert 1 <= found.usable_cores <= len(os.sched_getaffinity(0))
    assert found.system.host == Path("/proc/sys/kernel/hostname").read_text().strip()
    assert found.memory.total_bytes == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def test_lists_of_the_kernel_survive_reading_and_writing():
    assert files.parse_list("0-3,8,10-11\n") == (0, 1, 2, 3, 8, 10, 11)
    assert files.format_list((8, 0, 1, 2, 3, 10, 11)) == "0-3,8,10-11"
    assert files.parse_list("nonsense,4-x,7") == (7,)
    assert files.parse_list(None) == ()


def test_only_what_shapes_an_mpi_run_is_stored_or_carried_into_another():
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


TICKS = os.sysconf("SC_CLK_TCK")


def look_twice(root: Path, before: dict[str, str], after: dict[str, str]) -> Load:
    trees.plant(root, before)
    return read_load(Files(root), 1.0, sleep=lambda _: trees.plant(root, after) and None)


def stat(user: int, idle: int, steal: int = 0) -> str:
    return f"cpu  {user} 0 0 {idle} 0 0 0 {steal} 0 0\ncpu0 1 0 0 0\ncpu1 1 0 0 0\nintr 5\n"


def process(name: str, ticks: int) -> str:
    return f"77 ({name}) R 1 1 1 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0\n"


def test_cores_in_use_and_stolen_time_are_told_by_counters_alone(tmp_path):
    assert look_twice(tmp_path, {}, {}) == Load(None, None, None, None, ())
    load = look_twice(
        tmp_path, {"proc/stat": stat(100, 100)}, {"proc/stat": stat(100 + TICKS, 100 + TICKS)}
    )
    assert load.busy_cores == 1.0
    assert load.stolen == 0.0
    load = look_twice(
        tmp_path, {"proc/stat": stat(0, 0)}, {"proc/stat": stat(0, 3 * TICKS, steal=TICKS)}
    )
    assert load.stolen == 0.25


def test_the_busiest_process_is_named_whatever_its_name_contains(tmp_path):
    before = {"proc/stat": stat(0, 0), "proc/77/stat": process("a) R (b", 10)}
    after = {"proc/stat": stat(TICKS, 0), "proc/77/stat": process("a) R (b", 10 + TICKS)}
    (busiest,) = look_twice(tmp_path, before, after).busiest
    assert (busiest.pid, busiest.name, busiest.cores) == (77, "a) R (b", 1.0)


def test_a_busy_loop_on_this_machine_is_found():
    program = "import time\nend = time.time() + 20\nwhile time.time() < end: pass"
    with subprocess.Popen([sys.executable, "-c", program]) as loop:
        time.sleep(0.2)
        load = read_load(Files(), 0.5)
        loop.kill()
    assert load.busy_cores > 0.3
