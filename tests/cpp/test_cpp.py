# SPDX-License-Identifier: BSD-3-Clause
"""Every *_test.cpp, at each rank count of its line `// ranks: 1 2 3 4` (without one: 1)."""

import re
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from support import trials
from support.built import cpp_test

SOURCES = Path(__file__).parent
RANKS = re.compile(r"^// ranks:((?: \d+)+)$", re.MULTILINE)


def declared_ranks(source: str) -> list[int]:
    lines = RANKS.findall(source)
    return [int(count) for count in lines[0].split()] if lines else [1]


def cases_of(path: Path) -> list[ParameterSet]:
    test = path.relative_to(SOURCES).with_suffix("")
    source = path.read_text()
    counts = declared_ranks(source)
    stress = [pytest.mark.stress] if trials.are_in(source) else []
    return [
        pytest.param(
            test,
            ranks,
            id=f"{test}-{ranks}",
            marks=[
                *stress,
                *([pytest.mark.most_ranks] if ranks == max(counts) else []),
                *([pytest.mark.alone] if counts == [1] else []),
            ],
        )
        for ranks in counts
    ]


CASES = [case for path in sorted(SOURCES.rglob("*_test.cpp")) for case in cases_of(path)]


@pytest.mark.parametrize(("test", "ranks"), CASES)
def test_passes_on_every_rank(test, ranks, mpiexec):
    chosen = f"--source-file=*/tests/cpp/{test}.cpp"
    mpiexec.run(ranks, cpp_test(test), chosen, timeout=trials.seconds(120)).check()


def test_a_filter_that_no_test_case_passes_is_an_error(mpiexec):
    done = mpiexec.run(2, cpp_test("mpi/agreement_test"), "--source-file=*/agreement.cpp")
    assert done.status == 1
    assert "no test case passes the filters" in done.stderr


def test_rank_counts_are_read_from_the_comment_line():
    assert declared_ranks("// SPDX\n// ranks: 1 2 3 4\nint x;\n") == [1, 2, 3, 4]
    assert declared_ranks("int x; // ranks: 2\n") == [1]
