# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3 4
"""Random exchanges do what a serial program does, bit by bit."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import transrank
from python.exchange.cases import (
    FORMS,
    ExchangeCase,
    as_bytes,
    elements,
    every_type,
    exchanges,
    expected,
)
from python.spmd import WORLD, main, property_test
from support.trials import trials

TRANSPORTS = ["auto", *(name for name, _ in transrank.transports())]
USABLE = TRANSPORTS if WORLD.size == 1 else [name for name in TRANSPORTS if name != "self-copy"]

SOURCE, DESTINATION = 0, 1


class Bound:
    """One exchange of this rank, with its arrays."""

    def __init__(self, case: ExchangeCase) -> None:
        self.case = case
        route = case.routes[WORLD.rank]
        self.route = route
        self.sets = [self._set() for _ in range(3 if case.starts == "others" else 1)]
        self.arrays = self.sets[0]
        self.exchange = transrank.Exchange(
            route,
            WORLD,
            list(self.arrays),
            case.operation,
            case.transport,
            push_below_bytes=case.push_below_bytes,
            longest_message_bytes=case.longest_message_bytes,
            others=self.sets[1:],
            any_memory=case.starts == "any",
        )
        self.problems: list[str] = []

    def _set(self) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        return [
            (
                self._make(number, SOURCE, self.route.source_extent),
                self._make(number, DESTINATION, self.route.destination_extent),
            )
            for number in range(len(self.case.fields))
        ]

    def _make(self, number: int, side: int, extent: int) -> NDArray[Any]:
        field = self.case.fields[number]
        make = transrank.zeros if field.shared[WORLD.rank][side] else np.zeros
        shape = extent + self.case.spare_units, *field.unit_shape
        return FORMS[field.forms[WORLD.rank][side]](make, shape, field.dtype)

    def _contents(self, number: int, epoch: int, side: int, rank: int) -> NDArray[Any]:
        route = self.case.routes[rank]
        extent = route.destination_extent if side == DESTINATION else route.source_extent
        units = extent + self.case.spare_units
        return self.case.fields[number].contents(units, epoch, side, rank)

    def start(self, epoch: int) -> None:
        if self.case.starts == "any":
            self.arrays = self._set()
        else:
            self.arrays = self.sets[(epoch + WORLD.rank) % len(self.sets)]
        for number, arrays in enumerate(self.arrays):
            for side, array in enumerate(arrays):
                contents = self._contents(number, epoch, side, WORLD.rank)
                elements(array)[...] = elements(contents)
        self.exchange.start(None if self.case.starts == "bound" else list(self.arrays))

    def finish(self, epoch: int, poll: bool) -> None:
        while poll and not self.exchange.test():
            pass
        if not poll:
            self.exchange.wait()
        for number, (source, destination) in enumerate(self.arrays):
            unit_bytes = self.case.fields[number].unit_bytes
            sources = [self._contents(number, epoch, SOURCE, rank) for rank in range(WORLD.size)]
            before = self._contents(number, epoch, DESTINATION, WORLD.rank)
            wanted = expected(self.case, WORLD.rank, sources, before, unit_bytes)
            if not np.array_equal(as_bytes(destination, unit_bytes), wanted):
                self.problems.append(f"field {number} epoch {epoch}: wrong destination")
            if not np.array_equal(
                as_bytes(source, unit_bytes), as_bytes(sources[WORLD.rank], unit_bytes)
            ):
                self.problems.append(f"field {number} epoch {epoch}: source changed")


@property_test(exchanges(WORLD.size, USABLE), examples=trials(60))
def test_every_exchange_agrees_with_the_oracle(case):
    bound = Bound(case)
    for epoch in range(case.epochs):
        bound.start(epoch)
        bound.finish(epoch, poll=(epoch + WORLD.rank) % 2 == 0)
    bound.exchange.close()
    assert not bound.problems, bound.problems


@property_test(st.tuples(exchanges(WORLD.size, USABLE), exchanges(WORLD.size, USABLE)), examples=15)
def test_two_exchanges_may_be_waited_for_in_any_order(cases):
    bound = [Bound(case) for case in cases]
    order = bound if WORLD.rank % 2 == 0 else bound[::-1]
    for epoch in range(2):
        for each in bound:
            each.start(epoch)
        for each in order:
            each.finish(epoch, poll=False)
    problems = [problem for each in bound for problem in each.problems]
    assert not problems, problems


def test_every_type_with_every_operation_that_it_has():
    for case in every_type(WORLD.size):
        bound = Bound(case)
        bound.start(0)
        bound.finish(0, poll=False)
        assert not bound.problems, (case, bound.problems)


# Of min and max a NaN of the owner or of a ghost stays, as with NumPy.
OWNED = np.array([np.nan, 1, 5, np.nan, 0.0])
GHOSTS = np.array([5, np.nan, 1, np.nan, -0.0])


def combined(operation: str, dtype: str, transport: str) -> NDArray[np.float64]:
    """What the owned rows become, each of which is a ghost on the next rank."""
    rows = len(OWNED)
    numbering = transrank.Numbering(WORLD, rows)
    wanted = rows * ((WORLD.rank + 1) % WORLD.size) + np.arange(rows)
    to_ghosts = transrank.route.ghost_pull(WORLD, numbering, wanted, begin=rows)
    array = transrank.zeros(2 * rows, dtype)
    array[:] = np.concatenate([OWNED, GHOSTS])
    with transrank.Exchange(
        to_ghosts.transposed(), WORLD, array, operation, transport=transport
    ) as update:
        update.run()
    return array[:rows].copy()


def test_min_and_max_keep_nan_from_either_side():
    for operation, combine in (("min", np.minimum), ("max", np.maximum)):
        for dtype in ("f4", "f8"):
            for transport in ("auto", "message", "shared-staged"):
                found = combined(operation, dtype, transport)
                np.testing.assert_array_equal(found, combine(OWNED, GHOSTS))
                # Of two zeros the owner's stays.
                assert not np.signbit(found[-1])


main(globals())
