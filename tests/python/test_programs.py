# SPDX-License-Identifier: BSD-3-Clause
"""Every program in a folder programs/, at each rank count of its line `# ranks: 1 2 3 4`.

They are programs, since pytest's own process must never become an MPI process. Those of a folder
are run by one job per rank count, one after the other; what tries random cases has its own.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from support import trials

HERE = Path(__file__).parent
TESTS = HERE.parent
RANKS = re.compile(r"^# ranks:((?: \d+)+)$", re.MULTILINE)
# What does so comes last.
FINALIZES = re.compile(r"^MPI\.Finalize\(\)$", re.MULTILINE)
PROGRAMS = {path: path.read_text() for path in sorted(HERE.glob("*/programs/*.py"))}


def jobs() -> dict[tuple[str, int, bool], list[Path]]:
    """Programs of one job by their folder, number of ranks, and whether they try random cases."""
    found = defaultdict(list)
    for path, source in sorted(PROGRAMS.items(), key=lambda it: bool(FINALIZES.search(it[1]))):
        for ranks in (int(count) for line in RANKS.findall(source) for count in line.split()):
            found[path.parent.parent.name, ranks, trials.are_in(source)].append(path)
    return found


CASES = [
    pytest.param(
        programs,
        ranks,
        id=f"{folder}-{'stress-' if stress else ''}{ranks}",
        marks=[pytest.mark.stress] if stress else [],
    )
    for (folder, ranks, stress), programs in sorted(jobs().items())
]


@pytest.mark.parametrize(("programs", "ranks"), CASES)
def test_passes_on_every_rank(programs, ranks, mpiexec):
    outcome = mpiexec.run(
        ranks,
        *(sys.executable, "-c", "from python import spmd; spmd.run_programs()", *programs),
        timeout=trials.seconds(150),
        # Hypothesis draws the same on every rank only if sets iterate in the same order.
        env={"PYTHONPATH": str(TESTS), "PYTHONHASHSEED": "0"},
    ).check()
    tests = [
        f"{path.stem}: {name}"
        for path in programs
        for name in re.findall(r"^def (test_\w+)", PROGRAMS[path], re.MULTILINE)
    ]
    assert re.findall(r"^passed (.+)", outcome.stdout, re.MULTILINE) == tests


def test_every_program_says_on_how_many_ranks_it_runs():
    for path, source in PROGRAMS.items():
        assert RANKS.search(source), path


def test_a_job_has_one_program_that_finalizes_mpi_at_the_most():
    for programs in jobs().values():
        last = [path for path in programs if FINALIZES.search(PROGRAMS[path])]
        assert last in ([], programs[-1:])
