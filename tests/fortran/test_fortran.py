# SPDX-License-Identifier: BSD-3-Clause
"""The Fortran module: random moves against a serial oracle, misuse, and the examples."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from support import moves
from support.bounded import run_bounded
from support.built import ROOT, build_folder
from support.trials import seconds, seed, trials
from transrank import installation

HERE = Path(__file__).parent
# Wheels of MPI have no Fortran, and the module needs none.
STAND_IN = [HERE / "mpi_f08.f90", HERE / "communicator.c"]
ENVIRONMENT = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
BUILD_SECONDS = 120
FLAGS = ["-std=f2018", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-maybe-uninitialized"]
CHECKS = "-fcheck=all,no-array-temps"
RANKS = pytest.mark.parametrize("ranks", [1, 2, 3, pytest.param(4, marks=pytest.mark.most_ranks)])
MODULE = ROOT / "fortran" / "transrank.f90"
HEADER = ROOT / "cpp" / "c" / "transrank" / "transrank.h"
TWINS = ROOT / "cpp" / "c" / "fortran.cpp"

needs_compiler = pytest.mark.skipif(
    shutil.which("gfortran") is None, reason="there is no gfortran; on Debian apt-get install it"
)


def mpicc() -> Path:
    mpiexec = installation.mpiexec()
    assert mpiexec is not None
    return mpiexec.parent / "mpicc"


def sanitizers() -> list[str]:
    """The flag of the sanitizers that watch the library."""
    cache = (build_folder() / "CMakeCache.txt").read_text()
    found = re.search(r"^TRANSRANK_SANITIZE:\w+=(.+)$", cache, re.MULTILINE)
    return [f"-fsanitize={found[1]}"] if found else []


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of this folder."""
    folder = tmp_path_factory.mktemp("programs")
    names = [it.stem for it in HERE.glob("*_program.f90")]
    modules = [MODULE, STAND_IN[0], HERE / "testing.f90"]
    library = build_folder() / "cpp" / "c"
    link = ["-lgfortran", f"-L{library}", "-ltransrank", f"-Wl,-rpath,{library}", "-lm"]
    objects = [it.with_suffix(".o").name for it in modules]
    sources = [*modules, *(HERE / f"{name}.f90" for name in names)]
    commands: list[list[str | Path]] = [["gfortran", *FLAGS, CHECKS, *sanitizers(), "-c", *sources]]
    for name in names:
        linked = [*STAND_IN[1:], *objects, f"{name}.o", *link, "-o", name]
        commands.append([mpicc(), *sanitizers(), *linked])
    for command in commands:
        run_bounded(command, timeout=BUILD_SECONDS, env=ENVIRONMENT, cwd=folder).check()
    return folder


@needs_compiler
@pytest.mark.timeout(BUILD_SECONDS)
@RANKS
def test_random_moves_are_those_of_one_process(ranks, programs, mpiexec, tmp_path):
    moves.write(tmp_path, ranks, trials(20), 10 * seed() + ranks)
    mpiexec.run(ranks, programs / "moves_program", tmp_path, timeout=seconds(60)).check()


@needs_compiler
@pytest.mark.timeout(BUILD_SECONDS)
@RANKS
def test_what_one_rank_passes_is_refused_by_all(ranks, programs, mpiexec, tmp_path):
    mpiexec.run(ranks, programs / "one_rank_program", cwd=tmp_path).check()


@needs_compiler
@pytest.mark.timeout(BUILD_SECONDS)
@pytest.mark.parametrize("ranks", [1, 2])
def test_what_is_wrong_is_named_as_it_was_written(ranks, programs, mpiexec):
    mpiexec.run(ranks, programs / "as_written_program").check()


def collective_procedures() -> dict[str, set[str]]:
    """Their arguments, `name.part` for structures, but not lists; of generic ones, by the first."""
    text = MODULE.read_text()
    options = re.search(r"public :: transrank_alltoall_options\n(.*?)end type", text, re.DOTALL)
    assert options is not None
    parts = {
        "transrank_fields": ["arrays", "count", "in_place", "kind", "values"],
        "transrank_alltoall_options": re.findall(r":: (\w+)", options[1]),
    }
    found: dict[str, set[str]] = {}
    for name, given, body in re.findall(
        r"^    subroutine (\w+)\(((?:self, )?comm, [^)]*errmsg)\)(.*?)^    end sub",
        text,
        re.MULTILINE | re.DOTALL,
    ):
        arguments = found.setdefault(re.sub("_(int64|uneven)$", "", name), set())
        for argument in {*re.findall(r"\w+", given)} - {"comm", "stat", "errmsg"}:
            kind = re.search(rf"^ +(.*) :: .*\b{argument}\b(\(?)", body, re.MULTILINE)
            assert kind is not None
            if argument == "self" and "inout" in kind[1]:  # the result
                continue
            structure = re.match(r"type\((\w+)\)", kind[1])
            of_it = parts.get(structure[1], []) if structure and not kind[2] else []
            arguments |= {f"{argument}.{part}" for part in of_it} or {argument}
    return found


def test_every_collective_procedure_is_misused():
    names = collective_procedures().keys()
    comment = r"!> Collective\..*\n(?: +!>.*\n)* +(?:\w+ :: \w+ => |subroutine )(\w+)"
    assert {*re.findall(comment, MODULE.read_text())} == names
    assert len(names) == 17
    source = (HERE / "one_rank_program.f90").read_text()
    assert [name for name in names if f"collective('{name}', " not in source] == []


