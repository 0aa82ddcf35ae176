# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3 4
"""What a grid offers beside its moves, and how it refuses what does not fit."""

import pickle

import numpy as np
import pytest

import transrank
from python.spmd import MPI, WORLD, main, refused


def test_a_cartesian_communicator_gives_parts_and_periods():
    dims = MPI.Compute_dims(WORLD.size, 2)[::-1]
    comm = WORLD.Create_cart(dims, [True, False])
    grid = transrank.Grid(comm, (8, 12))
    assert grid.parts == tuple(dims)
    assert grid.periodic == (True, False)
    assert [box.start for box in grid.box] == [
        place * length // parts if length % parts == 0 else box.start
        for place, length, parts, box in zip(comm.coords, grid.shape, dims, grid.box, strict=True)
    ]
    comm.Free()


def test_staggered_points_lie_beside_the_cells_of_their_rank():
    grid = transrank.Grid(WORLD, (7, 5), halo=1, periodic=[False, True])
    edges, around = grid.staggered(0), grid.staggered(1)
    assert edges.shape == (8, 5)
    assert around.shape == grid.shape
    assert edges.box[0].start == grid.box[0].start
    assert edges.box[0].stop - grid.box[0].stop == grid.at_boundary(0, 1)
    first = transrank.Grid(WORLD, 2, parts=[[2, *[0] * (WORLD.size - 1)]])
    assert first.staggered(0).local_shape == (3 if WORLD.rank == 0 else 0,)
    points = edges.zeros()
    points[edges.owned] = edges.indices()[0]
    edges.update(points)
    cells = grid.zeros()
    cells[grid.owned] = points[edges.owned][: len(cells) - 2] + 0.5
    assert np.array_equal(cells[grid.owned], grid.indices()[0] + 0.5 + 0 * cells[grid.owned])


def test_coordinates_begin_at_the_origin():
    grid = transrank.Grid(WORLD, (6, 4))
    x, y = grid.coordinates(spacing=(0.5, 2), origin=(1, 0))
    assert np.array_equal(x, 1 + 0.5 * np.arange(6)[grid.box[0], None])
    assert np.array_equal(y, 2 * np.arange(4)[None, grid.box[1]])


def test_an_update_in_a_with_block_sees_no_halo_and_ends_after_an_exception():
    grid = transrank.Grid(WORLD, 12, halo=1, periodic=True)
    u, total = grid.full(1.0), grid.zeros()
    halo = grid.halo(u)
    with halo.updating():
        total[grid.interior] = u[grid.interior]
    assert np.array_equal(u, np.ones(len(u)))
    assert total.sum() == max(len(u) - 4, 0)
    grid = transrank.Grid(WORLD, 12, halo=1, periodic=True)
    u = grid.full(float(WORLD.rank))
    halo = grid.halo(u)
    with pytest.raises(KeyError), halo.updating():
        raise KeyError
    halo.wait()
    assert u[0] == (WORLD.rank - 1) % WORLD.size


def filled(grid: transrank.Grid, array: np.ndarray, seed: int) -> np.ndarray:
    """What the array is to hold when its halo, which wraps around, has been updated."""
    whole = np.random.default_rng(seed).random(grid.shape)
    array[...] = -1
    array[grid.owned] = whole[grid.box]
    rows = (np.arange(box.start - 1, box.stop + 1) for box in grid.box)
    return whole[np.ix_(*(each % length for each, length in zip(rows, grid.shape, strict=True)))]


def test_any_arrays_are_updated_in_each_step_and_views_too():
    grid = transrank.Grid(WORLD, (3 * WORLD.size, 5), halo=1, periodic=True)
    rows, columns = grid.local_shape
    makes = [
        lambda: np.zeros((rows, columns)),
        lambda: np.zeros((rows, columns), order="F"),
        lambda: np.zeros((rows, columns))[::-1, ::-1],
        lambda: np.zeros((rows + 2, columns + 3, 2))[1:-1, 3:, 1],
        lambda: np.zeros((rows, columns), [("a", "i1"), ("b", "f8")])["b"],
    ]
    for step in range(20):
        u = makes[step % len(makes)]()
        wanted = filled(grid, u, step)
        grid.update(u)
        assert np.array_equal(u, wanted), step
    assert len(grid._updates) == len(makes)
    grid.update(u.astype("f4"), u)
    refused("read-only", lambda: grid.update(np.broadcast_to(np.zeros(1), u.shape)))


