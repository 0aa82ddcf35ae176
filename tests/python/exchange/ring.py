# SPDX-License-Identifier: BSD-3-Clause
"""A small exchange: every rank sends its numbers to the next one."""

import numpy as np
from numpy.typing import NDArray

import transrank
from python.spmd import WORLD
from transrank import _core

UNITS = 4
NEXT = (WORLD.rank + 1) % WORLD.size
PREVIOUS = (WORLD.rank - 1) % WORLD.size


def route(units: int = UNITS) -> _core.Route:
    everything = np.array([[0, 0, units, 1, 0, 0]])
    sends, receives = _core.Leg(NEXT, everything), _core.Leg(PREVIOUS, everything)
    return _core.Route(WORLD.rank, WORLD.size, units, units, [sends], [receives])


def numbers(rank: int, epoch: int = 0) -> NDArray[np.float64]:
    return 1000.0 * epoch + 10 * rank + np.arange(UNITS)


class Ring:
    """The arrays of the exchange, and the exchange once it is bound."""

    def __init__(self, *, shared: bool = True) -> None:
        make = transrank.zeros if shared else np.zeros
        self.source, self.destination = make(UNITS), make(UNITS)

    def bind(self, transport: str = "auto") -> transrank.Exchange:
        pair = (self.source, self.destination)
        return transrank.Exchange(route(), WORLD, pair, transport=transport)

    def write(self, epoch: int = 0) -> None:
        self.source[...] = numbers(WORLD.rank, epoch)

    def has_arrived(self, epoch: int = 0) -> bool:
        return bool((self.destination == numbers(PREVIOUS, epoch)).all())
