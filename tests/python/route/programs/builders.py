# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3 4
"""Routes that ranks make together deliver what was asked for, and survive files."""

import tempfile
from pathlib import Path
from typing import Any

from transrank.mpi import MPI  # isort: split

import numpy as np
import pytest
from hypothesis import strategies as st

import transrank
from python.route.grids import dimensions
from python.spmd import WORLD, main, property_test, refused
from transrank import route as routes

LAST = WORLD.size - 1


def moved(route: transrank.Route, source: np.ndarray) -> np.ndarray:
    """What arrives; -1 where nothing does."""
    destination = np.full(route.destination_extent, -1)
    transrank.Exchange(route, WORLD, (source, destination)).run()
    return destination


def integers(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.int64)


@st.composite
def wishes(draw: st.DrawFn) -> tuple[Any, list[list[int]]]:
    owners = draw(dimensions(draw(st.integers(1, 40)), WORLD.size))
    wish = st.lists(st.integers(0, owners.extent - 1), max_size=12)
    return owners, [draw(wish) for _ in range(WORLD.size)]


@property_test(wishes(), examples=20)
def test_ghosts_by_global_index(case):
    owners, lists = case
    mine = lists[WORLD.rank]
    route = routes.ghost_pull(WORLD, owners.distribution, mine, begin=2, extent=len(mine) + 3)
    arrived = moved(route, integers(list(owners.owned[WORLD.rank])))
    assert arrived.tolist() == [-1, -1, *mine, -1], arrived


@property_test(wishes(), examples=15)
def test_ghosts_of_numbered_rows_and_their_files(case):
    owners, lists = case
    counts = [len(owned) for owned in owners.owned]
    begin = sum(counts[: WORLD.rank])
    numbering = transrank.Numbering(WORLD, counts[WORLD.rank])
    route = routes.ghost_pull(WORLD, numbering, lists[WORLD.rank])
    with tempfile.TemporaryDirectory() as own:
        folder = WORLD.bcast(own, root=0)
        routes.save(WORLD, route, folder)
        loaded = routes.load(WORLD, folder)
        WORLD.Barrier()
    arrived = moved(loaded, begin + np.arange(counts[WORLD.rank]))
    back = np.zeros(counts[WORLD.rank], np.int64)
    ones = np.ones(len(lists[WORLD.rank]), np.int64)
    transrank.Exchange(loaded.transposed(), WORLD, (ones, back), "add").run()
    asked = [row for wish in lists for row in wish]
    assert loaded == route
    assert numbering.owned == (begin, begin + counts[WORLD.rank])
    assert numbering.extent == owners.extent
    assert arrived.tolist() == lists[WORLD.rank]
    assert back.tolist() == [asked.count(begin + row) for row in range(len(back))]


@property_test(wishes(), examples=15)
def test_a_numbering_maps_rows_to_global_indices_and_back(case):
    owners, lists = case
    counts = [len(owned) for owned in owners.owned]
    numbering = transrank.Numbering(WORLD, counts[WORLD.rank], table=True)
    ranks, rows = (
        np.repeat(np.arange(WORLD.size), counts),
        np.concatenate([np.arange(count) for count in counts]),
    )
    found = numbering.global_index(ranks, rows)
    asked = np.array(lists[WORLD.rank], dtype=np.int32).reshape(-1, 1)
    place = numbering.place(asked)
    assert found.tolist() == list(range(owners.extent))
    assert place[0].tolist() == ranks[asked].tolist()
    assert place[1].tolist() == rows[asked].tolist()


def test_what_a_numbering_cannot_map_is_refused_on_this_rank_alone():
    numbering = transrank.Numbering(WORLD, 3)
    assert numbering.global_index(WORLD.size - 1, 2) == 3 * WORLD.size - 1
    assert numbering.global_index(0, [0, 2]).tolist() == [0, 2]
    assert numbering.place(np.int32(2)) == (0, 2)
    if WORLD.rank == 0:
        for rank, row in [(0, 3), (0, -1), (WORLD.size, 0), (2**40, 0)]:
            with pytest.raises(ValueError, match="out of range"):
                numbering.global_index([0, rank], [0, row])
        with pytest.raises(ValueError, match="out of range"):
            numbering.place(3 * WORLD.size)
        with pytest.raises(TypeError, match="row: give an integer or an array of integers"):
            numbering.global_index(0, 1.5)


@st.composite
def two_lists(draw: st.DrawFn) -> tuple[list[list[int]], list[list[int]]]:
    indices = draw(st.lists(st.integers(0, 2**40), max_size=25, unique=True))
    homes = [draw(st.integers(0, LAST)) for _ in indices]
    source = [
        [index for index, home in zip(indices, homes, strict=True) if home == rank]
        for rank in range(WORLD.size)
    ]
    wish = st.lists(st.sampled_from(indices), max_size=15) if indices else st.just([])
    return source, [draw(wish) for _ in range(WORLD.size)]


@property_test(two_lists(), examples=20)
def test_lists_find_each_other(case):
    source, wanted = case[0][WORLD.rank], case[1][WORLD.rank]
    arrived = moved(routes.lists(WORLD, source, wanted), integers(source))
    assert arrived.tolist() == wanted