def test_an_update_that_was_interrupted_ends_before_that_of_other_arrays():
    grid = transrank.Grid(WORLD, (3 * WORLD.size, 5), halo=1, periodic=True)
    u, v = np.zeros(grid.local_shape), np.zeros(grid.local_shape)
    grid.update(u)
    (bound,) = grid._updates.values()
    for other in (u, u[:], v):
        wanted = filled(grid, u, 1)
        also = filled(grid, v, 2)
        bound.start(u)  # as an interrupt of its wait leaves it
        grid.update(other)
        assert np.array_equal(u, wanted)
        assert np.array_equal(v, also) == (other is v)


def test_one_halo_serves_arrays_that_a_step_swaps():
    grid = transrank.Grid(WORLD, (3 * WORLD.size, 5), halo=1, periodic=True)
    arrays = [grid.zeros(), grid.zeros(), np.zeros(grid.local_shape)]
    halo = grid.halo(arrays[0], others=[(each,) for each in arrays[1:]])
    for step in range(12):
        u = arrays[(step + WORLD.rank) % 3]  # each rank has its own order
        wanted = filled(grid, u, step)
        with halo.updating(u):
            pass
        assert np.array_equal(u, wanted), step
        for wrong in (grid.zeros(), grid.zeros(dtype="f4")):
            with pytest.raises(ValueError, match="bound"):
                halo.update(wrong)
    wanted = filled(grid, arrays[0], 0)
    halo.update()
    assert np.array_equal(arrays[0], wanted)


def test_a_wrong_array_is_refused_on_every_rank_and_the_right_shape_is_named():
    grid = transrank.Grid(WORLD, (8, 6), halo=1)
    u = grid.zeros()
    last = WORLD.rank == WORLD.size - 1
    rows, columns = transrank.Grid(WORLD, (8, 6), halo=1, parts=grid.parts).local_shape
    wrong = np.zeros((columns, rows)) if last else u
    named = f"has shape {(columns, rows)}" if last else "has shape"
    for call in (grid.halo, grid.update, grid.gather, lambda it: grid.to(grid, it)):
        refused("has shape" if not last else named, lambda call=call: call(wrong))
    refused("list", lambda: grid.gather([1.0] if last else u))
    refused("one by one", lambda: grid.halo([u] if last else u))
    refused("others=[(v,)]", lambda: grid.halo(u, others=[u] if last else [(u,)]))
    refused("is None on its root", lambda: grid.scatter(None))
    refused("root is 99", lambda: grid.gather(u, root=99 if last else 0))
    refused("a Grid is needed", lambda: grid.to(None if last else grid, u))
    refused("shape (3,)", lambda: grid.scatter(np.zeros(3)))
    two, three = grid.zeros(2), grid.zeros(3)
    refused("components (2,)", lambda: grid.to(grid, two, out=three if last else grid.zeros(2)))
    objects = np.full(grid.shape, None) if WORLD.rank == 0 else None
    refused("Python objects", lambda: grid.scatter(objects, out=u if last and WORLD.rank else None))
    refused("components", lambda: grid.scatter(np.zeros((8, 6)), out=two if last else u))
    one = transrank.Grid(MPI.COMM_SELF, (8, 6))
    if WORLD.size > 1:
        refused("communicator of other ranks", lambda: grid.to(one if last else grid, u))
        refused("binds root 1, rank 0 root 0", lambda: grid.gather(u, root=int(last)))


