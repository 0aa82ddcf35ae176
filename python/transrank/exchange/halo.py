# SPDX-License-Identifier: BSD-3-Clause
"""An exchange that fills the halo of a grid or the ghosts of a mesh."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from transrank.exchange.exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def one_by_one(arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a call that takes arrays; raises TypeError for a list of arrays."""
    for each in arrays:
        if isinstance(each, (list, tuple)):
            raise TypeError(f"a {type(each).__name__} is no array; give arrays one by one, (u, v)")
    return arrays


class Halo(Exchange):
    """Arrays bound to the halo update of a `Grid`, or to the ghosts of a mesh; made by `halo`.

    It is an `Exchange` and has its life cycle: start, test, wait, close.
    """

    def update(self) -> None:
        """Fill the halo from the owners. Returns when it is filled; raises as `Exchange.run`.

        Not collective, but every neighbor must call it, too.
        """
        self.run()

    @contextmanager
    def updating(self) -> Iterator[None]:
        """Fill the halo during a ``with`` block, at whose end it is filled.

        Within the block owned elements must not change, and the halo is undefined. After an
        exception in the block the update is still pending: `wait` for it, or `close`.
        """
        self.start()
        yield
        self.wait()