# Arguments that are the rank's own, as docs/exchange.md says: lists and counts of its rows, its
# arrays, and where its files lie. Where a call takes one field, its number is not a choice; nor is
# in_place, except in an alltoall of equal blocks. Blocks are bytes to the library, of any kind.
COUNTS = "send_counts receive_counts send_first receive_first"
ROWS = "rows.arrays rows.count rows.in_place"
BLOCKS = "fields.arrays fields.count fields.kind"
OWN = {
    "numbering_create": "owned",
    "route_ghost_pull": "ghosts first rows places",
    "route_ghost_push": "pushed targets first",
    "route_alltoallv": COUNTS,
    "route_save": "place",
    "route_load": "place",
    "ghost_update_pull": f"{ROWS} ghosts",
    "ghost_update_push": f"{ROWS} pushed targets",
    "ghost_update_along": ROWS,
    "ghost_update_like": ROWS,
    "exchange_bind": "fields.arrays fields.in_place",
    "exchange_bind_alltoall": BLOCKS,
    "exchange_bind_alltoallv": f"{BLOCKS} fields.in_place {COUNTS}",
    "transrank_alltoall": f"{BLOCKS} options.any_memory",  # of what is bound
}


def test_ranks_agree_on_every_argument_or_it_is_their_own():
    source = re.sub(r" &\n +", " ", (HERE / "one_rank_program.f90").read_text())
    lists = dict(re.findall(r"parameter :: (of_\w+) = (.*)", source))
    rows = re.findall(r"collective\('(\w+)', ([^,]*),", source)
    agreed = {name: re.sub(r"of_\w+", lambda it: lists[it[0]], told) for name, told in rows}
    for name, arguments in collective_procedures().items():
        told = {*re.findall(r"[\w.]+", agreed.get(name, "")), *OWN.get(name, "").split()}
        assert told == arguments, name


def test_every_function_of_the_c_interface_is_reached():
    declared = re.findall(
        r"^(?:int|const char\*) transrank_(\w+)\(([^;]*)\);", HEADER.read_text(), re.MULTILINE
    )
    # Instead of those that have twins for Fortran, these are called.
    rows = re.findall(r"^TWIN\w*\((\w+),", TWINS.read_text(), re.MULTILINE)
    twins = {*rows, "shared_alloc", "shared_free"}
    wanted = {f"{name}_f" if name in twins else name for name, _ in declared}
    text = MODULE.read_text()
    bound = dict(re.findall(r"(c_\w+)\b[^:]*?bind\(c, name='transrank_(\w+)'\)", text))
    bound |= {c: name for name, c in re.findall(r"name='transrank_(\w+)'\) :: (c_\w+)", text)}
    assert set(bound.values()) == wanted
    body = text[text.index("\ncontains\n") :]
    assert [it for it in bound if not re.search(rf"\b{it}\b", body)] == []


@needs_compiler
@pytest.mark.timeout(BUILD_SECONDS)
@pytest.mark.parametrize(
    ("second", "given", "compiles"),
    [
        ("real(real64), target", "a", True),
        ("real(real32), target", "a", False),
        ("real(real64)", "a", False),
        ("real(real64), target", "2 * a", False),
    ],
)
def test_fields_of_two_kinds_or_without_a_target_do_not_compile(
    second, given, compiles, programs, tmp_path
):
    (tmp_path / "it.f90").write_text(
        "subroutine it(fields, a, b)\n"
        "use, intrinsic :: iso_fortran_env, only: real32, real64\n"
        "use transrank, only: transrank_fields\n"
        "type(transrank_fields), intent(inout) :: fields\n"
        "real(real64), target :: a(:)\n"
        f"{second} :: b(:, :)\n"
        f"call fields%add({given}, b)\n"
        "end subroutine\n"
    )
    command = ["gfortran", "-fsyntax-only", "-I", programs, tmp_path / "it.f90"]
    outcome = run_bounded(command, timeout=BUILD_SECONDS, env=ENVIRONMENT)
    assert (outcome.status == 0) == compiles, outcome.stderr
    assert compiles or "no matching specific binding" in outcome.stderr


@needs_compiler
@pytest.mark.timeout(BUILD_SECONDS)
def test_an_error_that_nobody_looks_at_ends_the_program_with_its_text(programs, mpiexec, tmp_path):
    moves.write(tmp_path, 1, 1, 0)
    outcome = mpiexec.run(
        1, programs / "moves_program", tmp_path, env={"TRANSRANK_TRANSPORT": "nosuch"}
    )
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


@needs_compiler
@pytest.mark.timeout(BUILD_SECONDS)
@RANKS
@pytest.mark.parametrize("program", ["bundle", "gather_scatter", "recipes"])
def test_an_example_gets_what_it_expects(program, ranks, examples, mpiexec):
    outcome = mpiexec.run(ranks, examples / program).check()
    assert sorted(outcome.stdout.splitlines()) == [
        f"rank {it} of {ranks}: right" for it in range(ranks)
    ]


@needs_compiler
@pytest.mark.timeout(BUILD_SECONDS)
@RANKS
def test_shallow_water_is_that_of_one_process(ranks, examples, mpiexec):
    outcome = mpiexec.run(ranks, examples / "shallow_water").check()
    found = re.fullmatch(r"after 20 steps: water (\S+), highest (\S+)\n", outcome.stdout)
    assert found is not None, outcome.stdout
    assert (found[1], found[2]) == ("2315.000000", "1.025322")
