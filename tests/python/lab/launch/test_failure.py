# SPDX-License-Identifier: BSD-3-Clause
"""Why a launch failed or may not begin, in words."""

import os
import resource
import socket
import sys

import pytest

from transrank.errors import LaunchError
from transrank.lab.launch import lost_hosts, process_limit, shared_memory
from transrank.lab.launch.failure import explain, last_words
from transrank.lab.launch.launcher import Capacity
from transrank.lab.launch.launchers import Hydra
from transrank.lab.launch.noise import without_noise
from transrank.lab.launch.process import Outcome
from transrank.lab.store.records import Shape
from transrank.lab.survey.probe import probe
from transrank.lab.units import format_bytes

RULE = "-" * 74
UCX_REFUSED = (
    "[1.7] [vm:9:0] mm_posix.c:238 UCX ERROR shm_open(file_name=/ucx_shm_posix_2c3 flags=0xc2) "
    "failed: Read-only file system",
    "Abort(337790351): Fatal error in internal_Init_thread: Out of memory, error stack:",
)
OPENMPI_REFUSED = (
    "It appears as if there is not enough space for /dev/shm/sm_segment.vm.0.1 (the shared-memory",
    "backing file). It is likely that your MPI job will now either abort or experience",
)
HYDRA_KILLED = (
    "",
    "=" * 83,
    "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES",
    "=   PID 8077 RUNNING AT node3",
    "=   EXIT CODE: 9",
    "=   CLEANING UP REMAINING PROCESSES",
    "=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES",
    "=" * 83,
    "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)",
    "This typically refers to a problem with your application.",
    "Please see the FAQ page for debugging suggestions",
)
OPENMPI_KILLED = (
    RULE,
    "prterun noticed that process rank 1 with PID 8400 on node vm exited on",
    "signal 11 (Segmentation fault).",
    RULE,
)
SLURM_KILLED = (
    "srun: error: node0: task 3: Killed",
    "srun: launch/slurm: _step_signal: Terminating StepId=1.1",
    "srun: error: node1: task 1: Terminated",
    "srun: Force Terminated StepId=1.1",
)


def ended(
    *lines: str, status: int = 1, timed_out: bool = False, program: str = "/opt/mpi/mpiexec"
) -> Outcome:
    return Outcome((program, "-n", "2"), status, 12.0, timed_out, lines, None)


@pytest.mark.parametrize(
    ("outcome", "cause", "advice"),
    [
        (ended(*HYDRA_KILLED, status=9), "a rank was killed by signal 9, SIGKILL", "dmesg"),
        (ended(*OPENMPI_KILLED, status=139), "rank 1 was killed by signal 11, SIGSEGV", None),
        (ended(*SLURM_KILLED, status=143), "rank 3 was killed by signal 9, SIGKILL", "dmesg"),
        (ended(status=-9), "mpiexec was killed by signal 9, SIGKILL", None),
        (ended(status=137), "mpiexec exited with 137 (signal 9, SIGKILL?)", "dmesg"),
        (ended(status=135), "mpiexec exited with 135 (signal 7, SIGBUS?)", "mount -o remount"),
        (ended(status=5), "mpiexec exited with 5", None),
        (ended("run.jsonl: No space left on device", *HYDRA_KILLED), "the disk is full", "free"),
        (ended("x: cannot be written: File too large"), "file may not grow further", "ulimit -f"),
        (
            ended("transrank-run: Resource temporarily unavailable", *HYDRA_KILLED, status=3),
            *("no further process or thread may be started", "ulimit -u"),
        ),
        (ended("[n3] transrank-run: MPI_Irecv failed on rank 3: cut"), "MPI_Irecv failed", None),
        (
            ended("transrank-run: error while loading shared libraries: libmpi.so.12: cannot"),
            *("transrank-run does not find libmpi.so.12", "load the MPI"),
        ),
        (
            ended("[proxy:0@vm] HYDU_create_process (x.c:73): execvp error on file ./no (No such"),
            *("the launcher cannot start ./no", "every node"),
        ),
        (
            ended("transrank-run: unknown or incomplete option '--new'; see transrank-run --help"),
            *("another version: it does not know --new", "make build"),
        ),
        (ended("There are not enough slots available"), "fewer slots than ranks", "fewer ranks"),
        (
            ended("The PMIx server's listener thread failed to start. We cannot"),
            *("the files of a killed job", "start it again"),
        ),
        (
            ended(
                "Abort(807027984): Fatal error in internal_Init_thread: Internal MPI error!",
                "check_MPIR_CVAR_PMI_VERSION(167):  Runtime environment uses unsupported PMI "
                "version PMIx. Aborting.",
                "   Exit code:    16",
            ),
            *("the launcher belongs to another MPI than transrank-run", "unset MPIEXEC"),
        ),
        (ended(status=-9, timed_out=True), "ended after 12 s without an end in sight", "hang"),
    ],
)
def test_the_cause_is_named(outcome, cause, advice):
    found, hint = explain(outcome)
    assert cause in found
    assert (hint is None) if advice is None else (hint is not None and advice in hint)


