# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3 4
"""Along a route of grids an array has the shape of the rank's part, or nothing is moved."""

import tempfile
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

import transrank
from python.redistribution.cases import local, movements
from python.route.grids import Grid
from python.spmd import WORLD, main, property_test, refused
from transrank import BlockGrid, Distribution, Exchange, Redistribution
from transrank.mpi import MPI

COLUMNS = 5
EXTENTS = (3 * WORLD.size + 1, COLUMNS)  # rank 0 has one row more than the others
LAST = WORLD.size - 1
WHOLE = 1.0 + np.arange(prod(EXTENTS)).reshape(EXTENTS)
# A file of version 1: the halo of 4 x 3 cells on one rank, 1 row wide and periodic.
VERSION_1 = [
    *(0x1A0A0D4554525489, 0x0102030405060708, 1, 39, 0, 1, 18, 18, 1, 1, 0, 2, 0, 2),
    *(12, 0, 3, 1, 0, 0, 3, 15, 3, 1, 0, 0) * 2,
    0x6B4F1DD99B0BC941,
]


def divided(*, halo: int = 1, memory_order: tuple[int, ...] = ()) -> BlockGrid:
    return BlockGrid(
        [Distribution.even(EXTENTS[0], WORLD.size), Distribution.even(COLUMNS, 1)],
        halo=[(halo, halo, True)] * 2,
        memory_order=memory_order,
    )


def bind_and_run(route: transrank.Route, fields: Any, dimensions: Any = 2) -> None:
    with Exchange(route, WORLD, fields, dimensions=dimensions) as exchange:
        exchange.run()


def with_halo(rank: int) -> np.ndarray[Any, Any]:
    """What a rank's array holds when its halo is filled."""
    rows = divided().box(rank)[0]
    around = np.arange(rows.start - 1, rows.stop + 1), np.arange(-1, COLUMNS + 1)
    return WHOLE[np.ix_(around[0] % EXTENTS[0], around[1] % COLUMNS)]


def without_halo(rank: int) -> np.ndarray[Any, Any]:
    array = np.zeros_like(with_halo(rank))
    array[1:-1, 1:-1] = WHOLE[divided().box(rank)]
    return array


def test_an_array_of_another_shape_is_refused_by_all_ranks():
    route = transrank.route.halo(WORLD, divided())
    y, x = divided().local_extents(LAST)
    rank_0 = divided().local_extents(0)
    per_component = "; give one field per component, [u[k] for k in range(3)], or put"
    two_levels = per_component.replace("range(3)", "np.ndindex(2, 3)")
    flat = f"; pass dimensions=2, or a flat array of {y * x} cells"
    mistakes: dict[str, tuple[tuple[int, ...], int, str]] = {
        "axes swapped": ((x, y), 2, ""),
        "two columns more": ((y, x + 2), 2, ""),
        "two columns fewer": ((y, x - 2), 2, ""),
        "as many rows more as fit": ((2 * y, x), 2, ""),
        "on the faces between columns": ((y, x + 1), 2, ""),
        "on the faces between rows": ((y + 1, x), 2, ""),
        "on the corners": ((y + 1, x + 1), 2, ""),
        "the whole grid": (EXTENTS, 2, ""),
        "without the halo": ((y - 2, x - 2), 2, ""),
        "without the halo of the rows": ((y - 2, x), 2, ""),
        "components first": ((3, y, x), 2, per_component),
        "components first, all dimensions counted": ((3, y, x), 3, per_component),
        "components first, one dimension counted": ((3, y, x), 1, per_component),
        "two levels of components first": ((2, 3, y, x), 4, two_levels),
        "components in between": ((y, 3, x), 3, ""),
        "components last, all dimensions counted": ((y, x, 3), 3, "; pass dimensions=2"),
        "dimensions forgotten": ((y, x), 1, "; pass dimensions=2"),
        "more dimensions than there are": ((y, x), 3, "; pass dimensions=2"),
        "flat and too long": ((y * x + 1,), 1, flat),
        "flat and too short": ((y * x - 1,), 1, flat),
        "flat, with two dimensions counted": ((y * x, 1), 2, ""),
    }
    if LAST > 0:
        mistakes["of the extents of rank 0, which has more rows"] = (rank_0, 2, "")
    for mistake, (shape, dimensions, hint) in mistakes.items():
        array = np.zeros(shape) if WORLD.rank == LAST else without_halo(WORLD.rank)
        before = array.copy()
        refused(
            f"field 0 on rank {LAST}: the source has shape {shape}; rank {LAST}'s array of this "
            f"grid has shape {(y, x)}, halo included (grid.local_extents({LAST}), the slowest "
            f"dimension in memory first){hint}",
            partial(bind_and_run, route, array, dimensions if WORLD.rank == LAST else 2),
        )
        assert (array == before).all(), mistake


