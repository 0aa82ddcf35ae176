# SPDX-License-Identifier: BSD-3-Clause
"""`transrank measure` over several virtual hosts: started on the first, by mpiexec and its ssh."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from support import virtual_hosts
from support.virtual_hosts import VirtualHosts
from transrank import installation
from transrank.lab.launch.launcher import MPICH_YIELDS, OPENMPI_AS_ROOT
from transrank.lab.store.records import Run, read_run

# The hosts share a file system and the cores, but nothing that MPI takes for one host.
SETTINGS = {
    "mpich": {"MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp", **MPICH_YIELDS},
    "openmpi": {
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl": "self,sm,tcp",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        **OPENMPI_AS_ROOT,
    },
}
FINISHED = '"kind":"case"'


def reason_against() -> str | None:
    """Why nothing can be launched over virtual hosts here; None when it can."""
    if installation.mpi_kind() not in SETTINGS:
        return "how this MPI reaches hosts is unknown"
    return virtual_hosts.reason_against()


@dataclass(frozen=True)
class Site:
    """Hosts, and how many ranks each takes at most."""

    hosts: VirtualHosts
    slots: int = 2

    def start(self, record: Path, *arguments: str) -> subprocess.Popen[str]:
        """Start `transrank measure ARGUMENTS` on the first host, over as many as it needs."""
        launcher = f"{' '.join(self._mpiexec(record.parent))} -n {{ranks}}"
        command = [sys.executable, "-m", "transrank.lab.cli", "measure", *arguments]
        return subprocess.Popen(
            self.hosts.command("node0", *command, "--launcher", launcher, "-o", record),
            env={**_environment(), "TRANSRANK_STORE": str(record.parent)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, folder: Path, ranks: int, *program: str | Path) -> str:
        """Run a program on so many ranks to its end, which must be a good one; what it printed."""
        ended = subprocess.run(
            self.hosts.command("node0", *self._mpiexec(folder), "-n", str(ranks), *program),
            env=_environment(),
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}"
        return ended.stdout

    def _mpiexec(self, folder: Path) -> list[str]:
        agent = str(self.hosts.agent(folder))
        where = ",".join(f"{name}:{self.slots}" for name in self.hosts.names)
        reach = {
            "mpich": ["-launcher", "ssh", "-launcher-exec", agent, "-hosts", where],
            "openmpi": ["--prtemca", "plm_ssh_agent", agent, "--host", where],
        }[installation.mpi_kind()]
        bind = {"mpich": "-bind-to", "openmpi": "--bind-to"}[installation.mpi_kind()]
        return [str(installation.mpiexec()), *reach, bind, "none"]

    def measure(self, record: Path, *arguments: str) -> Run:
        """Run it to its end, which must be a good one."""
        running = self.start(record, *arguments)
        _, said = running.communicate(timeout=120)
        assert running.returncode == 0, said
        return read_run(record)

    def disturb(
        self, record: Path, disturbance: Callable[[], None], *arguments: str, after: int = 1
    ) -> tuple[int, str, float]:
        """Disturb a run after so many cases; return its status, last words and seconds until it."""
        running = self.start(record, *arguments)
        while running.poll() is None and cases_in(record) < after:
            time.sleep(0.02)
        assert running.poll() is None, running.communicate()[1]
        disturbed = time.monotonic()
        disturbance()
        _, said = running.communicate(timeout=90)
        return running.returncode, said, time.monotonic() - disturbed


def _environment() -> dict[str, str]:
    tests = str(Path(__file__).parents[1])
    return {**os.environ, **SETTINGS[installation.mpi_kind()], "PYTHONPATH": tests}


def cases_in(record: Path) -> int:
    """How many cases are finished."""
    return record.read_text().count(FINISHED) if record.exists() else 0
