# SPDX-License-Identifier: BSD-3-Clause
"""The life of everything that is bound to arrays: start, test, wait, until it is closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from transrank import _core

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self


class Bound:
    """What is bound to arrays, and moves them again and again.

    From `start` until `wait` has returned (or `test` has said so) sources must not change and
    destinations are undefined. Afterwards the destinations hold what was sent, and nobody reads
    this rank's sources any more. Ranks may wait for several in different orders. The arrays are
    kept alive, not copied, and must not be resized. Dropped or closed at any time, it corrupts
    nothing: peers that are waiting for this rank, or start once more, raise BrokenExchange.
    """

    # Why nothing can be moved, where nothing is bound.
    _unbound = "this exchange has been closed; bind a new one"
    _bound: _core.Bound | None = None

    def __init__(self, bound: _core.Bound) -> None:
        self._bound = bound

    def start(self) -> None:
        """Begin to move. Does not wait, and is not collective; but all peers must start.

        Raises Misuse, and breaks the exchange for the peers too, when it is already under way or
        an array has been resized, or made read-only, since it was bound.
        """
        self._open.start()

    def test(self) -> bool:
        """Whether all has arrived; makes every started exchange of the process advance.

        Raises Misuse when not started, BrokenExchange when a peer has broken the exchange or ended.
        """
        return self._open.test()

    def wait(self) -> None:
        """Return when all has arrived. Raises as `test`.

        Other threads run meanwhile. An interrupt (KeyboardInterrupt) leaves the exchange under way;
        it can be waited for again.
        """
        self._open.wait()

    def wait_for(self, seconds: float) -> bool:
        """Wait for about so many seconds at most. Whether all has arrived. Raises as `test`."""
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
        """How this rank's data move: of an exchange a table of its peers, with the reasons."""
        return self._open.explain()

    def close(self) -> None:
        """Let go of the arrays and of everything else. Not collective; may be called again.

        An exchange under way is broken by it, and its peers raise. So do peers that start it once
        more.
        """
        self._bound = None

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