def test_what_the_errors_advise_is_right():
    route = transrank.route.halo(WORLD, divided())
    wanted = with_halo(WORLD.rank)
    factors = np.arange(1.0, 4.0)
    first = without_halo(WORLD.rank) * factors[:, None, None]
    bind_and_run(route, [first[k] for k in range(3)])
    assert (first == wanted * factors[:, None, None]).all()
    last = without_halo(WORLD.rank)[..., None] * factors
    bind_and_run(route, last)
    assert (last == wanted[..., None] * factors).all()
    flat = without_halo(WORLD.rank).ravel()
    bind_and_run(route, flat, 1)
    assert (flat == wanted.ravel()).all()


def test_an_array_in_another_order_than_the_grid_is_refused():
    grid = divided(memory_order=(0, 1))
    route = transrank.route.halo(WORLD, grid)
    y, x = grid.local_extents(WORLD.rank)
    assert route.source_shape == route.destination_shape == (x, y)
    y, x = grid.local_extents(0)
    refused(
        f"the source has shape {(y, x)}; rank 0's array of this grid has shape {(x, y)}, halo",
        lambda: bind_and_run(route, np.zeros(grid.local_extents(WORLD.rank))),
    )
    own = np.ascontiguousarray(without_halo(WORLD.rank).T)
    bind_and_run(route, own)
    assert (with_halo(WORLD.rank) == own.T).all()


def test_each_side_has_the_shape_of_its_own_grid():
    grids = divided(halo=0), divided(memory_order=(0, 1))
    route = transrank.route.redistribution(WORLD, *grids)
    of_source, of_destination = (np.zeros(grid.local_extents(WORLD.rank)) for grid in grids)
    for pair, words in (
        ((of_source.T.copy(), of_destination.T.copy()), "the source has shape"),
        ((of_source, of_destination), "the destination has shape"),
    ):
        refused(words, partial(bind_and_run, route, pair))
        refused(words, partial(Redistribution.along(WORLD, route, *grids).store, pair))
    back = route.transposed()
    refused("the source has", partial(bind_and_run, back, (of_destination, of_source)))
    bind_and_run(route, (of_source, of_destination.T.copy()))
    bind_and_run(back, (of_destination.T.copy(), of_source))


def test_layouts_of_another_shape_than_the_route_are_refused():
    grids = divided(), divided(memory_order=(0, 1))
    route = transrank.route.redistribution(WORLD, *grids)
    along = Redistribution.along(WORLD, route, grids[0], divided())
    shape = grids[1].local_extents(0)
    refused(
        f"the destination has shape {shape}; rank 0's array of this grid has shape {shape[::-1]}",
        lambda: along.store((np.zeros(along.source_shape()), np.zeros(along.destination_shape()))),
    )


def test_a_list_may_be_longer_and_the_grid_beside_it_not():
    grid = divided()
    rows, columns = grid.box(WORLD.rank)
    cells = np.arange(prod(EXTENTS)).reshape(EXTENTS)[rows, columns].ravel()
    there, back = Redistribution(WORLD, grid, cells).route, Redistribution(WORLD, cells, grid).route
    shape = grid.local_extents(WORLD.rank)
    assert (there.source_shape, there.destination_shape) == (shape, None)
    assert (back.source_shape, back.destination_shape) == (None, shape)
    longer = np.zeros(len(cells) + 3)
    bind_and_run(there, (without_halo(WORLD.rank), longer), (2, 1))
    assert (longer[:-3] == WHOLE[rows, columns].ravel()).all()
    refused(
        "the destination has shape",
        lambda: bind_and_run(back, (longer, np.zeros((shape[0] + 1, shape[1]))), (1, 2)),
    )


