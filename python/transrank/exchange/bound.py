# SPDX-License-Identifier: BSD-3-Clause
"""The life cycle of everything that is bound to arrays: start, test, wait, and at last close."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from transrank import _core

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from typing_extensions import Self

    from transrank.exchange.fields import Array


class Bound:
    """An operation bound to its arrays, like a persistent request of MPI.

    From `start` until `wait` has returned (or `test` has returned True), sources must not change
    and the contents of destinations are undefined. Afterwards, the destinations hold the data, and
    no other rank reads this rank's sources any more. Different ranks may wait for several
    operations in different orders. The arrays are kept alive and not copied; they must not be
    resized. An operation can be dropped or closed at any time without corrupting data: peers that
    wait for this rank, or that start the operation again, raise BrokenExchange.
    """

    # The error if nothing is bound.
    _unbound = "this exchange has been closed; bind a new one"
    _bound: _core.Bound | None = None

    def __init__(self, bound: _core.Bound) -> None:
        self._bound = bound

    def start(self) -> None:
        """Begin to move data, without waiting. Not collective, but all peers must also start.

        Raises Misuse, and breaks the exchange for the peers too, when the exchange is already
        started, or when an array has been resized or made read-only since it was bound. Raises
        BrokenExchange when a peer has broken the exchange.
        """
        self._open.start()

    def test(self) -> bool:
        """Advance every started exchange of the process; return whether all data have arrived.

        Once all data have arrived, it returns True until the next start. Not collective. Raises
        Misuse before the first start, and BrokenExchange when a peer has broken the exchange or
        ended.
        """
        return self._open.test()

    def wait(self) -> None:
        """Wait until all data have arrived; return at once if they already have.

        Not collective. Other Python threads run meanwhile. After an interrupt (KeyboardInterrupt),
        the exchange is still pending, and `wait` can be called again. Raises the same exceptions as
        `test`.
        """
        self._open.wait()

    def wait_for(self, seconds: float) -> bool:
        """Wait for at most about `seconds`; return whether all data have arrived.

        Not collective. Raises the same exceptions as `test`, and ValueError when `seconds` is not a
        number.
        """
        return self._open.wait_for(seconds)

    def run(self) -> None:
        """Start the exchange, unless it is still pending after an interrupt, and wait for it.

        Not collective, but all peers must also start it. Raises the same exceptions as `start` and
        `wait`.
        """
        self._open.run()

    def _run_with(self, pairs: list[tuple[Array, Array]]) -> None:
        """Run with these arrays; if other arrays are still pending, wait for them first."""
        bound = self._open
        if bound.is_under_way:
            are_pending = _places_of(bound.given or ()) == _places_of(pairs)
            bound.wait()
            if are_pending:
                return
        bound.run_with(pairs)

    def abandon(self, why: str) -> NoReturn:
        """Break the exchange because this rank cannot continue it. Not collective.

        Raises Misuse with the message `why`; the peers raise a BrokenExchange that names this rank.
        """
        self._open.abandon(why)

    def explain(self) -> str:
        """Return a text that describes how this rank's data move. Not collective.

        For an exchange, the text is a table of the peers, with the transport to each peer and why
        it was chosen.
        """
        return self._open.explain()

    def close(self) -> None:
        """Release the arrays and all other resources. Not collective; may be called again.

        Closing a started exchange breaks it: its peers raise BrokenExchange. Peers that start the
        exchange after this rank has closed it raise BrokenExchange too.
        """
        self._bound = None

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be copied; bind another one")

    @property
    def _open(self) -> _core.Bound:
        if self._bound is None:
            raise _core.Misuse(self._unbound)
        return self._bound

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _places_of(pairs: Sequence[tuple[Array, Array]]) -> list[int]:
    """Where arrays begin, perhaps as other views."""
    return [array.ctypes.data for pair in pairs for array in pair]
