# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm of two nodes on one machine, on virtual hosts; everything of it lies in one folder."""

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from support import virtual_hosts
from support.virtual_hosts import VirtualHosts

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "scontrol", "sinfo")
START_SECONDS = 30.0
UNFINISHED = ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING")

CONFIGURATION = """\
ClusterName=transrank
SlurmctldHost=node0
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=pmi2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
SlurmdParameters=config_overrides
NodeName=node[0-1] CPUs=2 RealMemory=1000
PartitionName=test Nodes=ALL Default=YES MaxTime=10 State=UP OverSubscribe=EXCLUSIVE
"""


def reason_against() -> str | None:
    """Why there can be no Slurm here; None when there can."""
    for program in PROGRAMS:
        if shutil.which(program) is None:
            return f"{program} is not installed (Debian: slurm-wlm, munge)"
    return virtual_hosts.reason_against()


class SlurmCluster:
    """What tests do on a cluster that is up."""

    def __init__(self, hosts: VirtualHosts, folder: Path) -> None:
        self._hosts = hosts
        self._folder = folder
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}

    def run(
        self, *command: str | Path, cwd: Path, timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """Run a command on the first node, where users log in."""
        return subprocess.run(
            self._hosts.command("node0", *command),
            env=self.environment,
            cwd=cwd,
            timeout=timeout,
            capture_output=True,
            text=True,
        )

    def submit(self, *command: str | Path, cwd: Path, timeout: float) -> tuple[str, str]:
        """Submit a script by `sbatch` and wait for its end; return the job's state and exit code.

        sbatch's own `--wait` asks at longer and longer intervals, so that half of a minute's job
        would be waited for in vain.
        """
        submitted = self.run(*command, cwd=cwd, timeout=timeout)
        assert submitted.returncode == 0, f"{submitted.stderr}\n{self.logs()}"
        number = submitted.stdout.strip()
        patience = time.monotonic() + timeout
        while time.monotonic() < patience:
            shown = self.run("scontrol", "--oneliner", "show", "job", number, cwd=cwd, timeout=10)
            words = dict(word.split("=", 1) for word in shown.stdout.split() if "=" in word)
            if words["JobState"] not in UNFINISHED:
                return words["JobState"], words["ExitCode"]
            time.sleep(0.1)
        raise TimeoutError(f"job {number} is not done after {timeout} s\n{self.logs()}")

    def logs(self) -> str:
        """What the daemons have said."""
        return "\n".join(
            f"== {path.name}\n{path.read_text(errors='replace')[-3000:]}"
            for path in sorted(self._folder.glob("*.log"))
        )


@contextlib.contextmanager
def slurm_cluster(folder: Path) -> Iterator[SlurmCluster]:
    """A cluster of two nodes of two processors each."""
    with VirtualHosts(2) as hosts, contextlib.ExitStack() as daemons:
        cluster = SlurmCluster(hosts, folder)
        _configure(folder)

        def start(name: str, command: list[str]) -> None:
            log = daemons.enter_context((folder / f"{name}-output.log").open("w"))
            process = subprocess.Popen(
                command, env=cluster.environment, stdout=log, stderr=log, start_new_session=True
            )
            daemons.callback(_end, process)

        # The key is the user's own: munged runs as whoever runs the tests.
        start("munged", ["munged", "--foreground", "--force", f"--socket={folder}/munge.socket",
                         f"--key-file={folder}/munge.key", f"--pid-file={folder}/munged.pid",
                         f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed",
                         f"--origin={hosts.addresses[0]}"])  # fmt: skip
        _wait_for((folder / "munge.socket").exists, cluster)
        start("slurmctld", hosts.command("node0", "slurmctld", "-D"))
        for name in hosts.names:
            start(f"slurmd-{name}", hosts.command(name, "slurmd", "-D", "-N", name))

        def both_are_idle() -> bool:
            idle = cluster.run("sinfo", "-h", "-t", "idle", "-o", "%D", cwd=folder, timeout=5)
            return idle.stdout.strip() == "2"

        _wait_for(both_are_idle, cluster)
        yield cluster


def _configure(folder: Path) -> None:
    for name in ("state", "spool-node0", "spool-node1"):
        (folder / name).mkdir(parents=True)
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)
    (folder / "slurm.conf").write_text(CONFIGURATION.format(folder=folder))
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")


def _wait_for(ready: Callable[[], bool], cluster: SlurmCluster) -> None:
    patience = time.monotonic() + START_SECONDS
    while time.monotonic() < patience:
        with contextlib.suppress(subprocess.TimeoutExpired):
            if ready():
                return
        time.sleep(0.1)
    raise TimeoutError(f"the cluster is not up after {START_SECONDS} s\n{cluster.logs()}")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
