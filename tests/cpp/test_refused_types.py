# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of arrays that cannot be one field do not compile, and the compiler says why."""

import os
from pathlib import Path

import pytest

from support.bounded import run_bounded
from transrank import installation

ROOT = Path(__file__).parent.parent.parent
ELEMENTS = "both arrays of a field hold elements of one type"
ROWS = "the rows of both arrays of a field have one length"
PAIRS = {
    ("double, 1", "std::int64_t, 1"): ELEMENTS,
    ("float, 2", "std::int32_t, 2"): ELEMENTS,
    ("double, 1", "float, 2"): ELEMENTS,
    ("double, 1", "double, 3"): ROWS,
    ("double, dynamic_size", "double, non_uniform_size, 4"): ROWS,
    ("double, 3, 3, 4", "double, 3"): ROWS,
    ("double, 3", "double, 3"): None,
    ("double, 3, 3, 4", "double, 4"): None,
    ("double, dynamic_size", "double, 3"): None,
    ("int, non_uniform_size, 4", "int, non_uniform_size, non_uniform_size"): None,
}


def said_of(text: str, program: Path) -> str:
    program.write_text(text)
    mpiexec = installation.mpiexec()
    assert mpiexec is not None
    flags = ["-std=c++20", "-fsyntax-only", f"-I{ROOT / 'cpp'}", "-fdiagnostics-color=never"]
    command = [mpiexec.parent / "mpicxx", *flags, program]
    done = run_bounded(command, timeout=120, env={"PATH": os.environ["PATH"]})
    assert (done.status == 0) == (not done.stderr)
    return done.stderr


@pytest.mark.parametrize(("source", "destination"), PAIRS)
def test_arrays_that_are_no_field_do_not_compile(source, destination, tmp_path):
    text = f"""
        #include "transrank/array/field.hpp"
        using namespace transrank::array;
        auto made(ParArray<{source}>& one, ParArray<{destination}>& other) {{
            return field(one, other);
        }}
    """
    said = said_of(text, tmp_path / "it.cpp")
    expected = PAIRS[source, destination]
    assert (expected in said) if expected else not said, said


@pytest.mark.parametrize(
    ("memory", "lasts"),
    [("mine", True), ("std::span(mine)", True), ("field(mine, 2)", True), ("Mine(8)", False)],
)
def test_memory_that_ends_with_the_call_cannot_be_bound(memory, lasts, tmp_path):
    text = f"""
        #include "transrank/grid/grid.hpp"
        using transrank::array::field;
        using Mine = std::vector<double>;
        auto made(const transrank::grid::Grid& grid, Mine& mine) {{ return grid.halo({memory}); }}
    """
    said = said_of(text, tmp_path / "it.cpp")
    assert ("LastingMemory" in said) == (not lasts), said
