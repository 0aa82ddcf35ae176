# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures for every test: programs started under the mpiexec that belongs to this installation."""

import inspect
import os
import re
import signal
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import settings

from support import trials
from support.bounded import Finished, run_bounded
from transrank import installation

# A busy machine makes an example slow, not wrong.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")

# A shell starts background jobs with SIGINT ignored, and children inherit that: then the tests that
# interrupt a survey would wait in vain.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Ranks of a test share the cores, with other programs too. Both MPIs then have to yield; Open MPI
# moreover asks before it runs as root or starts more ranks than cores.
OVERSUBSCRIBED = {
    "MPIR_CVAR_DEVICE_COLLECTIVES": "none",
    "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
    "MPIR_CVAR_POLLS_BEFORE_YIELD": "10",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    # Where there is no network for it, Open MPI 5 sleeps for a second in MPI_Init to close its
    # module for libfabric.
    "OMPI_MCA_btl": "^ofi",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
# Each rank of a Python program would start one BLAS thread per core.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """Mark what tries random cases, and let the longest begin first: what is built anew."""
    for item in items:
        if trials.are_in(item.path.read_text()) and trials.are_in(inspect.getsource(item.obj)):
            item.add_marker(pytest.mark.stress)
    mark_further_ranks(items)
    items.sort(key=lambda item: item.get_closest_marker("install") is None)


def mark_further_ranks(items: list[pytest.Function]) -> None:
    """Of the numbers of ranks of a test, 1 and 3 find most: messages to itself, odd numbers."""
    ranks_of: dict[str, dict[int, pytest.Function]] = defaultdict(dict)
    for item in items:
        ranks = item.callspec.params.get("ranks") if hasattr(item, "callspec") else None
        if isinstance(ranks, int):
            ranks_of[re.sub(rf"(?<=[\[-]){ranks}(?=[\]-])", "", item.nodeid)][ranks] = item
    for counted in ranks_of.values():
        if counted.keys() & {1, 3}:
            for ranks in counted.keys() & {2, 4}:
                counted[ranks].add_marker(pytest.mark.further_ranks)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what `make stress` has tried."""
    if trials.VARIABLE not in os.environ:
        return
    outcomes = {"passed": 0, "failed": 0}
    terminalreporter.section("random cases")
    for outcome in outcomes:
        for report in terminalreporter.getreports(outcome):
            if report.when == "call" and "stress" in report.keywords:
                outcomes[outcome] += 1
                terminalreporter.line(f"{outcome} in {report.duration:5.0f} s: {report.nodeid}")
    told = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
    each = f"{trials.trials(0)} cases in each, seed {trials.seed()}"
    terminalreporter.line(f"{installation.build().mpi}: {told}; {each}")


class Mpiexec:
    """Runs programs under mpiexec, bounded in time."""

    def __init__(self, mpiexec: Path) -> None:
        self.path = mpiexec

    def run(
        self,
        ranks: int,
        *command: str | Path,
        timeout: float = 60,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Finished:
        """Run `command` on `ranks` ranks; see run_bounded for what comes back."""
        return run_bounded(
            [self.path, "-n", str(ranks), *command],
            timeout=timeout,
            env={**ONE_THREAD, **(env or {})},
            cwd=cwd,
        )


@pytest.fixture(scope="session", autouse=True)
def _oversubscribed() -> None:
    """Let every child process of the tests share the cores, started by mpiexec or by transrank."""
    os.environ.update(OVERSUBSCRIBED)


@pytest.fixture(autouse=True)
def _long_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every command say a sentence in one line; how lines are broken has its own tests."""
    monkeypatch.setenv("COLUMNS", "1000")


@pytest.fixture(autouse=True)
def _own_job_folder(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keep what killed jobs of Open MPI leave behind out of the way of later jobs.

    A launcher names its folder by its process number, and does not start where a killed one of the
    same number has left its own: numbers come round again within one run of the tests.
    """
    monkeypatch.setenv("PRTE_MCA_prte_tmpdir_base", str(tmp_path_factory.mktemp("jobs")))


@pytest.fixture(scope="session")
def mpiexec() -> Mpiexec:
    path = installation.mpiexec()
    assert path is not None, "this installation has no mpiexec; set MPIEXEC"
    return Mpiexec(path)
