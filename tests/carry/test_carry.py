# SPDX-License-Identifier: BSD-3-Clause
"""Programs under `transrank carry`, which does to them what MPI does."""

import re
import sys
from pathlib import Path

import pytest

from support import trials
from support.bounded import run_bounded
from transrank import installation

HERE = Path(__file__).parent
LIBRARY = installation.variant().folder / "lib" / "libtransrank_carry.so"
CARRIED = {"LD_PRELOAD": str(LIBRARY), "TRANSRANK_CARRY_SUMMARY": "1"}


@pytest.fixture
def both(mpiexec):
    """Run a program on so many ranks without the library, and then with it."""

    def run(ranks, *command, timeout=60.0):
        return [
            mpiexec.run(ranks, *command, timeout=timeout, env=env).check() for env in ({}, CARRIED)
        ]

    return run


@pytest.mark.stress
@pytest.mark.parametrize("ranks", [3, 4])
def test_random_programs_receive_the_same(ranks, both, mpiexec):
    for seed in range(trials.seed(), trials.seed() + max(1, trials.trials(100) // 100)):
        program = (sys.executable, HERE / "random_calls.py", str(seed), "120")
        alone, with_it = both(ranks, *program, timeout=100)
        always = {**CARRIED, "TRANSRANK_CARRY_ALWAYS": "1"}
        further = mpiexec.run(ranks, *program, timeout=100, env=always).check()
        assert alone.stdout == with_it.stdout == further.stdout, seed
        assert re.search(r"[1-9]\d* carried", further.stderr)


def test_errors_are_returned_as_mpi_does(both):
    outcome = both(3, sys.executable, HERE / "errors.py")
    assert [each.stdout for each in outcome] == ["all as expected\n"] * 2
    assert "carried" in outcome[1].stderr


def test_a_program_without_such_calls_is_told_so(both):
    source = "from mpi4py import MPI; MPI.COMM_WORLD.Barrier()"
    _, with_it = both(2, sys.executable, "-c", source)
    assert with_it.stderr.count("nothing was carried") == 1


def test_pcontrol_leaves_calls_to_mpi_and_carries_them_again(mpiexec):
    source = """from mpi4py import MPI
for on in (1, 0, 1):
    MPI.Pcontrol(on)
    for _ in range(5):
        MPI.COMM_WORLD.Alltoall(bytes(8), bytearray(8))"""
    always = {**CARRIED, "TRANSRANK_CARRY_ALWAYS": "1"}
    outcome = mpiexec.run(2, sys.executable, "-c", source, env=always).check()
    assert "10 calls of MPI_Alltoall took" in outcome.stderr
    assert re.search(r"10 carried\n.*communicators: 1,", outcome.stderr)


def test_nothing_is_printed_unless_asked_for(mpiexec):
    source = "from mpi4py import MPI; MPI.COMM_WORLD.alltoall([0, 1])"
    command = (sys.executable, "-c", source)
    outcome = mpiexec.run(2, *command, env={"LD_PRELOAD": str(LIBRARY)}).check()
    assert (outcome.stdout, outcome.stderr) == ("", "")


def test_the_verb_runs_a_program_with_the_library():
    source = "import os; print(os.environ['LD_PRELOAD'], 'TRANSRANK_CARRY_SUMMARY' in os.environ)"
    command = (sys.executable, "-m", "transrank.lab.cli", "carry", "--summary", "--")
    outcome = run_bounded([*command, sys.executable, "-c", source], timeout=60, env={})
    assert outcome.stdout.split() == [str(LIBRARY), "True"]
    refused = run_bounded([*command, "nosuch"], timeout=60, env={})
    assert refused.status == 2
    assert "nosuch is not a program" in refused.stderr
