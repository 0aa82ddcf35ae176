# SPDX-License-Identifier: BSD-3-Clause
"""Every collective call of the C++ library, misused by one rank."""

import re
from pathlib import Path

import pytest

from support.built import ROOT, cpp_test
from support.trials import seconds, seed, trials

PROGRAM = Path(__file__).parent / "mpi" / "one_rank_program.cpp"
LIBRARY = ROOT / "cpp" / "transrank"
INCLUDE = re.compile(r'^#include "transrank/([^"]+)"', re.MULTILINE)
# The base of ArrayTransformer, which takes the constructors over.
BASE = "GhostUpdate"
HIDDEN = re.compile(r"^(?:private|protected):.*?^};", re.MULTILINE | re.DOTALL)
# A comment that says so, what else stands between, and the name that is declared.
COLLECTIVE = re.compile(
    r"^ *///? Collective\b.*\n(?: *//.*\n)*(?: *template .*\n)?[^;{(]*?(\w+)\(", re.MULTILINE
)


@pytest.mark.parametrize("ranks", [2, pytest.param(3, marks=pytest.mark.most_ranks)])
def test_what_one_rank_passes_works_or_is_refused_by_all(mpiexec, tmp_path, ranks):
    program = cpp_test("mpi/one_rank_program")
    arguments = str(10 * seed() + ranks), str(trials(60)), tmp_path
    mpiexec.run(ranks, program, *arguments, timeout=seconds(60)).check()


def test_every_collective_call_of_a_public_header_is_tried():
    public = INCLUDE.findall((LIBRARY / "transrank.hpp").read_text())
    written = set(public) - {"version.h"}
    texts = [(LIBRARY / name).read_text() for name in (*written, "array/ghost_update.hpp")]
    names = {name for text in texts for name in COLLECTIVE.findall(HIDDEN.sub("", text))} - {BASE}
    assert {"Exchange", "ghost_pull", "store", "pull_once", "route_between", "Numbering"} <= names
    tried = PROGRAM.read_text().split("namespace {", 1)[1]
    assert not {name for name in names if not re.search(rf"\b{name}\b", tried)}
