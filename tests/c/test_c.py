# SPDX-License-Identifier: BSD-3-Clause
"""The C interface: misuse, and what the library shows.

Random moves go through it in tests/fortran, whose module calls each of its functions.
"""

import re
import subprocess
from pathlib import Path

import pytest

from support.built import ROOT, build_folder

HEADER = ROOT / "cpp" / "c" / "transrank" / "transrank.h"
# Name, and number of parameters after the first.
TWINS = re.findall(
    r"^TWIN\w*\((\w+), (\d)\)", (ROOT / "cpp" / "c" / "fortran.cpp").read_text(), re.MULTILINE
)
RANKS = pytest.mark.parametrize("ranks", [1, 2, 3, pytest.param(4, marks=pytest.mark.most_ranks)])


@RANKS
def test_what_one_rank_passes_is_refused_by_all(ranks, mpiexec, tmp_path):
    program = build_folder() / "tests" / "c" / "one_rank_program"
    assert program.exists(), f"{program} is not built: make test builds it"
    mpiexec.run(ranks, program, cwd=tmp_path).check()


def test_every_collective_call_is_misused():
    header = HEADER.read_text()
    declared = re.findall(r"^int transrank_(\w+)\(MPI_Comm comm", header, re.MULTILINE)
    comment = r"^/// Collective\..*\n(?:///.*\n)*int transrank_(\w+)"
    assert re.findall(comment, header, re.MULTILINE) == declared
    source = (Path(__file__).parent / "one_rank_program.c").read_text()
    assert len(declared) > 10
    assert [name for name in declared if f'{{"{name}", ' not in source] == []


# Arguments that are the rank's own, as docs/exchange.md says: lists and counts of its rows, its
# arrays, and where its files lie. Offsets are, too, but not whether there are any.
ROWS = "rows.count rows.data rows.data_bytes"
OWN = {
    "numbering_create": "owned",
    "route_ghost_pull": "count ghosts begin extent",
    "route_ghost_pull_at": "count ghosts places extent",
    "route_ghost_push": "count rows targets begin",
    "route_alltoallv": "send_counts send_displacements receive_counts receive_displacements",
    "route_save": "place",
    "route_load": "place",
    "exchange_bind": "fields.source fields.source_bytes fields.source_view fields.destination "
    "fields.destination_bytes fields.destination_view",
    "ghost_update_pull": f"{ROWS} count ghosts",
    "ghost_update_push": f"{ROWS} count pushed targets",
    "ghost_update_along": ROWS,
    "ghost_update_like": ROWS,
    "ghost_update_bind": "options.any_memory options.sets",  # no rank may have them
    "alltoall": "send options.any_memory",  # of what is bound
    "alltoall_bind": "send",
    "alltoallv_bind": "send send_bytes send_offsets receive receive_bytes receive_offsets",
}


def arguments(call: str, header: str) -> set[str]:
    """The names of those that a call takes, `name.member` for what a structure holds."""
    declared = re.search(rf"^int transrank_{call}\(MPI_Comm comm, ([^;]*)\);", header, re.MULTILINE)
    assert declared is not None
    names = set()
    for kind, name in re.findall(r"([\w* ]+?)(\w+)(?:,|$)", " ".join(declared[1].split())):
        structure = rf"typedef struct {kind.split()[-1].strip('*')} {{(.*?)^}}"
        members = re.search(structure, header, re.MULTILINE | re.DOTALL)
        if "**" in kind:  # the result
            continue
        if members is None:
            names.add(name)
            continue
        code = re.sub(r"///.*", "", members[1])
        names |= {f"{name}.{member}" for member in re.findall(r"(\w+);", code)}
    return names


def test_ranks_agree_on_every_argument_or_it_is_their_own():
    header = HEADER.read_text()
    source = (Path(__file__).parent / "one_rank_program.c").read_text().replace("\\\n", " ")
    macros = re.findall(r'^#define (\w+) +(".*") *$', source, re.MULTILINE)
    words = {name: " ".join(re.findall(r'"(.*?)"', text)) for name, text in macros}
    rows = re.findall(r'{"(\w+)", \w+,\s*([^,]*),', source)
    agreed = {
        name: " ".join(words.get(it, it.strip('"')) for it in re.findall(r'".*?"|\w+', told))
        for name, told in rows
    }
    for call in re.findall(r"^int transrank_(\w+)\(MPI_Comm comm", header, re.MULTILINE):
        told = {*agreed.get(call, "").split(), *OWN.get(call, "").split()}
        assert told == arguments(call, header), call


def test_the_library_shows_the_functions_of_its_header_alone():
    library = build_folder() / "cpp" / "c" / "libtransrank.so"
    lines = subprocess.run(
        ["nm", "--dynamic", "--defined-only", library], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    shown = {line.split()[-1] for line in lines}
    declared = re.findall(
        r"^(?:int|const char\*) (transrank_\w+)\(", HEADER.read_text(), re.MULTILINE
    )
    assert shown == {*declared, *(f"transrank_{name}_f" for name, _ in TWINS)}
    dynamic = subprocess.run(
        ["readelf", "--dynamic", library], check=True, capture_output=True, text=True
    ).stdout
    assert re.search(r"SONAME.*\[libtransrank\.so\.\d+\.\d+\]", dynamic)


def enumerators(text: str, declared: str) -> list[str]:
    """Their names, which count from 0."""
    found = re.search(rf"^enum {declared}[^{{]*{{(.*?)}}", text, re.MULTILINE | re.DOTALL)
    assert found is not None, declared
    return re.findall(r"\w+", re.sub(r"//.*|= \d+", "", found[1]).lower())


@pytest.mark.parametrize(
    ("name", "of_library", "place"),
    [
        ("operation", "Operation", "copy/field.hpp"),
        ("scalar", "Scalar", "copy/field.hpp"),
        ("order", "Order", "layout/block_grid.hpp"),
        ("corners", "Corners", "route/halo.hpp"),
        ("coverage", "Coverage", "route/redistribution.hpp"),
    ],
)
def test_numbers_of_the_header_are_those_of_the_library(name, of_library, place):
    header = HEADER.read_text()
    known = enumerators((ROOT / "cpp" / "transrank" / place).read_text(), f"class {of_library} ")
    prefix = "transrank_corners_" if name == "corners" else "transrank_"
    assert enumerators(header, f"transrank_{name} ") == [f"{prefix}{it}" for it in known]
    numbers = re.search(rf"^enum transrank_{name} {{(.*?)}}", header, re.MULTILINE | re.DOTALL)
    assert re.findall(r"= (\d+)", numbers[1]) == [str(number) for number in range(len(known))]


def test_each_function_has_a_twin_for_a_communicator_of_fortran():
    declared = dict(
        re.findall(r"^int transrank_(\w+)\(([^;]*)\);", HEADER.read_text(), re.MULTILINE)
    )
    assert {name for name, given in declared.items() if "MPI_Comm" in given} <= dict(TWINS).keys()
    for name, more in TWINS:
        assert declared[name].count(",") == int(more), name
