# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges: routes bound to arrays, with the calls start, test and wait."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, TypeAlias, TypedDict

import numpy as np

from transrank import _core
from transrank.agreement import called, require_communicator, require_route, settled
from transrank.exchange.bound import Bound
from transrank.exchange.fields import Array, Field, Fields, Forms, check_field, pairs_of
from transrank.exchange.scalars import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mpi4py.MPI import Intracomm

    # The fields of all sets of arrays, options, route, how many fields are a set.
    Checked: TypeAlias = tuple[list[_core._Field], "CheckedOptions", _core.Route, int]

_LONGEST_MESSAGE_BYTES = 2**63 - 1
_TRANSPORTS = ("auto", *(name for name, _ in _core.transports()))

# operation, transport, push_below_bytes, longest_message_bytes, any_memory, together
CheckedOptions: TypeAlias = tuple[str, str, int | None, int, bool, bool]


class Options(TypedDict, total=False):
    """Options of moving data, as for an `Exchange`; the same on every rank."""

    transport: str
    push_below_bytes: int | None
    longest_message_bytes: int
    together: bool


class BoundFields(Bound):
    """Fields (pairs of a source and a destination array) bound along a route."""

    _forms: tuple[Forms, ...] = ()
    _shown = ""

    def _bind(
        self,
        comm: Intracomm,
        route: Callable[[], tuple[list[str], _core.Route]],
        sets: Callable[[], list[list[tuple[Array, Array]]]],
        dimensions: int | tuple[int, int],
        operation: str,
        transport: str,
        push_below_bytes: int | None = None,
        longest_message_bytes: int = _LONGEST_MESSAGE_BYTES,
        *,
        any_memory: bool = False,
        together: bool = False,
    ) -> None:
        """Collective. Replace what is bound by new arrays, unless something is wrong on any rank.

        `route` also returns words that must be equal on all ranks. `sets` returns the fields of
        each set of arrays. Both may raise.
        """
        fields: list[Field] = []

        def check() -> tuple[list[str], Checked]:
            said, along = route()
            require_route(along)
            checked = check_options(
                operation,
                transport,
                push_below_bytes=push_below_bytes,
                longest_message_bytes=longest_message_bytes,
                any_memory=any_memory,
                together=together,
            )
            both = _both(dimensions)
            first, *others = sets()
            for number, pair in enumerate(first):
                name = f"field {number} on rank {comm.rank}"
                fields.append(check_field(name, pair, along, both, operation))
            words = [f"field {n} with {field.describe()}" for n, field in enumerate(fields)]
            count = f"{len(words)} field{'s' if len(words) != 1 else ''}"
            given = [(it.source, it.destination, it.unit_bytes, it.scalar) for it in fields]
            for other in others:
                given += self._in_place_of(fields, other, comm.rank)
            return [*said, count, *words], (given, checked, along, len(first))

        self._bound = settled(_core.bind_exchange(comm, called(), check))
        self._forms = tuple(field.forms() for field in fields)
        self._shown = ", ".join(field.describe() for field in fields)

    @staticmethod
    def _in_place_of(
        fields: list[Field], other: list[tuple[Array, Array]], rank: int
    ) -> list[_core._Field]:
        """The fields of another set of arrays."""
        _check_number(len(other), len(fields))
        for number, (field, pair) in enumerate(zip(fields, other, strict=True)):
            field.forms().check(f"field {number} on rank {rank}", pair)
        return [
            (*pair, field.unit_bytes, field.scalar)
            for field, pair in zip(fields, other, strict=True)
        ]

    def start(self, fields: Fields | None = None) -> None:
        """Begin to move data, without waiting. Not collective, but all peers must also start.

        `fields` are the arrays to move, in the same form as when they are bound: one of the bound
        sets of arrays or, for an exchange made with `any_memory`, any arrays that have the shapes,
        strides and types of the bound fields. These arrays are kept alive until the exchange is
        complete. By default, the first set is moved.

        Raises ValueError or TypeError when these arrays cannot be moved; the exchange is then
        neither started nor broken. Raises Misuse, and breaks the exchange for the peers too, when
        the exchange is already started, or when a bound array has been resized or made read-only.
        Raises BrokenExchange when a peer has broken the exchange.
        """
        if fields is None:
            self._open.start()
        else:
            self._open.start_with(self._given(fields))

    def run(self, fields: Fields | None = None) -> None:
        """Start the exchange, unless it is still pending after an interrupt, and wait for it.

        `fields` has the same meaning as for `start`. If an exchange of other arrays than `fields`
        is still pending, `run` waits for it first. Not collective, but all peers must also start
        it. Raises the same exceptions as `start` and `wait`.
        """
        if fields is None:
            self._open.run()
        else:
            self._run_with(self._given(fields))

    def _given(self, fields: Fields) -> list[tuple[Array, Array]]:
        pairs = pairs_of(fields)
        _check_number(len(pairs), len(self._forms))
        for number, (forms, pair) in enumerate(zip(self._forms, pairs, strict=True)):
            forms.check(f"field {number}", pair)
        return pairs


