# SPDX-License-Identifier: BSD-3-Clause
"""Random exchanges as hypothesis draws them, and what they must do, worked out serially."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from numpy.typing import NDArray

from python.route.grids import EXTENTS, dimensions, grids
from python.route.serial import ghosts_of, granted, pairs
from transrank import _core

Bytes = NDArray[np.uint8]

NUMBERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]
OTHERS = ["?", "f2", "g", "c8", "c16", ">f8", "M8[s]", "S3", "U2", "V5"]
RECORDS = [
    np.dtype([("id", "<i4"), ("place", "<f8", (3,)), ("name", "S3")]),
    np.dtype([("flag", "?"), ("value", "<f8")], align=True),
]
SHAPES = st.one_of(st.just(()), st.lists(st.integers(1, 5), min_size=1, max_size=2).map(tuple))


def dtypes_of(operation: str) -> list[np.dtype[Any]]:
    """The types of which an exchange can move rows with an operation."""
    names = {
        "assign": [*NUMBERS, *OTHERS, *RECORDS],
        "add": [*NUMBERS, "c8", "c16"],
        "min": [*NUMBERS, "?"],
        "max": [*NUMBERS, "?"],
    }
    return [np.dtype(name) for name in names[operation]]


# Arrays of a shape and type, made by numpy.zeros or the like; all but the first are views.
Make = Callable[..., NDArray[Any]]
FORMS: dict[str, Callable[[Make, tuple[int, ...], np.dtype[Any]], NDArray[Any]]] = {
    "whole": lambda make, shape, dtype: make(shape, dtype),
    "backwards": lambda make, shape, dtype: (
        make(shape, dtype)[::-1, ..., ::-1] if len(shape) > 1 else make(shape, dtype)[::-1]
    ),
    "column": lambda make, shape, dtype: make((*shape, 3), dtype)[..., 1],
    "inner": lambda make, shape, dtype: make(np.array(shape) + 3, dtype)[
        (slice(1, -2),) * len(shape)
    ],
    "Fortran": lambda make, shape, dtype: make(shape[::-1], dtype).T,
    "of a record": lambda make, shape, dtype: make(shape, [("a", "i1"), ("b", dtype)])["b"],
}


@dataclass(frozen=True)
class FieldCase:
    """Rows of one field, which ranks keep them in shared memory, and in which forms."""

    dtype: np.dtype[Any]
    unit_shape: tuple[int, ...]
    shared: tuple[tuple[bool, bool], ...]  # source and destination of each rank
    forms: tuple[tuple[str, str], ...]
    seed: int

    @property
    def unit_bytes(self) -> int:
        return int(np.prod(self.unit_shape, dtype=int)) * self.dtype.itemsize

    def contents(self, units: int, *key: int) -> NDArray[Any]:
        """What a rank has at some time: any bytes, or numbers of very different size."""
        random = np.random.default_rng([self.seed, *key])
        shape = (units, *self.unit_shape)
        if self.dtype.kind in "fc" and self.dtype.itemsize in (4, 8, 16) and self.dtype.char != "g":
            numbers = random.integers(-999, 999, (*shape, 2)) * 2.0 ** random.integers(
                -20, 20, (*shape, 2)
            )
            parts = numbers[..., 0] + 1j * numbers[..., 1]
            return (parts if self.dtype.kind == "c" else parts.real).astype(self.dtype)
        if self.dtype.kind == "b":
            return random.integers(0, 2, shape).astype(bool)
        raw = random.integers(0, 256, units * self.unit_bytes, dtype=np.uint8)
        return raw.view(self.dtype).reshape(shape) if raw.size else np.empty(shape, self.dtype)


@dataclass(frozen=True)
class ExchangeCase:
    """A route of every rank, and how it is to be used."""

    kind: str
    routes: list[_core.Route] = field(repr=False)
    spare_units: int
    operation: str
    transport: str
    starts: str  # bound: the same arrays; others: one of several sets; any: whatever is given
    fields: list[FieldCase]
    epochs: int
    push_below_bytes: int | None
    longest_message_bytes: int

    def __repr__(self) -> str:
        legs = [
            (route.rank, leg.peer, leg.segments.tolist())
            for route in self.routes
            for leg in route.sends
        ]
        return (
            f"{self.kind} {self.operation} by {self.transport}, {self.epochs} times, starts "
            f"{self.starts}, push below "
            f"{self.push_below_bytes}, messages of {self.longest_message_bytes}, "
            f"{self.spare_units} spare units, fields {self.fields}, legs {legs}"
        )


def as_bytes(array: NDArray[Any], unit_bytes: int) -> Bytes:
    """One row of bytes per unit, whatever the array's type."""
    return elements(array).reshape(-1, unit_bytes) if array.size else np.empty((0, 1), np.uint8)


