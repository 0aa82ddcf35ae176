# SPDX-License-Identifier: BSD-3-Clause
"""The time that the slowest rank takes."""

from __future__ import annotations

from collections.abc import Callable

from mpi4py import MPI


def slowest(work: Callable[[], object]) -> float:
    """Seconds on all ranks, from a barrier on. Collective over MPI_COMM_WORLD."""
    MPI.COMM_WORLD.Barrier()
    begin = MPI.Wtime()
    work()
    return MPI.COMM_WORLD.allreduce(MPI.Wtime() - begin, MPI.MAX)
