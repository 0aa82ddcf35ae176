# SPDX-License-Identifier: BSD-3-Clause
"""What is bound to arrays: start, test, wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from transrank import _core

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from transrank.exchange.fields import Field


class Bound:
    """Moves what it is bound to, again and again, until it is closed."""

    _unbound: str  # why nothing can be moved, where nothing is bound
    _bound: _core.Exchange | None = None
    _fields: tuple[Field, ...] = ()

    def start(self) -> None:
        """Begin to move. Does not wait, and is not collective; but all peers must start.

        Raises Misuse, and breaks the exchange for the peers too, when it is already under way or
        an array has been resized or made read-only since it was bound.
        """
        self._open.start()

    def test(self) -> bool:
        """Whether the exchange is over; makes every started exchange of the process advance.

        Raises Misuse when not started, BrokenExchange when a peer has broken the exchange or ended.
        """
        return self._open.test()

    def wait(self) -> None:
        """Return when the exchange is over. Raises as `test`.

        Other threads run meanwhile. An interrupt (KeyboardInterrupt) leaves the exchange under way;
        it can be waited for again.
        """
        self._open.wait()

    def wait_for(self, seconds: float) -> bool:
        """Wait, but not much longer than so many seconds; whether the exchange is over."""
        return self._open.wait_for(seconds)

    def run(self) -> None:
        """Start, unless an interrupt has left it under way, and wait."""
        self._open.run()

    def abandon(self, why: str) -> NoReturn:
        """Break the exchange because of something that forbids to go on with it. Not collective.

        Raises Misuse with the words `why`; peers raise BrokenExchange, which names this rank.
        """
        self._open.abandon(why)

    def explain(self) -> str:
        """A table of this rank's peers: bytes, runs, the transport of each and why that one."""
        return self._open.explain()

    def close(self) -> None:
        """Let go of the arrays and of everything bound to them. Not collective.

        May be called again. An exchange under way is broken by it, and its peers raise. So do peers
        that start it once more.
        """
        self._bound = None
        self._fields = ()

    @property
    def _open(self) -> _core.Exchange:
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
