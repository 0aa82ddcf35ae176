# SPDX-License-Identifier: BSD-3-Clause
"""Every program in a folder programs/, at each rank count of its line `# ranks: 1 2 3 4`.

They are programs, since pytest's own process must never become an MPI process.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import trials

if TYPE_CHECKING:
    from conftest import Mpiexec

HERE = Path(__file__).parent
TESTS = HERE.parent
RANKS = re.compile(r"^# ranks:((?: \d+)+)$", re.MULTILINE)
PROGRAMS = sorted(HERE.glob("*/programs/*.py"))
CASES = [
    pytest.param(
        path,
        int(ranks),
        id=f"{path.parent.parent.name}-{path.stem}-{ranks}",
        marks=[pytest.mark.stress] if trials.are_in(source) else [],
    )
    for path in PROGRAMS
    for source in [path.read_text()]
    for line in RANKS.findall(source)
    for ranks in line.split()
]


@pytest.mark.parametrize(("program", "ranks"), CASES)
def test_passes_on_every_rank(program: Path, ranks: int, mpiexec: Mpiexec) -> None:
    outcome = mpiexec.run(
        ranks,
        sys.executable,
        program,
        timeout=trials.seconds(150),
        # Hypothesis draws the same on every rank only if sets iterate in the same order.
        env={"PYTHONPATH": str(TESTS), "PYTHONHASHSEED": "0"},
    ).check()
    tests = re.findall(r"^def (test_\w+)", program.read_text(), re.MULTILINE)
    assert re.findall(r"^passed (\w+)", outcome.stdout, re.MULTILINE) == tests


def test_every_program_says_on_how_many_ranks_it_runs() -> None:
    for path in PROGRAMS:
        assert RANKS.search(path.read_text()), path
