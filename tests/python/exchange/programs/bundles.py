# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3
"""The fields of one exchange must not write what another one reads or writes."""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import transrank
from python.exchange.ring import NEXT, PREVIOUS, UNITS, numbers, route
from python.spmd import WORLD, main, property_test, refused
from transrank import _core

Segment = tuple[int, int, int, int, int, int]
BYTES = 120


def ring_of(segments: list[Segment], source_extent: int, destination_extent: int) -> _core.Route:
    rows = np.array(segments, np.int64).reshape(-1, 6)
    sends, receives = _core.Leg(NEXT, rows), _core.Leg(PREVIOUS, rows)
    return _core.Route(
        WORLD.rank, WORLD.size, source_extent, destination_extent, [sends], [receives]
    )


def with_run_alone(segment: Segment) -> Segment:
    """A lone run has no strides."""
    return segment if segment[3] > 1 else (*segment[:4], 0, 0)


def units_of(begin: int, length: int, count: int, stride: int) -> list[int]:
    return [begin + run * stride + unit for run in range(count) for unit in range(length)]


@dataclass(frozen=True)
class BundleCase:
    """A route, and fields that lie anywhere in the memory of a rank."""

    segments: list[Segment]
    unit_bytes: list[int]
    places: list[list[tuple[int, int]]]  # by rank and field: source and destination

    @property
    def sources(self) -> list[int]:
        return [u for s, _, length, n, by, _ in self.segments for u in units_of(s, length, n, by)]

    @property
    def destinations(self) -> list[int]:
        return [u for _, d, length, n, _, by in self.segments for u in units_of(d, length, n, by)]

    def bytes_of(self, units: list[int], place: int, field: int) -> set[int]:
        """What units of a field occupy, byte by byte."""
        size = self.unit_bytes[field]
        return {place + unit * size + byte for unit in units for byte in range(size)}

    def clashes_on(self, rank: int) -> bool:
        reads, writes = [], []
        for field, (source, destination) in enumerate(self.places[rank]):
            reads.append(self.bytes_of(self.sources, source, field))
            writes.append(self.bytes_of(self.destinations, destination, field))
        return any(write & read for write in writes for read in reads) or any(
            one & other for one, other in permutations(writes, 2)
        )


@st.composite
def bundles(draw: st.DrawFn) -> BundleCase:
    small = st.integers(1, 3)
    stride = st.integers(0, 6)
    place = st.integers(0, 9)
    segment = st.tuples(place, place, small, small, stride, stride).map(with_run_alone)
    segments = draw(st.lists(segment, min_size=1, max_size=2))
    unit_bytes = draw(st.lists(small, min_size=1, max_size=3))
    longest = (9 + 2 * 6 + 3) * 3
    anywhere = st.integers(0, BYTES - longest)
    fields = st.lists(
        st.tuples(anywhere, anywhere), min_size=len(unit_bytes), max_size=len(unit_bytes)
    )
    apart = [(2 * n * BYTES, (2 * n + 1) * BYTES) for n in range(len(unit_bytes))]
    places = [draw(st.one_of(st.just(apart), fields)) for _ in range(WORLD.size)]
    return BundleCase(segments, unit_bytes, places)


@property_test(bundles(), examples=150)
def test_fields_are_refused_when_bytes_of_theirs_meet(case):
    extents = max(case.sources) + 1, max(case.destinations) + 1
    contents = [np.random.default_rng(rank).bytes(7 * BYTES) for rank in range(WORLD.size)]
    memory = transrank.zeros(7 * BYTES, np.uint8)
    memory[...] = np.frombuffer(contents[WORLD.rank], np.uint8)
    expected = memory.copy()
    sent = np.frombuffer(contents[PREVIOUS], np.uint8)

    def rows(of: NDArray[np.uint8], place: int, side: int, size: int) -> NDArray[np.uint8]:
        return of[place : place + extents[side] * size].reshape(-1, size)

    fields = []
    for field, size in enumerate(case.unit_bytes):
        source, destination = case.places[WORLD.rank][field]
        fields.append((rows(memory, source, 0, size), rows(memory, destination, 1, size)))
        theirs = rows(sent, case.places[PREVIOUS][field][0], 0, size)
        for unit, of in zip(case.destinations, case.sources, strict=True):
            rows(expected, destination, 1, size)[unit] = theirs[of]
    try:
        transrank.Exchange(ring_of(case.segments, *extents), WORLD, fields).run()
        refusal = ""
    except transrank.AgreedError as error:
        refusal = str(error)
    assert bool(refusal) == any(map(case.clashes_on, range(WORLD.size))), refusal
    assert refusal or (memory == expected).all()


def test_fields_may_share_a_source_or_be_every_other_element_of_one_array():
    a, b, c = (transrank.zeros(UNITS) for _ in range(3))
    a[...] = numbers(WORLD.rank)
    transrank.Exchange(route(), WORLD, [(a, b), (a, c)]).run()
    assert (b == numbers(PREVIOUS)).all()
    assert (c == numbers(PREVIOUS)).all()
    both = transrank.zeros(2 * UNITS)
    sources = transrank.full(UNITS, -1.0), transrank.full(UNITS, -2.0)
    scattered = ring_of([(0, 0, 1, UNITS, 1, 2)], UNITS, 2 * UNITS - 1)
    fields = [(sources[0], both[:-1]), (sources[1], both[1:])]
    transrank.Exchange(scattered, WORLD, fields).run()
    assert (both[::2] == -1).all()
    assert (both[1::2] == -2).all()


def test_fields_may_be_the_members_of_one_array_of_structs():
    for make in (transrank.zeros, np.zeros):
        structs = make((UNITS, 4))
        structs[:, 0] = numbers(WORLD.rank, 1)
        structs[:, 2] = numbers(WORLD.rank, 2)
        extent = 4 * (UNITS - 1) + 1
        members = [structs.reshape(-1)[member:][:extent] for member in range(4)]
        every_fourth = ring_of([(0, 0, 1, UNITS, 4, 4)], extent, extent)
        fields = [(members[0], members[1]), (members[2], members[3])]
        transrank.Exchange(every_fourth, WORLD, fields).run()
        assert (structs[:, 1] == numbers(PREVIOUS, 1)).all()
        assert (structs[:, 3] == numbers(PREVIOUS, 2)).all()
        refused(
            "rows of its memory that it also reads",
            lambda: transrank.Exchange(every_fourth, WORLD, [members[0], members[0]]),  # noqa: B023
        )


main(globals())
