# SPDX-License-Identifier: BSD-3-Clause
"""An exchange between the rows of two arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from transrank.exchange import Exchange
from transrank.route import Route

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    from transrank.array.par_array import ParArray


class PersistentExchange:
    """Moves rows again and again, and refuses to start when an array has got other memory since.

    Making one is collective. `route` counts in rows where all have one length, else in elements.
    """

    def __init__(
        self,
        route: Route,
        comm: Intracomm,
        source: ParArray,
        destination: ParArray,
        operation: str,
        options: dict[str, Any],
    ) -> None:
        if source.kind == "fixed" and source.rows.pitch == 0:  # nothing to move
            route = Route(route.rank, route.ranks, 0, 0, [], [])
        self._rank = comm.rank
        self._arrays = (source, destination)
        self._bound = (source.bindable, destination.bindable)
        self._exchange = Exchange(route, comm, self._bound, operation, **options)

    def start(self) -> None:
        """Raise Misuse, and break the exchange, when an array has been resized since."""
        for array, bound in zip(self._arrays, self._bound, strict=True):
            if array.bindable is not bound:
                self._exchange.abandon(
                    f"an array of a persistent exchange was resized on rank {self._rank} after "
                    "init; clear the exchange and init again"
                )
        self._exchange.start()

    def test(self) -> bool:
        return self._exchange.test()

    def wait(self) -> None:
        self._exchange.wait()

    def explain(self) -> str:
        return self._exchange.explain()
