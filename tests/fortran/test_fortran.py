# SPDX-License-Identifier: BSD-3-Clause
"""The Fortran module: random moves against a serial oracle, misuse, and the examples."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from bounded import run_bounded
from built import ROOT, build_folder
from conftest import Mpiexec
from transrank import installation
from trials import seconds, trials

HERE = Path(__file__).parent
# Wheels of MPI have no Fortran, and the module needs none.
STAND_IN = [HERE / "mpi_f08.f90", HERE / "communicator.c"]
ENVIRONMENT = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
BUILD_SECONDS = 120
FLAGS = ["-std=f2018", "-Wall", "-Wextra", "-Werror", "-Wno-maybe-uninitialized", "-fcheck=all"]
RANKS = pytest.mark.parametrize("ranks", [1, 2, 3, 4])

pytestmark = pytest.mark.skipif(
    shutil.which("gfortran") is None, reason="there is no gfortran; on Debian apt-get install it"
)


def mpicc() -> Path:
    mpiexec = installation.mpiexec()
    assert mpiexec is not None
    return mpiexec.parent / "mpicc"


@pytest.fixture(scope="module")
def moves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of random moves."""
    folder = tmp_path_factory.mktemp("moves")
    sources = [ROOT / "fortran" / "transrank.f90", STAND_IN[0], HERE / "moves_program.f90"]
    library = build_folder() / "cpp" / "c"
    link = ["-lgfortran", f"-L{library}", "-ltransrank", f"-Wl,-rpath,{library}", "-lm"]
    for command in (
        ["gfortran", *FLAGS, "-c", *sources],
        [
            mpicc(),
            *STAND_IN[1:],
            *(it.with_suffix(".o").name for it in sources),
            *link,
            "-o",
            "moves",
        ],
    ):
        run_bounded(command, timeout=BUILD_SECONDS, env=ENVIRONMENT, cwd=folder).check()
    return folder / "moves"


@pytest.mark.timeout(BUILD_SECONDS)
@RANKS
def test_random_moves_are_those_of_one_process(ranks: int, moves: Path, mpiexec: Mpiexec) -> None:
    mpiexec.run(ranks, moves, str(trials(20)), timeout=seconds(60)).check()


def test_an_error_that_nobody_looks_at_ends_the_program_with_its_text(
    moves: Path, mpiexec: Mpiexec
) -> None:
    outcome = mpiexec.run(1, moves, "-1", env={"TRANSRANK_TRANSPORT": "nosuch"})
    assert outcome.status != 0
    assert "ERROR STOP TRANSRANK_TRANSPORT: unknown transport 'nosuch'" in outcome.stderr


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of examples/fortran, built against the installed package."""
    folder = tmp_path_factory.mktemp("fortran")
    prefix = folder / "prefix"
    install = ("--install", build_folder(), "--component", "development", "--prefix", prefix)
    configure = (
        *("-G", "Ninja", "-S", ROOT / "examples" / "fortran", "-B", folder),
        *("-D", f"CMAKE_PREFIX_PATH={prefix}", "-D", f"MPI_C_COMPILER={mpicc()}"),
        *("-D", f"PROGRAM_MPI={';'.join(map(str, STAND_IN))}"),
    )
    for arguments in (install, configure, ("--build", folder)):
        run_bounded(["cmake", *arguments], timeout=BUILD_SECONDS, env=ENVIRONMENT).check()
    return folder


@pytest.mark.timeout(BUILD_SECONDS)
@RANKS
@pytest.mark.parametrize("program", ["bundle", "gather_scatter"])
def test_an_example_gets_what_it_expects(
    program: str, ranks: int, examples: Path, mpiexec: Mpiexec
) -> None:
    outcome = mpiexec.run(ranks, examples / program).check()
    assert sorted(outcome.stdout.splitlines()) == [
        f"rank {it} of {ranks}: right" for it in range(ranks)
    ]


@pytest.mark.timeout(BUILD_SECONDS)
@RANKS
def test_shallow_water_is_that_of_one_process(ranks: int, examples: Path, mpiexec: Mpiexec) -> None:
    outcome = mpiexec.run(ranks, examples / "shallow_water").check()
    found = re.fullmatch(r"after 20 steps: water (\S+), highest (\S+)\n", outcome.stdout)
    assert found is not None, outcome.stdout
    assert (found[1], found[2]) == ("2315.000000", "1.025322")
