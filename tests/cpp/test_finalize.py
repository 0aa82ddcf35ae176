# SPDX-License-Identifier: BSD-3-Clause
"""What a rank that finalizes MPI before others owes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.built import cpp_test

if TYPE_CHECKING:
    from conftest import Mpiexec

# MPICH then takes each rank for a node of its own, and its MPI_Finalize waits for nobody.
APART = {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"}


@pytest.mark.parametrize("scenario", ["late", "freed", "outlived"])
def test_a_rank_may_drop_its_exchanges_long_after_others_have_come_to_finalize(
    mpiexec: Mpiexec, scenario: str
) -> None:
    mpiexec.run(3, cpp_test("exchange/finalize_program"), scenario, timeout=20, env=APART).check()


def test_threads_may_use_communicators_for_the_first_time_in_any_order(mpiexec: Mpiexec) -> None:
    program = cpp_test("threads/own_exchanges_program")
    mpiexec.run(3, program, "kept", timeout=60, env=APART).check()


@pytest.mark.parametrize("scenario", ["kept", "bind"])
def test_who_waits_for_a_rank_that_finalizes_with_its_exchange_is_told(
    mpiexec: Mpiexec, scenario: str
) -> None:
    mpiexec.run(3, cpp_test("exchange/finalize_program"), scenario, timeout=20, env=APART).check()