def elements(array: NDArray[Any]) -> Bytes:
    """The bytes of each element, padding included, where they lie."""
    view = SimpleNamespace(
        __array_interface__={
            "version": 3,
            "data": (array.ctypes.data, False),
            "shape": (*array.shape, array.itemsize),
            "strides": (*array.strides, 1),
            "typestr": "|u1",
        },
        memory=array,
    )
    return np.asarray(view)


def expected(
    case: ExchangeCase,
    rank: int,
    sources: list[NDArray[Any]],
    destination: NDArray[Any],
    unit_bytes: int,
) -> Bytes:
    """The destination of a rank afterwards: unit after unit, in the order of ranks and segments."""
    raw, result = as_bytes(destination, unit_bytes).copy(), destination.copy()
    combine = {"add": np.add, "min": np.minimum, "max": np.maximum}.get(case.operation)
    for leg in case.routes[rank].receives:
        source, target = pairs(leg)
        if combine is not None:
            combine.at(result, target, sources[leg.peer][source])
        else:
            from_ = as_bytes(sources[leg.peer], unit_bytes)
            for one, other in zip(source, target, strict=True):
                raw[other] = from_[one]
    return raw if combine is None else as_bytes(result, unit_bytes)


@st.composite
def ghost_routes(draw: st.DrawFn, ranks: int) -> list[_core.Route]:
    """Any rows of any owner: own ones, some twice, ranks that own or want nothing."""
    owners = draw(dimensions(draw(st.integers(1, 40)), ranks))
    extent = owners.extent
    index = st.integers(0, extent - 1)
    run = st.builds(range, index, index, st.integers(1, 4)).map(list)
    wish = st.lists(run | st.lists(index, max_size=5), max_size=4).map(lambda it: list(chain(*it)))
    lists = [draw(wish) for _ in range(ranks)]
    return ghosts_of(owners.distribution, lists)


@st.composite
def halo_routes(draw: st.DrawFn, ranks: int) -> list[_core.Route]:
    grid = draw(grids(draw(EXTENTS), ranks, halo=2)).layout
    corners = draw(st.booleans())
    try:
        return [_core.halo(rank, ranks, grid, corners) for rank in range(ranks)]
    except ValueError:  # thinner than its halo
        assume(False)
        raise


@st.composite
def redistributions(draw: st.DrawFn, ranks: int) -> list[_core.Route]:
    extents = draw(EXTENTS)
    source, destination = (draw(grids(extents, ranks, halo=width)).layout for width in (0, 2))
    return [
        _core.redistribution(rank, ranks, source, destination, fill_halo=True)
        for rank in range(ranks)
    ]