def test_files_keep_shapes_and_those_of_version_1_have_none():
    made = transrank.route.halo(WORLD, divided())
    folder = WORLD.bcast(tempfile.mkdtemp() if WORLD.rank == 0 else None)
    transrank.route.save(WORLD, made, folder)
    loaded = transrank.route.load(WORLD, folder)
    assert loaded == made
    assert loaded.source_shape == divided().local_extents(WORLD.rank)
    refused("has shape", lambda: bind_and_run(loaded, without_halo(WORLD.rank).T.copy()))

    path = Path(folder) / f"old-{WORLD.rank}.route"
    path.write_bytes(np.array(VERSION_1, np.uint64).tobytes())
    old = transrank.Route.load(path)
    assert old.source_shape is old.destination_shape is None
    array = np.zeros((6, 3))
    array[1:-1] = np.arange(1.0, 13.0).reshape(4, 3)
    for given in (array, np.concatenate([array, np.zeros((1, 3))])):
        with Exchange(old, MPI.COMM_SELF, given, dimensions=2) as exchange:
            exchange.run()
        assert (given[[0, 5]] == given[[4, 1]]).all()
    again = Path(folder) / f"again-{WORLD.rank}.route"
    old.save(again)
    assert transrank.Route.load(again) == old


def shape_of(grid: Grid, rank: int) -> tuple[int, ...]:
    """The shape of a rank's array as NumPy cuts it; zeros without a part."""
    if grid.coordinates(rank) is None:
        return (0,) * len(grid.dimensions)
    lengths = [len(indices) for indices in grid.positions(rank, halo=True)]
    return tuple(lengths[dimension] for dimension in reversed(grid.memory_order))


def wrong_shapes(right: tuple[int, ...]) -> list[tuple[tuple[int, ...], int]]:
    """Shapes of as many cells or more, and how many of their dimensions count cells."""
    n, cells = len(right), prod(right)
    tried = [(tuple(np.add(right, np.eye(n, dtype=int)[d]).tolist()), n) for d in range(n)]
    tried += [(right[::-1], n), ((*right[1:], right[0]), n)]
    tried += [((3, *right), n), ((3, *right), n + 1), ((*right, 2), n + 1), ((cells + 1,), 1)]
    tried += [((cells, *(1,) * (n - 1)), n), ((*(1,) * (n - 1), cells), n), ((1, cells), 2)]
    if any(right):
        return [(it, count) for it, count in tried if (it[:count], count) != (right, n)]
    return [(it, count) for it, count in tried if prod(it[:count]) > 0]


@property_test(st.tuples(movements(), st.integers(0, LAST), st.sampled_from([0, 1])), examples=15)
def test_the_right_shape_moves_the_right_values_and_any_other_is_refused(case):
    (extents, *grids), bad, side = case
    have, wanted = (local(grid, extents, halo=False) for grid in grids)
    route = transrank.route.redistribution(WORLD, *(grid.layout for grid in grids))
    shapes = [shape_of(grid, WORLD.rank) for grid in grids]
    assert [route.source_shape, route.destination_shape] == shapes
    n = len(extents)
    right = [have.reshape(shapes[0]), np.full(shapes[1], -1)]
    bind_and_run(route, tuple(right), n)
    arrived = (right[1] == wanted.reshape(shapes[1])) | (wanted.reshape(shapes[1]) <= 0)
    accepted = []
    for shape, counted in wrong_shapes(shape_of(grids[side], bad)):
        given, dimensions = [*right], [n, n]
        if WORLD.rank == bad:
            given[side], dimensions[side] = np.zeros(shape, right[0].dtype), counted
        try:
            Exchange(route, WORLD, tuple(given), dimensions=tuple(dimensions)).close()
            accepted.append((shape, counted))
        except transrank.AgreedError:
            pass
    assert arrived.all()
    assert accepted == []


if __name__ == "__main__":
    main(globals())
