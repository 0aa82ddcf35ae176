# SPDX-License-Identifier: BSD-3-Clause
"""A C++ program of a user's: find_package(transrank), and the examples built that way."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from bounded import Finished, run_bounded
from conftest import Mpiexec
from transrank import installation

ROOT = Path(__file__).parent.parent.parent
# Programs of the environment (cmake, ninja) come first.
ENVIRONMENT = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
# Seconds on an idle core; a busy machine is slow, not wrong.
BUILD_SECONDS = 300


def cmake(*arguments: str | Path) -> Finished:
    return run_bounded(["cmake", *arguments], timeout=BUILD_SECONDS, env=ENVIRONMENT)


def configure(prefix: Path, build: Path) -> Finished:
    mpiexec = installation.mpiexec()
    assert mpiexec is not None
    return cmake(
        *("-G", "Ninja", "-S", ROOT / "examples", "-B", build),
        *("-D", f"CMAKE_PREFIX_PATH={prefix}"),
        *("-D", f"MPI_CXX_COMPILER={mpiexec.parent / 'mpicxx'}"),
    )


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the C++ package of the build folder is installed."""
    folder = tmp_path_factory.mktemp("prefix")
    build = ROOT / "build" / installation.build().mpi
    cmake("--install", build, "--component", "development", "--prefix", folder).check()
    return folder


@pytest.fixture(scope="module")
def examples(prefix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the examples' programs."""
    folder = tmp_path_factory.mktemp("examples")
    configure(prefix, folder).check()
    cmake("--build", folder).check()
    return folder


def heat_in_a_box(n: int, steps: int) -> np.ndarray:
    """What examples/stencil.cpp computes, on one process."""
    x, y, z = np.indices((n, n, n))
    u = ((7 * x + 13 * y + 29 * z) % 31).astype(float)
    for _ in range(steps):
        around = sum(np.roll(u, shift, axis) for axis in range(3) for shift in (1, -1))
        u = u + 0.1 * (around - 6 * u)
    return u


@pytest.mark.timeout(3 * BUILD_SECONDS)
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_the_stencil_computes_what_one_process_does(
    ranks: int, examples: Path, mpiexec: Mpiexec, tmp_path: Path
) -> None:
    n, steps, file = 11, 6, tmp_path / "heat.bin"
    mpiexec.run(ranks, examples / "stencil", str(n), str(steps), file).check()
    heat = np.fromfile(file).reshape(n, n, n)
    np.testing.assert_allclose(heat, heat_in_a_box(n, steps), rtol=1e-12)


@pytest.mark.timeout(3 * BUILD_SECONDS)
@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("program", ["ghosts", "redistribution"])
def test_an_example_gets_what_it_expects(
    program: str, ranks: int, examples: Path, mpiexec: Mpiexec
) -> None:
    outcome = mpiexec.run(ranks, examples / program).check()
    assert sorted(outcome.stdout.splitlines()) == [
        f"rank {it} of {ranks}: right" for it in range(ranks)
    ]


@pytest.mark.timeout(3 * BUILD_SECONDS)
def test_the_program_of_the_readme_runs(examples: Path, mpiexec: Mpiexec) -> None:
    outcome = mpiexec.run(2, examples / "halo_update").check()
    assert sorted(outcome.stdout.splitlines()) == ["rank 0: 1 lies below", "rank 1: 0 lies below"]


INCLUDE = re.compile(r'^#include "(transrank/[^"]+)"', re.MULTILINE)


def test_a_package_holds_the_library_and_what_its_umbrella_includes(prefix: Path) -> None:
    installed = {path.relative_to(prefix / "include") for path in prefix.rglob("*.hpp")}
    included, unread = set(), {Path("transrank", "transrank.hpp")}
    while unread:
        header = unread.pop()
        included.add(header)
        text = (ROOT / "cpp" / header).read_text()
        unread |= {Path(name) for name in INCLUDE.findall(text)} - included
    assert installed == included
    assert not any("lab" in path.parts for path in installed)
    assert list(prefix.rglob("libtransrank.a"))
    texts = [path.read_text() for path in prefix.rglob("*.cmake")]
    assert len(texts) == 4
    assert not any(str(ROOT) in text for text in texts), "a path of the build is left in it"


@pytest.mark.timeout(BUILD_SECONDS)
def test_another_mpi_than_that_of_the_library_is_refused(prefix: Path, tmp_path: Path) -> None:
    kind = installation.mpi_kind()
    if kind == "other":
        pytest.skip("nothing is known of this MPI's binary interface")
    other = "openmpi" if kind == "mpich" else "mpich"
    elsewhere = shutil.copytree(prefix, tmp_path / "prefix")
    config = next(elsewhere.rglob("transrank-config.cmake"))
    config.write_text(config.read_text().replace(f'"{kind}" STREQUAL', f'"{other}" STREQUAL'))
    refused = configure(elsewhere, tmp_path / "build")
    assert refused.status != 0
    assert f"transrank was compiled with {kind}, but the MPI found here" in " ".join(
        refused.stderr.split()
    )


def test_a_python_installation_holds_no_headers() -> None:
    package = Path(installation.runner()).parent.parent
    assert not list(package.rglob("*.hpp"))
    assert not list(package.rglob("*.a"))