class Exchange(BoundFields):
    """Moves fields along a route, as often as needed.

    Parameters
    ----------
    route
        the route along which data move; it must have been made for `comm`.
    comm
        an intracommunicator of mpi4py. Creating an exchange is collective over it.
    fields
        an array that is both source and destination (a halo update), a tuple of a source and a
        destination, or a list of several of these, all moved together. Arrays may have any type
        without Python objects; the type and the shape of a unit (what one index of the route moves)
        are the same on every rank. Any views are allowed: if a view is not contiguous, its rank
        packs or unpacks it. The route must not write an element that it also reads, or that it also
        writes in another field; several fields may have the same source. `fields` may also be a
        function that returns such arrays; it may raise an exception on any rank.
    operation
        how arriving data are combined with the destination: ``assign``, ``add``, ``min`` or
        ``max``; with ``min`` and ``max``, a NaN on either side gives NaN. The result is bitwise
        identical in every run: contributions are applied in the order of their ranks.
    transport
        ``auto``, or a name from `transports()`. If the environment variable ``TRANSRANK_TRANSPORT``
        is set, ``auto`` is the transport that the variable names, which must be the same on every
        rank. Otherwise, ``auto`` chooses a transport for each pair of ranks.
    dimensions
        how many leading dimensions of the arrays count the units of the route: 1 for rows (the
        default), the grid's number of dimensions for a grid; a pair of numbers if the source and
        the destination differ.
    push_below_bytes
        between ranks that share memory, the sender pushes runs (contiguous pieces) shorter than
        this many bytes, and the receiver pulls longer runs; by default, the limit is measured on
        this machine.
    longest_message_bytes
        the longest message in bytes; longer messages are split.
    others
        a list of further sets of arrays, each in the form of `fields` and with the same shapes,
        strides and types; equally many on every rank. Each start moves one set, which the caller
        chooses by passing its arrays; so one exchange serves two arrays that each time step swaps.
        `others` may also be a function that returns such a list.
    any_memory
        whether arrays are passed to each start: any arrays with the shapes, strides and types of
        `fields`. The arrays given here are then not kept. Data move through buffers, as they do for
        arrays that other ranks cannot access.
    together
        a promise that no rank waits for another rank's wait to return before it calls start. If
        `transport` is ``auto``, two nodes then send each other one message for all their ranks
        (``node-staged``), where this reduces the number of messages. A wait returns only after
        every rank that has a part in such a message, on both nodes, has started, and only if the
        ranks that carry the message test or wait. If the program breaks the promise, a wait does
        not return.

    Raises
    ------
    AgreedError
        on every rank, before anything has moved, when an argument is invalid on any rank, or
        differs between ranks although it must be the same.
    """

    def __init__(
        self,
        route: _core.Route,
        comm: Intracomm,
        fields: Fields | Callable[[], Fields],
        operation: str = "assign",
        transport: str = "auto",
        *,
        dimensions: int | tuple[int, int] = 1,
        push_below_bytes: int | None = None,
        longest_message_bytes: int = _LONGEST_MESSAGE_BYTES,
        others: Sequence[Fields] | Callable[[], Sequence[Fields]] = (),
        any_memory: bool = False,
        together: bool = False,
    ) -> None:
        require_communicator(comm)

        def sets() -> list[list[tuple[Array, Array]]]:
            first = fields() if callable(fields) else fields
            return [pairs_of(each) for each in (first, *(others() if callable(others) else others))]

        self._bind(
            *(comm, lambda: ([], route), sets),
            *(dimensions, operation, transport),
            push_below_bytes=push_below_bytes,
            longest_message_bytes=longest_message_bytes,
            any_memory=any_memory,
            together=together,
        )

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"<{name}, closed>" if self._bound is None else f"<{name} of {self._shown}>"


def check_options(
    operation: object,
    transport: object = "auto",
    *,
    push_below_bytes: int | None = None,
    longest_message_bytes: int = _LONGEST_MESSAGE_BYTES,
    any_memory: bool = False,
    together: bool = False,
) -> CheckedOptions:
    """Return the options in the form that the compiled module needs.

    Raises TypeError or ValueError, which name the option.
    """
    if not isinstance(operation, str) or operation not in OPERATIONS:
        raise ValueError(f"unknown operation {operation!r}; known: {', '.join(OPERATIONS)}")
    if not isinstance(transport, str) or transport not in _TRANSPORTS:
        raise ValueError(f"unknown transport {transport!r}; known: {', '.join(_TRANSPORTS)}")
    push_below = (
        None if push_below_bytes is None else _bytes("push_below_bytes", push_below_bytes, least=0)
    )
    longest = _bytes("longest_message_bytes", longest_message_bytes, least=1)
    flags = check_flag("any_memory", any_memory), check_flag("together", together)
    return operation, transport, push_below, longest, *flags


def check_flag(name: str, given: object) -> bool:
    """Return the bool that `given` is; raise TypeError, which mentions `name`, for another type."""
    if not isinstance(given, (bool, np.bool_)):
        raise TypeError(f"{name} is {given!r}; give True or False")
    return bool(given)


def _bytes(name: str, value: int, least: int) -> int:
    number = index(value)
    if not least <= number <= _LONGEST_MESSAGE_BYTES:
        raise ValueError(f"{name} is {number}; it must be at least {least} and below 2**63")
    return number


def _check_number(given: int, bound: int) -> None:
    if given != bound:
        raise ValueError(
            f"{given} field{'s are' if given != 1 else ' is'} given, {bound} "
            f"{'are' if bound != 1 else 'is'} bound"
        )


def _both(dimensions: int | tuple[int, int]) -> tuple[int, int]:
    source, destination = dimensions if isinstance(dimensions, tuple) else (dimensions, dimensions)
    both = (source, destination)
    if index(source) < 1 or index(destination) < 1:
        raise ValueError(
            f"dimensions is {dimensions!r}; give an integer of at least 1, or a pair of these for "
            "source and destination"
        )
    return both