def test_what_tells_something_is_quoted():
    lines = [
        "[vm:1] OSC UCX component priority set inside component query failed",
        *HYDRA_KILLED,
        "transrank-run: something of ours",
    ]
    kept = without_noise(lines)
    assert kept[0] == "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES"
    assert kept[-1] == "transrank-run: something of ours"
    assert not any("FAQ" in line or "priority" in line for line in kept)
    harmless = [
        RULE,
        "[[1,1],0]: A high-performance Open MPI point-to-point messaging module",
        "was unable to find any relevant network interfaces:",
        "Another transport will be used instead, although this may result in",
        "lower performance.",
        RULE,
    ]
    assert without_noise([*harmless, *OPENMPI_KILLED]) == list(OPENMPI_KILLED[1:3])
    outcome = ended("one", "two", "", "three", "=" * 40)
    assert last_words(outcome, 2) == ["two", "three"]


@pytest.mark.parametrize("lines", [UCX_REFUSED, OPENMPI_REFUSED])
def test_refused_shared_memory_is_told_with_its_place_its_size_and_what_to_do(lines):
    cause, advice = explain(ended(*lines, status=143))
    found = os.statvfs(shared_memory.FOLDER)
    size = format_bytes(found.f_blocks * found.f_frsize)
    assert cause.startswith("MPI could not make the memory that ranks share: ")
    assert f"{shared_memory.FOLDER} has {size} here, " in cause
    assert "size=1G /dev/shm" in advice


def test_a_rank_that_got_sigbus_is_told_of_shared_memory(tmp_path):
    bus_error = [line.replace("Killed (signal 9)", "Bus error (signal 7)") for line in HYDRA_KILLED]
    cause, advice = explain(ended(*bus_error, status=7))
    assert cause == "a rank was killed by signal 7, SIGBUS"
    assert shared_memory.described() in advice
    missing = tmp_path / "shm"
    assert shared_memory.described(missing) == (
        f"{missing} cannot be examined here (No such file or directory)"
    )


PLACEMENT = {"hosts": ["node0", "node1", "node2"], "rank_host": [0, 0, 1, 1, 2]}


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ("ssh: connect to host node1 port 22: lost", "node1, where ranks 2, 3 were to run: lost"),
        ("ssh: Could not resolve hostname node9: Name or", "cannot reach node9: Name or"),
        ("Connection to node2 closed by remote host.", "has lost node2, where rank 4 ran"),
        ("  Remote daemon: [prterun-node0-17@0,1] on node node1", "node1, where ranks 2, 3 ran"),
    ],
)
def test_a_host_that_is_named_is_told_with_its_ranks(words, cause):
    found = lost_hosts.explain(["something before", words, "something after"], PLACEMENT)
    assert found[0].endswith(cause)


def test_hosts_that_may_be_lost_are_told_where_none_is_named(monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: "node0")
    words = ["[mpiexec@node0] control_cb (pmiserv_cb.c:280): assert (!closed) failed"]
    found = lost_hosts.explain(words, PLACEMENT)
    assert found[0] == "the launcher has lost one of node1 (ranks 2, 3), node2 (rank 4)"
    two = {"hosts": ["node0", "node1"], "rank_host": [0, 1]}
    assert lost_hosts.explain(words, two) == (
        "the launcher has lost node1 (rank 1)",
        "is the host still up?",
    )
    assert lost_hosts.explain(words, None) == (
        "the launcher has lost one of its hosts",
        "is the host still up?",
    )
    words = ["[mpiexec@node0] ui_cmd_cb (pmiserv_pmci.c:51): Launch proxy failed."]
    two = {"hosts": ["node0", "node1"], "rank_host": [0, 0, 1, 1]}
    assert lost_hosts.explain(words, two) == (
        "the launcher cannot reach node1, where ranks 2, 3 were to run",
        "is the host up? ssh node1 true",
    )
    found = lost_hosts.explain(words, PLACEMENT)
    assert found[0] == "the launcher cannot reach one of node1 (ranks 2, 3), node2 (rank 4)"
    assert lost_hosts.explain(words, None) == (
        "the launcher cannot reach one of its hosts",
        "are all hosts up?",
    )
    assert lost_hosts.explain(["rank 3 was killed", "mpiexec exited with 9"], PLACEMENT) is None


UNCOUNTED_USER = 54321


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a user who runs nothing here but a shell, and may run six processes."""
    monkeypatch.setattr(process_limit, "_running", lambda: 1)
    monkeypatch.setattr(os, "getuid", lambda: UNCOUNTED_USER)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (6, 6))


def hydra(nodes: int = 1) -> Hydra:
    return Hydra(Capacity(nodes, 4), "mpich", "/nowhere/mpiexec")


@pytest.mark.usefixtures("one_process")
def test_more_ranks_than_may_be_started_are_refused_before_the_launch():
    words = "4 ranks and mpiexec are 6 processes more; this user runs 1 here, threads included, and"
    with pytest.raises(LaunchError, match=words) as error:
        probe(hydra(), Shape(4, 0), {})
    assert "ulimit -u" in str(error.value.hint)


@pytest.mark.usefixtures("one_process")
def test_ranks_that_may_be_started_pass():
    process_limit.check(hydra(), Shape(3, 0))
    process_limit.check(hydra(nodes=2), Shape(4, 0))


def test_no_limit_counts_for_root(monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 0)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1, 1))
    process_limit.check(hydra(), Shape(4, 0))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_own_processes_are_counted_with_their_threads():
    assert process_limit._running() >= 1
