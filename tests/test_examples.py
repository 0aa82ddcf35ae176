# SPDX-License-Identifier: BSD-3-Clause
"""The Python examples, as a user runs them."""

import re
import sys
from pathlib import Path

import pytest

from conftest import ONE_THREAD
from support.bounded import run_bounded

EXAMPLES = Path(__file__).parent.parent / "examples"
RANKS = pytest.mark.parametrize("ranks", [1, 2, 3, 4])


# Programs that check their result against a run without transrank, and how long they may be.
CHECKED = {"jacobi": 55, "shallow_water": 65, "stencil": 65, "triangles": 85}


@RANKS
@pytest.mark.parametrize("name", CHECKED)
def test_a_result_is_that_of_one_rank(name, ranks, mpiexec):
    outcome = mpiexec.run(ranks, sys.executable, EXAMPLES / f"{name}.py").check()
    assert re.fullmatch(rf"{ranks} ranks, \d+ steps, as on one rank; \w+ \S+\n", outcome.stdout)


@pytest.mark.parametrize("name", CHECKED)
def test_an_example_is_short(name):
    assert len((EXAMPLES / f"{name}.py").read_text().splitlines()) <= CHECKED[name]


@RANKS
def test_advection(ranks, mpiexec):
    program = EXAMPLES / "advection.py"
    options = ["--velocity", "0.5", "-0.25"]
    outcome = mpiexec.run(ranks, sys.executable, program, *options).check()
    found = re.fullmatch(
        rf"{ranks} ranks, 50 steps, mean error (\S+), mass (\S+)\n", outcome.stdout
    )
    assert found is not None
    assert 1e-4 < float(found[1]) < 1e-3  # a first-order scheme is at 4e-3
    assert float(found[2]) < 1e-10
    if ranks == 1:
        refused = mpiexec.run(ranks, sys.executable, program, "--dt", "1")
        assert "|velocity| dt/h = 7.96 exceeds 2" in refused.stderr


def test_the_advection_is_short():
    assert len((EXAMPLES / "advection.py").read_text().splitlines()) <= 80


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_ghost_update(ranks, mpiexec):
    program = EXAMPLES / "ghost_update.py"
    outcome = mpiexec.run(ranks, sys.executable, program, "-n", "20", "--vdim", "6", "20").check()
    assert "volume 32768 rows, six faces 6144 rows, 18.75%" in outcome.stdout
    main_data = re.findall(r"^main data: (\d+) bytes$", outcome.stdout, re.MULTILINE)
    assert main_data == [str(8 * vdim * 32**3) for vdim in (6, 20)]
    assert outcome.stdout.count("Iter 10 / 20 done\nIter 20 / 20 done\nrank 0 time per iter: ") == 2
    bandwidths = re.findall(r"^BW: (\S+), max (\S+), min (\S+)$", outcome.stdout, re.MULTILINE)
    assert len(bandwidths) == 2
    for words in bandwidths:
        mean, most, least = map(float, words)
        assert 0 < least <= mean <= most
    rows = re.findall(r"^(\w+) +(\d+) +([ABC]) +(\d+) +(\d+) +\S+ ", outcome.stdout, re.MULTILINE)
    assert len(rows) == 2 * 2 * 3
    # Of neighbors that coincide only the last face survives; edges are asked for twice.
    distinct = {1: 1, 2: 2, 4: 3}[ranks] * 1024
    for pattern, _, _, counted, moved in rows:
        assert int(counted) == (6144 if pattern == "corrected" else distinct)
        assert int(moved) <= int(counted)
    assert re.search(r"^best total \S+ [kMG]B/s$", outcome.stdout, re.MULTILINE)


def require_gmsh() -> None:
    loaded = run_bounded([sys.executable, "-c", "import gmsh"], timeout=60, env=ONE_THREAD)
    if loaded.status != 0:
        why = (loaded.stderr.splitlines() or ["no message"])[-1]
        pytest.skip(
            f"gmsh cannot be loaded ({why}); pip install gmsh, and on Debian apt-get install "
            "libglu1-mesa libxcursor1 libxft2 libxinerama1"
        )


@RANKS
def test_mesh(ranks, mpiexec):
    require_gmsh()
    outcome = mpiexec.run(ranks, sys.executable, EXAMPLES / "mesh.py", timeout=120).check()
    cells = re.search(r"^(\d+) cells \(([\d, ]+)\), (\d+) vertices$", outcome.stdout, re.MULTILINE)
    assert cells is not None, outcome.stdout
    per_rank = [int(count) for count in cells[2].split(",")]
    assert len(per_rank) == ranks
    assert sum(per_rank) == int(cells[1]) > 1000
    assert max(per_rank) - min(per_rank) <= ranks


def require_mpi4py_fft() -> None:
    loaded = run_bounded([sys.executable, "-c", "import mpi4py_fft"], timeout=60, env=ONE_THREAD)
    if loaded.status != 0:
        why = (loaded.stderr.splitlines() or ["no message"])[-1]
        pytest.skip(
            f"mpi4py-fft cannot be loaded ({why}); on Debian apt-get install libfftw3-dev, and "
            "pip install mpi4py-fft"
        )


@RANKS
def test_fft(ranks, mpiexec):
    require_mpi4py_fft()
    program = EXAMPLES / "fft.py"
    outcome = mpiexec.run(ranks, sys.executable, program, "--points", "20").check()
    found = re.findall(
        r"rank \d+, shared=(\w+): same spectrum True, field returned True", outcome.stdout
    )
    assert sorted(found) == ["False"] * ranks + ["True"] * ranks


@RANKS
def test_transfers_of_mpi4py_fft_move_what_mpi_moves(ranks, mpiexec):
    require_mpi4py_fft()
    program = Path(__file__).parent / "python" / "fft" / "transfers.py"
    outcome = mpiexec.run(ranks, sys.executable, "-m", "mpi4py", program, timeout=120).check()
    assert outcome.stdout.count("same") == 2 * 6 + 3 + 1
