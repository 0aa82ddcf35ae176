# SPDX-License-Identifier: BSD-3-Clause
"""A program of a user's in C++ or C: find_package(transrank), and the examples built that way."""

import os
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from support.bounded import Finished, run_bounded
from transrank import installation

ROOT = Path(__file__).parent.parent.parent
# Programs of the environment (cmake, ninja) come first.
ENVIRONMENT = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
# Seconds on an idle core; a busy machine is slow, not wrong.
BUILD_SECONDS = 300
pytestmark = pytest.mark.timeout(3 * BUILD_SECONDS)


def cmake(*arguments: str | Path) -> Finished:
    return run_bounded(["cmake", *arguments], timeout=BUILD_SECONDS, env=ENVIRONMENT)


def mpi_compiler(name: str) -> Path:
    mpiexec = installation.mpiexec()
    assert mpiexec is not None
    return mpiexec.parent / name


def configure(prefix: Path, build: Path, project: str = "examples") -> Finished:
    return cmake(
        *("-G", "Ninja", "-S", ROOT / project, "-B", build),
        *("-D", f"CMAKE_PREFIX_PATH={prefix}"),
        *("-D", f"MPI_CXX_COMPILER={mpi_compiler('mpicxx')}"),
        *("-D", f"MPI_C_COMPILER={mpi_compiler('mpicc')}"),
        # Compiled in half the time.
        *("-D", "CMAKE_CXX_FLAGS_RELEASE=-O0"),
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
    """The folder of the examples' programs, those of C below it."""
    folder = tmp_path_factory.mktemp("examples")
    for project, build in (("examples", folder), ("examples/c", folder / "c")):
        configure(prefix, build, project).check()
        cmake("--build", build).check()
    return folder


@pytest.fixture(scope="module")
def alone(mpiexec, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what the Python examples compute without transrank."""
    folder = tmp_path_factory.mktemp("alone")
    program = (
        "import pathlib, runpy, sys\n"
        "for path in map(pathlib.Path, sys.argv[1:]):\n"
        "    runpy.run_path(path)['alone']().tofile(path.stem)\n"
    )
    sources = [ROOT / "examples" / f"{name}.py" for name in SOLVERS]
    mpiexec.run(1, sys.executable, "-c", program, *sources, cwd=folder).check()
    return folder


SOLVERS = {"jacobi": 50, "shallow_water": 75, "stencil": 85, "triangles": 105}


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("program", SOLVERS)
def test_a_solver_computes_what_its_twin_in_python_does_alone(
    program, ranks, examples, alone, mpiexec, tmp_path
):
    mpiexec.run(ranks, examples / program, cwd=tmp_path).check()
    found = np.fromfile(tmp_path / f"{program}.bin")
    np.testing.assert_allclose(found, np.fromfile(alone / program), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("program", SOLVERS)
def test_a_solver_is_short(program):
    lines = (ROOT / "examples" / f"{program}.cpp").read_text().splitlines()
    assert len(lines) <= SOLVERS[program]


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize(
    "program",
    ["ghosts", "recipes", "redistribution", "c/gather_scatter", "c/recipes", "c/routes"],
)
def test_an_example_gets_what_it_expects(program, ranks, examples, mpiexec, tmp_path):
    outcome = mpiexec.run(ranks, examples / program, cwd=tmp_path).check()
    assert sorted(outcome.stdout.splitlines()) == [
        f"rank {it} of {ranks}: right" for it in range(ranks)
    ]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_the_program_of_the_readme_runs(ranks, examples, mpiexec):
    outcome = mpiexec.run(ranks, examples / "halo_update").check()
    across = 2 if ranks == 4 else 1
    assert sorted(outcome.stdout.splitlines()) == [
        f"rank {it}: before my first row lies rank {(it - across) % ranks}" for it in range(ranks)
    ]


def test_a_c_program_is_built_with_what_pkg_config_says(prefix, mpiexec, tmp_path):
    if shutil.which("pkg-config") is None:
        pytest.skip("pkg-config is not installed")
    (folder,) = {path.parent for path in prefix.rglob("transrank.pc")}
    said = run_bounded(
        ["pkg-config", "--cflags", "--libs", "transrank"],
        timeout=30,
        env={"PKG_CONFIG_PATH": str(folder)},
    ).check()
    program = tmp_path / "halo_update"
    source = ROOT / "examples" / "c" / "halo_update.c"
    strict = ("-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror")
    path = f"-Wl,-rpath,{folder.parent}"
    run_bounded(
        [mpi_compiler("mpicc"), *strict, source, "-o", program, *said.stdout.split(), path],
        timeout=BUILD_SECONDS,
        env=ENVIRONMENT,
    ).check()
    outcome = mpiexec.run(2, program).check()
    said = sorted(outcome.stdout.splitlines())
    assert said == [f"rank {it}: before my first row lies rank {1 - it}" for it in range(2)]


def test_a_project_may_have_the_library_as_a_subdirectory(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(it LANGUAGES CXX)\n"
        f"add_subdirectory({ROOT} transrank)\n"
        f"add_executable(it {ROOT}/examples/halo_update.cpp)\n"
        "target_link_libraries(it PRIVATE transrank::transrank)\n"
    )
    build = tmp_path / "build"
    mpi = {"TRANSRANK_MPI": "", "MPI_HOME": str(mpi_compiler("mpicxx").parent.parent)}
    command = ["cmake", "-G", "Ninja", "-S", tmp_path, "-B", build]
    run_bounded(command, timeout=BUILD_SECONDS, env={**ENVIRONMENT, **mpi}).check()
    said = run_bounded(["ninja", "-C", build, "-t", "commands"], timeout=60, env=ENVIRONMENT)
    compiled = said.check().stdout
    assert "/cpp/transrank/exchange/exchange.cpp" in compiled
    assert "/cpp/lab/" not in compiled, "the laboratory is compiled, which nobody asked for"


def test_a_component_that_there_is_not_is_named(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(it LANGUAGES C)\n"
        "find_package(transrank REQUIRED COMPONENTS C Cobol)\n"
    )
    refused = cmake(
        *("-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build"),
        *("-D", f"CMAKE_PREFIX_PATH={prefix}"),
    )
    assert refused.status != 0
    assert "transrank has no component Cobol; it has: CXX;C;Fortran" in " ".join(
        refused.stderr.split()
    )


def syntax_of(program: Path, text: str, compiler: str, prefix: Path, *flags: str) -> Finished:
    """What the compiler of the MPI says of a program that sees an installed package alone."""
    program.write_text(text)
    command = [mpi_compiler(compiler), *flags, "-fsyntax-only", f"-I{prefix / 'include'}", program]
    return run_bounded(command, timeout=BUILD_SECONDS, env=ENVIRONMENT)


def test_what_the_pages_for_cpp_and_c_name_is_installed(prefix, tmp_path):
    page = (ROOT / "docs" / "cpp.md").read_text("utf-8")
    tables = re.findall(r"^```\{names\} cpp (.*)", page, re.MULTILINE)
    headers = [f"transrank/{header}" for table in tables for header in table.split()]
    assert len(headers) > 30
    comments = [
        line
        for header in headers
        for line in (ROOT / "cpp" / header).read_text("utf-8").splitlines()
        if line.lstrip().startswith("///")
    ]
    spaces = "mpi|layout|route|discovery|memory|transport|exchange|array|collective|redistribution"
    names = {
        f"transrank::{name}"
        for name in re.findall(rf"\b(?:{spaces})::\w+", "\n".join([page, *comments]))
    }
    assert {"transrank::mpi::AgreedError", "transrank::transport::BrokenExchange"} <= names
    includes = [f'#include "{header}"' for header in headers]
    umbrella = ['#include "transrank/transrank.hpp"']
    using = [f"using {name};" for name in sorted(names)]
    for number, lines in enumerate((includes, umbrella)):
        text = "\n".join([*lines, *using, ""])
        program = tmp_path / f"cpp{number}.cpp"
        syntax_of(program, text, "mpicxx", prefix, "-std=c++20").check()

    docs = [ROOT / "docs" / "c.md", *(ROOT / "docs" / "recipes").glob("*.md")]
    page = "".join(path.read_text("utf-8") for path in docs)
    page = re.sub(r"```fortran.*?```", "", page, flags=re.DOTALL)
    functions = set(re.findall(r"\btransrank_\w+(?=\()", page))
    constants = set(re.findall(r"\bTRANSRANK_\w+", page))
    assert len(functions) > 10
    assert len(constants) > 3
    text = '#include "transrank/transrank.h"\n' + "".join(
        f'_Static_assert(sizeof({name}) > 0, "");\n'
        for name in sorted(constants | {f"&{function}" for function in functions})
    )
    syntax_of(tmp_path / "c.c", text, "mpicc", prefix, "-std=c11", "-Wall", "-Werror").check()


@pytest.mark.parametrize(
    ("header", "compiler", "flag"),
    [
        ("transrank/transrank.hpp", "mpicxx", "-std=c++20"),
        ("transrank/transrank.h", "mpicc", "-std=c11"),
        ("transrank/version.h", "mpicc", "-std=c11"),
    ],
)
def test_the_headers_tell_the_version_of_the_package(header, compiler, flag, prefix, tmp_path):
    said = installation.build().version
    major, minor, patch = map(int, said.split("."))
    number = 10000 * major + 100 * minor + patch
    text = (
        f'#include "{header}"\n'
        f"#if TRANSRANK_VERSION_NUMBER != {number} || TRANSRANK_VERSION_MAJOR != {major} || \\\n"
        f"    TRANSRANK_VERSION_MINOR != {minor} || TRANSRANK_VERSION_PATCH != {patch}\n"
        "#error another version\n#endif\n"
        f'typedef char same[sizeof(TRANSRANK_VERSION) == sizeof("{said}") ? 1 : -1];\n'
    )
    program = tmp_path / ("it.cpp" if compiler == "mpicxx" else "it.c")
    syntax_of(program, text, compiler, prefix, flag).check()


INCLUDE = re.compile(r'^#include "(transrank/[^"]+hpp)"', re.MULTILINE)


def test_a_package_holds_the_library_and_what_its_umbrella_includes(prefix):
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
    assert len(texts) == 6
    assert not any(str(ROOT) in text for text in texts), "a path of the build is left in it"


@pytest.mark.parametrize("project", ["examples", "examples/c"])
def test_another_mpi_than_that_of_the_library_is_refused(project, prefix, tmp_path):
    kind = installation.mpi_kind()
    if kind == "other":
        pytest.skip("nothing is known of this MPI's binary interface")
    other = "openmpi" if kind == "mpich" else "mpich"
    elsewhere = shutil.copytree(prefix, tmp_path / "prefix")
    config = next(elsewhere.rglob("transrank-config.cmake"))
    config.write_text(config.read_text().replace(f'"{kind}" STREQUAL', f'"{other}" STREQUAL'))
    refused = configure(elsewhere, tmp_path / "build", project)
    assert refused.status != 0
    assert f"transrank was compiled with {kind}, but the MPI found here" in " ".join(
        refused.stderr.split()
    )


def test_a_python_installation_holds_no_headers():
    package = installation.runner().parents[3]
    assert not list(package.rglob("*.hpp"))
    libraries = {it.name for it in package.rglob("*") if it.name.startswith("libtransrank")}
    # What programs preload, and what that loads.
    assert libraries <= {"libtransrank_carry.so", "libtransrank_carrier.so"}