@property_test(
    st.lists(st.lists(st.integers(0, 4), min_size=WORLD.size, max_size=WORLD.size),
             min_size=WORLD.size, max_size=WORLD.size),
    examples=15,
)  # fmt: skip
def test_alltoallv_is_that_of_mpi(counts):
    sends = integers(counts[WORLD.rank])
    receives = integers([row[WORLD.rank] for row in counts])
    source = 1000 * WORLD.rank + np.arange(sends.sum())
    expected = np.empty(receives.sum(), np.int64)
    WORLD.Alltoallv([source, sends], [expected, receives])
    arrived = moved(routes.alltoallv(WORLD, sends, receives), source)
    gaps = np.cumsum(receives) - receives + 2 * np.arange(WORLD.size)
    spread = moved(routes.alltoallv(WORLD, sends, receives, receive_displacements=gaps), source)
    assert arrived.tolist() == expected.tolist()
    assert [x for x in spread.tolist() if x >= 0] == expected.tolist()


def on_last(wrong: Any, right: Any) -> Any:
    return wrong if WORLD.rank == LAST else right


def test_bad_input_on_one_rank_is_the_same_error_on_every_rank():
    owners = transrank.Distribution.even(8 * WORLD.size, WORLD.size)
    for wrong in ([-1], [8 * WORLD.size], [2**62]):
        refused("out of range", lambda w=wrong: routes.ghost_pull(WORLD, owners, on_last(w, [0])))
    for wrong, says in [
        ([1.5], "give integers"),
        ([[1]], "one-dimensional"),
        ([2**64 - 1], "has an element out of range"),
        ("row", "has shape ()"),
    ]:
        refused(says, lambda w=wrong: routes.ghost_pull(WORLD, owners, on_last(w, [0])))
    refused("give a Distribution", lambda: routes.ghost_pull(WORLD, on_last("me", owners), [0]))
    refused("'x'; give", lambda: routes.ghost_pull(WORLD, owners, [0], begin=on_last("x", 0)))
    refused("is in", lambda: routes.lists(WORLD, on_last([7, 7], []), []))
    refused("is in no", lambda: routes.lists(WORLD, [], on_last([7], [])))
    numbered = transrank.Numbering(WORLD, 2 * WORLD.rank)
    if WORLD.size > 1:
        refused("gives as owners", lambda: routes.ghost_pull(WORLD, on_last(owners, numbered), []))
    none, one = [0] * WORLD.size, [1] * WORLD.size
    refused("send counts", lambda: routes.alltoallv(WORLD, on_last([], none), none))
    refused("which receives", lambda: routes.alltoallv(WORLD, on_last(one, none), none))
    good = routes.alltoall(WORLD, 1)
    refused("a Route is needed", lambda: routes.save(WORLD, on_last(3, good), "nowhere"))
    for nowhere in "", b"":
        refused("route files is empty", lambda w=nowhere: routes.save(WORLD, good, w))
        refused("route files is empty", lambda w=nowhere: routes.load(WORLD, w))


def test_a_numbering_is_of_one_communicator():
    if WORLD.size == 1:
        return
    backward = WORLD.Split(0, -WORLD.rank)
    reversed_ranks = transrank.Numbering(backward, 1 + 2 * WORLD.rank)
    for other in (transrank.Numbering(MPI.COMM_SELF, 3), reversed_ranks):
        refused("make it on this", lambda n=other: routes.ghost_pull(WORLD, n, [0]))
        refused("make it on this", lambda n=other: routes.ghost_push(WORLD, n, [0], [0]))
    upward, downward = (transrank.Numbering(WORLD, n) for n in (1 + WORLD.rank, 9 - 3 * WORLD.rank))
    mixed = downward if WORLD.rank == 0 else upward
    refused("numbered without", lambda: routes.ghost_pull(WORLD, mixed, [2]))


def test_what_is_no_communicator_of_ranks():
    with pytest.raises(ValueError, match="MPI_COMM_NULL"):
        transrank.Numbering(MPI.COMM_NULL, 3)
    if WORLD.size > 1:
        half = WORLD.Split(WORLD.rank % 2)
        both = half.Create_intercomm(0, WORLD, 1 - WORLD.rank % 2)
        with pytest.raises(ValueError, match="intercommunicator"):
            transrank.Numbering(both, 3)
        both.Free()


def test_bad_files_are_refused_on_every_rank():
    route = routes.alltoall(WORLD, 3)
    with tempfile.TemporaryDirectory() as own:
        folder = Path(WORLD.bcast(own, root=0))
        routes.save(WORLD, route, folder)
        assert routes.load(WORLD, folder) == route
        file = folder / f"rank-{LAST}.route"
        content = file.read_bytes()
        WORLD.Barrier()
        for spoilt, says in [
            (content[:-5], "truncated"),
            (content[:70] + bytes([content[70] ^ 1]) + content[71:], "its checksum does not match"),
            (b"something else", "route file"),
            (None, "route file"),
        ]:
            if WORLD.rank == LAST:
                file.unlink() if spoilt is None else file.write_bytes(spoilt)
            WORLD.Barrier()
            refused(says, lambda: routes.load(WORLD, folder))
        WORLD.Barrier()
        if WORLD.rank == LAST:
            file.write_bytes(content)
        WORLD.Barrier()
        half = WORLD.Split(0 if WORLD.rank < LAST else 1)
        if WORLD.size > 1:
            with pytest.raises(transrank.AgreedError, match="rank"):
                routes.load(half, folder)
        WORLD.Barrier()


main(globals())