@st.composite
def crowded_routes(draw: st.DrawFn, ranks: int) -> list[_core.Route]:
    """Legs between any ranks whose destinations overlap each other and themselves."""
    row = st.tuples(*[st.integers(0, top) for top in (8, 8, 4, 4, 6, 6, 2, 9, 9)])
    sends = [
        [
            _core.Leg(peer, np.array([_segment(*it) for it in rows], dtype=np.int64))
            for peer in range(ranks)
            if (rows := draw(st.lists(row, max_size=3)))
        ]
        for _ in range(ranks)
    ]
    receives = granted(sends)
    return [
        _core.Route(
            rank,
            ranks,
            max((int(pairs(leg)[0].max()) + 1 for leg in sends[rank]), default=0),
            max((int(pairs(leg)[1].max()) + 1 for leg in receives[rank]), default=0),
            sends[rank],
            receives[rank],
        )
        for rank in range(ranks)
    ]


def _segment(source: int, target: int, length: int, count: int, *loops: int) -> list[int]:
    one, other, further, *strides = loops
    outer = [further + 1, *strides] if count > 0 and further > 0 else [1, 0, 0]
    inner = [count + 1, one, other] if count > 0 else [1, 0, 0]
    return [source, target, length + 1, *inner, *outer]


GRIDS = ("halo", "redistribution")  # whose arrays have exactly so many units
KINDS = {
    "ghosts": ghost_routes,
    "halo": halo_routes,
    "redistribution": redistributions,
    "crowd": crowded_routes,
}


def every_type(ranks: int) -> list[ExchangeCase]:
    """One exchange for each type and operation: each rank to itself and the next, at one place."""
    row = np.array([[0, 1, 3, 1, 0, 0]])
    routes = [
        _core.Route(
            rank,
            ranks,
            3,
            4,
            [_core.Leg(peer, row) for peer in {rank, (rank + 1) % ranks}],
            [_core.Leg(peer, row) for peer in {rank, (rank - 1) % ranks}],
        )
        for rank in range(ranks)
    ]
    return [
        ExchangeCase(
            kind="every type",
            routes=routes,
            spare_units=0,
            operation=operation,
            transport="auto",
            fields=[
                FieldCase(dtype, (2,), ((True, True),) * ranks, (("whole",) * 2,) * ranks, number)
            ],
            starts="bound",
            epochs=1,
            push_below_bytes=None,
            longest_message_bytes=2**63 - 1,
        )
        for operation in ("assign", "add", "min", "max")
        for number, dtype in enumerate(dtypes_of(operation))
    ]


@st.composite
def exchanges(draw: st.DrawFn, ranks: int, transports: list[str]) -> ExchangeCase:
    kind = draw(st.sampled_from(sorted(KINDS)))
    routes = draw(KINDS[kind](ranks))
    if draw(st.booleans()):
        routes = [route.transposed() for route in routes]
    transport = draw(st.sampled_from(transports))
    everything_shared = transport == "shared-direct"
    operations = ["assign"] if transport == "kernel-copy" else ["assign", "add", "min", "max"]
    operation = draw(st.sampled_from(operations))
    homes = st.tuples(st.booleans(), st.booleans())
    forms = st.sampled_from(
        ["whole"] if transport in ("shared-direct", "kernel-copy") else [*FORMS]
    )
    fields = [
        FieldCase(
            dtype=draw(st.sampled_from(dtypes_of(operation))),
            unit_shape=draw(SHAPES),
            shared=tuple((True, True) if everything_shared else draw(homes) for _ in range(ranks)),
            forms=tuple((draw(forms), draw(forms)) for _ in range(ranks)),
            seed=draw(st.integers(0, 2**16)),
        )
        for _ in range(draw(st.integers(1, 3)))
    ]
    return ExchangeCase(
        kind=kind,
        routes=routes,
        spare_units=0 if kind in GRIDS else draw(st.integers(0, 2)),
        operation=operation,
        transport=transport,
        starts=draw(st.sampled_from(["bound", "others", *([] if everything_shared else ["any"])])),
        fields=fields,
        epochs=draw(st.integers(1, 3)),
        push_below_bytes=draw(st.sampled_from([None, 0, 16, 2**40])),
        longest_message_bytes=draw(st.sampled_from([2**63 - 1, 7, 64])),
    )