def test_an_array_is_refused_with_the_likely_mistake():
    for first, side in ((False, "last"), (True, "first")):
        grid = transrank.Grid(WORLD, (9, 7), halo=1, components_first=first)
        u, v = grid.zeros(), grid.zeros(3)
        for wrong, says in [
            (u[1:-1, 1:-1], "it lacks the halo: give the whole array, not its owned cells"),
            (v[grid.owned], "it lacks the halo"),
            (np.moveaxis(v, 0, -1) if first else np.moveaxis(v, -1, 0), f"components come {side}"),
            (np.zeros(u.size), "(grid.local_shape)"),
            (grid.staggered(0).zeros()[:, 1:], "(grid.local_shape)"),
        ]:
            refused(says, lambda grid=grid, wrong=wrong: grid.halo(wrong))
            refused("array 1 on rank", lambda grid=grid, u=u, wrong=wrong: grid.update(u, wrong))
    if WORLD.size > 1:
        grid = transrank.Grid(WORLD, (9, 7), halo=1)
        refused("grid.scatter distributes", lambda: grid.halo(np.zeros(grid.shape)))
        grid = transrank.Grid(WORLD, (9, 8), halo=1)
        wrong = np.zeros(grid.local_shape[::-1])
        refused("axes 0 and 1 are in each other's places", lambda: grid.halo(wrong))
        says = "halo of 0 and 0; these must be equal on all ranks"
        refused(says, lambda: transrank.Grid(WORLD, (9, 7 + WORLD.rank)))


def test_a_grid_that_cannot_be_is_refused_where_it_is_made():
    for arguments, says in [
        ({"shape": (4, -1)}, "-1"),
        ({"shape": ()}, "dimension"),
        ({"shape": (4.5,)}, "shape is 4.5; give an integer"),
        ({"shape": (4, 4), "halo": "2"}, "a halo's width is '2'; give an integer"),
        ({"shape": (4, 4), "halo": (1, 1, 1)}, "halo is (1, 1, 1); give one for each of the 2"),
        ({"shape": 4, "halo": [(1, 2, 3)]}, "or two: before, after"),
        ({"shape": 4, "periodic": [2]}, "periodic is 2"),
        ({"shape": 4, "parts": [[2, 3]]}, "have 5 cells in all"),
        ({"shape": 4, "parts": [WORLD.size + 1]}, f"needs {WORLD.size + 1} ranks"),
        ({"shape": 4, "parts": [0]}, "0"),
        ({"shape": (4, 4), "parts": 1}, "parts is 1; give one for each of the 2"),
    ]:
        refused(says, lambda arguments=arguments: transrank.Grid(WORLD, **arguments))
    with pytest.raises(TypeError, match="cannot be copied"):
        pickle.dumps(transrank.Grid(WORLD, 4))
    with pytest.raises(ValueError, match="side is 0"):
        transrank.Grid(WORLD, 4).at_boundary(0, 0)
    with pytest.raises(ValueError, match="axis is 1; the axes of this grid are 0 to 0"):
        transrank.Grid(WORLD, 4).staggered(1)
    comm = WORLD.Create_cart([WORLD.size])
    refused("Cartesian communicator has 1 dimensions", lambda: transrank.Grid(comm, (4, 4)))
    comm.Free()


def test_the_text_of_a_grid_has_what_a_user_asks_for():
    grid = transrank.Grid(WORLD, (8, 6), halo=(2, 1), parts=(1, WORLD.size))
    box = grid.box[1]
    assert repr(grid) == (
        f"<Grid of (8, 6) cells in (1, {WORLD.size}) parts, halo [(2, 2), (1, 1)], periodic "
        f"(False, False); rank {WORLD.rank} owns [0:8, {box.start}:{box.stop}] in arrays of shape "
        f"{grid.local_shape}>"
    )
    cells = [len(part) for part in np.array_split(np.arange(6), WORLD.size)]
    ranks = range(WORLD.size)
    assert str(grid).splitlines() == [
        repr(grid),
        "cells along axis 0: [8]",
        f"cells along axis 1: [{' '.join(map(str, cells))}]",
        "ranks:",
        f"[[{' '.join(map(str, ranks))}]]",
    ]


main(globals())
