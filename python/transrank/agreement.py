# SPDX-License-Identifier: BSD-3-Clause
"""What may fail on one rank alone becomes the same error on every rank, before anything moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import TypeVar

from transrank import _core
from transrank._core import AgreedError
from transrank.mpi import MPI

__all__ = ["AgreedError", "agree", "agree_on", "require_communicator"]

T = TypeVar("T")


def require_communicator(comm: object) -> None:
    """Raise, on this rank alone, unless ranks can agree over it.

    TypeError or ValueError; Misuse in a child of fork, which is no rank.
    """
    _core.require_own_process()
    if not isinstance(comm, MPI.Intracomm):
        raise TypeError(f"an mpi4py intracommunicator is needed, not {type(comm).__name__}")
    if comm == MPI.COMM_NULL:
        raise ValueError("a null communicator has no ranks; a freed one is null, too")


def agree(comm: MPI.Intracomm, work: Callable[[], T]) -> T:
    """Collective. What `work` returns, if it raises on no rank.

    Parameters
    ----------
    comm
        the ranks that have to agree.
    work
        must not communicate.

    Raises
    ------
    AgreedError
        on every rank, with the message of the lowest rank on which `work` raised.
    """
    _core.require_own_process()
    result: T
    error: Exception | None = None
    try:
        result = work()
    except Exception as raised:  # whatever it is, the others wait for a word
        error = raised
    first = comm.allreduce(comm.size if error is None else comm.rank, op=MPI.MIN)
    if first < comm.size:
        raise AgreedError(comm.bcast(str(error), root=first)) from error
    return result


def agree_on(comm: MPI.Intracomm, what: str, words: Sequence[str]) -> None:
    """Collective. Raise AgreedError on every rank when the words of some rank are not rank 0's."""
    _core.require_own_process()
    theirs = comm.bcast(list(words), root=0)

    def compare() -> None:
        for own, other in zip_longest(words, theirs, fillvalue="nothing more"):
            if own != other:
                raise ValueError(f"rank {comm.rank} {what} {own}, rank 0 {what} {other}")

    agree(comm, compare)
