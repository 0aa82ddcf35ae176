# SPDX-License-Identifier: BSD-3-Clause
"""Every collective call of the C++ library, misused by one rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from built import cpp_test
from trials import seconds, seed, trials

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Mpiexec


@pytest.mark.parametrize("ranks", [2, pytest.param(3, marks=pytest.mark.most_ranks)])
def test_what_one_rank_passes_works_or_is_refused_by_all(
    mpiexec: Mpiexec, tmp_path: Path, ranks: int
) -> None:
    program = cpp_test("mpi/one_rank_program")
    arguments = str(10 * seed() + ranks), str(trials(60)), tmp_path
    mpiexec.run(ranks, program, *arguments, timeout=seconds(60)).check()
