# SPDX-License-Identifier: BSD-3-Clause
"""A route bound to arrays: start, test, wait."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from transrank import _core
from transrank.agreement import called, require_communicator, require_route, settled
from transrank.exchange.bound import Bound
from transrank.exchange.fields import Array, Field, Fields, check_field, pairs_of
from transrank.exchange.scalars import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from mpi4py.MPI import Intracomm

_LONGEST_MESSAGE_BYTES = 2**63 - 1

# operation, transport, push_below_bytes, longest_message_bytes
CheckedOptions: TypeAlias = tuple[str, str, int | None, int]


class Options(TypedDict, total=False):
    """How data move, as for an `Exchange`; the same on every rank."""

    transport: str
    push_below_bytes: int | None
    longest_message_bytes: int


class BoundFields(Bound):
    """Fields bound along a route."""

    _fields: tuple[Field, ...] = ()

    def _bind(
        self,
        comm: Intracomm,
        route: Callable[[], tuple[list[str], _core.Route]],
        pairs: Callable[[], list[tuple[Array, Array]]],
        dimensions: int | tuple[int, int],
        operation: str,
        transport: str,
        push_below_bytes: int | None = None,
        longest_message_bytes: int = _LONGEST_MESSAGE_BYTES,
    ) -> None:
        """Collective. Bind in place of what is bound, unless something is wrong on any rank.

        `route` also returns words in which ranks have to agree; it and `pairs` may raise.
        """
        fields: list[Field] = []

        def check() -> tuple[list[str], tuple[list[_core._Field], CheckedOptions, _core.Route]]:
            said, along = route()
            require_route(along)
            checked = check_options(
                operation,
                transport,
                push_below_bytes=push_below_bytes,
                longest_message_bytes=longest_message_bytes,
            )
            both = _both(dimensions)
            for number, pair in enumerate(pairs()):
                name = f"field {number} on rank {comm.rank}"
                fields.append(check_field(name, pair, along, both, operation))
            words = [f"field {n} with {field.describe()}" for n, field in enumerate(fields)]
            count = f"{len(words)} field{'s' if len(words) != 1 else ''}"
            given = [(it.source, it.destination, it.unit_bytes, it.scalar) for it in fields]
            return [*said, count, *words], (given, checked, along)

        self._bound = settled(_core.bind_exchange(comm, called(), check))
        self._fields = tuple(fields)

    def close(self) -> None:
        super().close()
        self._fields = ()

    @property
    def _shown(self) -> str:
        return ", ".join(field.describe() for field in self._fields)


class Exchange(BoundFields):
    """Moves fields along a route, as often as needed.

    Parameters
    ----------
    route
        what moves, made for `comm`.
    comm
        an intracommunicator of mpi4py. Creating an exchange is collective over it.
    fields
        an array that is both source and destination (a halo update), a tuple of a source and a
        destination, or a list of several of those, all moved together. C-contiguous, of any type
        without Python objects; type and unit shape are the same on every rank. Elements that the
        route writes must not be elements that it reads, or that it writes in another field; sources
        may be the same. Or a function that returns these and may raise, on any rank.
    operation
        how arriving data are combined with the destination: ``assign``, ``add``, ``min`` or
        ``max``, which keep NaN from either side. The result is bitwise identical in every run:
        contributions are applied in the order of their ranks.
    transport
        ``auto``, or a name of `transports()`. ``auto`` is the transport that the environment
        variable ``TRANSRANK_TRANSPORT`` names, the same on every rank, if it is set.
    dimensions
        number of leading dimensions of the arrays that count the units of the route: 1 for rows
        (the default), the number of the grid's dimensions for a grid; a pair if source and
        destination differ.
    push_below_bytes
        if both ranks share memory, runs shorter than this many bytes are pushed by their sender,
        longer ones pulled by their receiver; by default a threshold measured on this machine.
    longest_message_bytes
        longer messages are split.

    Raises
    ------
    AgreedError
        on every rank, before anything has moved, when an argument is wrong on any rank or differs
        between ranks where it must not.
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
    ) -> None:
        require_communicator(comm)
        self._bind(
            *(
                comm,
                lambda: ([], route),
                lambda: pairs_of(fields() if callable(fields) else fields),
            ),
            *(dimensions, operation, transport),
            push_below_bytes=push_below_bytes,
            longest_message_bytes=longest_message_bytes,
        )

    def __repr__(self) -> str:
        return "<Exchange, closed>" if self._bound is None else f"<Exchange of {self._shown}>"


def check_options(
    operation: object,
    transport: object = "auto",
    *,
    push_below_bytes: int | None = None,
    longest_message_bytes: int = _LONGEST_MESSAGE_BYTES,
) -> CheckedOptions:
    """The options for the compiled module. Raises TypeError or ValueError that name the option."""
    if not isinstance(operation, str) or operation not in OPERATIONS:
        raise ValueError(f"unknown operation {operation!r}; known: {', '.join(OPERATIONS)}")
    known = ("auto", *(name for name, _ in _core.transports()))
    if not isinstance(transport, str) or transport not in known:
        raise ValueError(f"unknown transport {transport!r}; known: {', '.join(known)}")
    push_below = (
        None if push_below_bytes is None else _bytes("push_below_bytes", push_below_bytes, least=0)
    )
    longest = _bytes("longest_message_bytes", longest_message_bytes, least=1)
    return operation, transport, push_below, longest


def _bytes(name: str, value: int, least: int) -> int:
    number = index(value)
    if not least <= number <= _LONGEST_MESSAGE_BYTES:
        raise ValueError(f"{name} is {number}; it must be at least {least} and below 2**63")
    return number


def _both(dimensions: int | tuple[int, int]) -> tuple[int, int]:
    source, destination = dimensions if isinstance(dimensions, tuple) else (dimensions, dimensions)
    both = (source, destination)
    if any(index(number) < 1 for number in both):
        raise ValueError(
            f"dimensions is {dimensions!r}; give an integer of at least 1, or a pair of these for "
            "source and destination"
        )
    return both
