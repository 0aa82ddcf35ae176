# SPDX-License-Identifier: BSD-3-Clause
"""An error on any rank becomes the same error on every rank, before anything moves."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from traceback import walk_tb
from types import FrameType
from typing import TypeVar

from transrank import _core
from transrank._core import AgreedError
from transrank.mpi import MPI

T = TypeVar("T")


def require_communicator(comm: object) -> None:
    """Raise an exception, on this rank alone, unless `comm` is an intracommunicator of mpi4py.

    Raises TypeError or ValueError; Misuse after MPI was finalized and in a child of fork, which is
    not a rank.
    """
    _core.begin_to_use()
    if not isinstance(comm, MPI.Intracomm):
        raise TypeError(f"an mpi4py intracommunicator is needed, not {type(comm).__name__}")
    if comm == MPI.COMM_NULL:
        raise ValueError(
            "the communicator is MPI_COMM_NULL, as a freed one is; give one that has ranks"
        )


def agree(comm: MPI.Intracomm, work: Callable[[], T]) -> T:
    """Collective. Return the result of `work`, unless `work` raises on any rank.

    Other threads run while this one waits for the other ranks.

    Parameters
    ----------
    comm
        the ranks that have to agree.
    work
        a function, which must not communicate.

    Raises
    ------
    AgreedError
        on every rank, when ranks are in different calls of transrank, or with the message of the
        lowest rank on which `work` raised. If that rank raised no Exception (but KeyboardInterrupt
        or SystemExit), it raises the same again after all ranks know of it.
    BrokenExchange
        when a rank of this node, with which this rank has agreed before over some communicator, has
        ended, or is about to end, without making this call.
    """
    return agree_on(comm, "", lambda: ((), work()))


def agree_on(comm: MPI.Intracomm, what: str, work: Callable[[], tuple[Sequence[str], T]]) -> T:
    """Collective. Do the same as `agree`, for work that returns words before its result.

    Also raises AgreedError, "rank 2 {what} {word}, rank 0 {word}", when the words differ between
    ranks.
    """
    return settled(_core.attempt(comm, called(), what, work))


def settled(outcome: _core._Attempt[T]) -> T:
    """Return the result of an attempt, or raise its error as `agree` does."""
    result, raised, wrong = outcome
    if wrong is None:
        return result
    if raised is not None and not isinstance(raised, Exception):
        raise raised
    # A cause in this package says the same again; one in the program is worth its traceback.
    frames = walk_tb(raised.__traceback__ if raised else None)
    ours = all(each.f_globals.get("__name__", "").startswith("transrank.") for each, _ in frames)
    raise AgreedError(wrong) from None if ours else raised


def require_route(route: object) -> None:
    """Raise TypeError, on this rank alone, unless `route` is a Route."""
    if not isinstance(route, _core.Route):
        raise TypeError(f"a Route is needed, not a {type(route).__name__}")


def called() -> str:
    """Return what the program has called: the outermost function of transrank."""
    name = "agree"
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("transrank."):
        code, module = frame.f_code, frame.f_globals["__name__"]
        name = getattr(code, "co_qualname", code.co_name)  # the latter until Python 3.10
        if name == "__init__":
            name = type(frame.f_locals[code.co_varnames[0]]).__name__
        name = name.removesuffix(".__init__")
        name = f"route.{name}" if module.startswith("transrank.route.") else name
        frame = frame.f_back
    return name
