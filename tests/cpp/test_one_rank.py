# SPDX-License-Identifier: BSD-3-Clause
"""Every collective call of the C++ library, misused by one rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from built import cpp_test
from trials import trials

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Mpiexec


@pytest.mark.parametrize("ranks", [2, 3])
def test_what_one_rank_passes_works_or_is_refused_by_all(
    mpiexec: Mpiexec, tmp_path: Path, ranks: int
) -> None:
    count = trials(60)
    program = cpp_test("mpi/one_rank_program")
    seed = str(ranks)
    mpiexec.run(ranks, program, seed, str(count), tmp_path, timeout=60 + count).check()
