# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3 4
"""Datasets of xarray, redistributed with their coordinates."""

import numpy as np
import pytest
import xarray

import transrank
from python.spmd import WORLD, main, refused
from transrank import BlockGrid, Distribution

COLUMNS, ROWS, LEVELS = 7, 5, 2


def whole() -> xarray.Dataset:
    numbers = np.arange(COLUMNS * ROWS * LEVELS)
    return xarray.Dataset(
        {
            "wind": (("y", "level", "x"), numbers.reshape(ROWS, LEVELS, COLUMNS) / 7),
            "land": (("x", "y"), (numbers[: COLUMNS * ROWS] % 3 == 0).reshape(COLUMNS, ROWS)),
            "gravity": ((), 9.81),
        },
        {
            "x": np.linspace(0.0, 1.0, COLUMNS),
            "when": (("y",), np.arange(ROWS).astype("datetime64[s]").astype("datetime64[ns]")),
            "level": [10, 20],
        },
        {"title": "a test"},
    )


def divided(along: int) -> BlockGrid:
    parts = [WORLD.size if dimension == along else 1 for dimension in range(2)]
    return BlockGrid([Distribution.even(n, p) for n, p in zip((COLUMNS, ROWS), parts, strict=True)])


def part(along: str, extent: int) -> xarray.Dataset:
    ranges = np.array_split(np.arange(extent), WORLD.size)
    return whole().isel({along: ranges[WORLD.rank]})


def test_what_is_bound_moves_what_its_source_holds_in_each_run():
    redistribution = transrank.Redistribution(WORLD, divided(0), divided(1))
    mine, wanted = part("x", COLUMNS), part("y", ROWS)
    bound = redistribution.bind(mine, ["x", "y"])
    array = redistribution.bind(mine.wind, ["x", "y"])
    arrived = bound.destination, array.destination
    xarray.testing.assert_identical(arrived[0].x, wanted.x)  # an index
    for step in range(3):
        mine.wind[...] += 1.5
        mine["land"] = ~mine.land
        wanted["wind"], wanted["land"] = wanted.wind + 1.5, ~wanted.land
        mine.wind.attrs.clear()
        bound.start()
        mine.wind[...] *= 2
        bound.wait()
        mine.wind[...] /= 2
        array.run()
        found = [it.equals(of) for it, of in zip(arrived, (wanted, wanted.wind), strict=True)]
        assert all(WORLD.allgather(all(found))), step
    assert (bound.destination, array.destination) == arrived
    assert bound.source is mine


def test_what_was_stored_before_stays_stored():
    redistribution = transrank.Redistribution(WORLD, divided(0), divided(1))
    start = np.full(redistribution.source_shape(), 3.0)
    end = redistribution.destination_for(start)
    redistribution.store((start, end))
    redistribution.redistribute(part("x", COLUMNS), ["x", "y"])
    redistribution.run()
    assert (end == 3).all()


def test_no_memory_for_what_arrives_is_the_same_error_on_every_rank():
    redistribution = transrank.Redistribution(WORLD, divided(0), divided(1))

    def without_memory(source: np.ndarray) -> np.ndarray:
        if WORLD.rank == WORLD.size - 1:
            raise MemoryError(f"no room for {source.nbytes} bytes")
        return np.empty(0)

    redistribution.destination_for = without_memory
    refused("no room for", lambda: redistribution.bind(part("x", COLUMNS), ["x", "y"]))


def test_names_that_are_no_dimensions_are_refused():
    redistribution = transrank.Redistribution(WORLD, divided(0), divided(1))
    mine = part("x", COLUMNS)
    for data in (mine, mine.land):
        own = "its dimensions: 'y', 'level', 'x'" if data is mine else "its dimensions: 'x', 'y'"
        for names in (["longitude", "y"], ["x", "latitude"], ["longitude", "latitude"]):
            wrong = next(name for name in names if len(name) > 1)
            words = f"'{wrong}' is not a dimension of the dataset; {own}"
            refused(words, lambda data=data, names=names: redistribution.redistribute(data, names))
            refused(words, lambda data=data, names=names: redistribution.bind(data, names))
    last = WORLD.rank == WORLD.size - 1
    refused("'lon'", lambda: redistribution.bind(mine, ["lon", "y"] if last else ["x", "y"]))
    refused("'xy' is not a dim", lambda: redistribution.bind(mine, "xy"))
    refused("not iterable", lambda: redistribution.bind(mine, None if last else ["x", "y"]))
    refused("a dict cannot be", lambda: redistribution.bind({} if last else mine, ["x", "y"]))


def loses_a_type(mine: xarray.Dataset) -> None:
    mine["wind"] = mine.wind.astype("float32")


def loses_a_dimension(mine: xarray.Dataset) -> None:
    mine["land"] = ("y", np.ones(mine.sizes["y"], bool))


def loses_a_dimension_of_its_own(mine: xarray.Dataset) -> None:
    mine["wind"] = mine.wind.isel(level=0, drop=True)


def gains_a_dimension(mine: xarray.Dataset) -> None:
    mine["when"] = mine.when.expand_dims(x=mine.x)


def gets_another_dimension(mine: xarray.Dataset) -> None:
    mine["when"] = ("x", np.zeros(mine.sizes["x"], "M8[ns]"))


def goes(mine: xarray.Dataset) -> None:
    del mine["land"]


def gets_another_index(mine: xarray.Dataset) -> None:
    mine["x"] = mine.x + 1


def test_a_source_that_no_longer_fits_ends_the_run_of_every_rank():
    redistribution = transrank.Redistribution(WORLD, divided(0), divided(1))
    for change, words in {
        loses_a_type: "'wind' is .* of float32 on this rank, but is bound as .* of float64",
        loses_a_dimension: r"'land' is \{'y': \d\} of bool on this rank, but is bound as \{'x': ",
        loses_a_dimension_of_its_own: "'wind' is {'",
        gains_a_dimension: r"'when' is \{'x': ",
        gets_another_dimension: "'when' is {'x': ",
        goes: "'land' is missing",
        gets_another_index: "the index 'x' has changed",
    }.items():
        mine = part("x", COLUMNS)
        bound = redistribution.bind(mine, ["x", "y"])
        bound.run()
        if WORLD.rank == 0:
            change(mine)
            with pytest.raises(transrank.Misuse, match=words):
                bound.run()
        else:
            with pytest.raises(transrank.BrokenExchange, match="rank 0"):
                bound.run()


def test_a_source_whose_dimensions_change_places_still_fits():
    redistribution = transrank.Redistribution(WORLD, divided(0), divided(1))
    mine, wanted = part("x", COLUMNS), part("y", ROWS)
    bound = redistribution.bind(mine, ["x", "y"])
    mine["wind"], mine["land"] = mine.wind.transpose(), mine.land.transpose()
    bound.run()
    assert all(WORLD.allgather(bound.destination.identical(wanted)))


def test_what_lies_along_one_dimension_has_its_values_in_a_halo_too():
    halo = [(1, 2, True), (2, 1, False)]
    surrounded = BlockGrid([Distribution.even(n, 1) for n in (COLUMNS, ROWS)], halo=halo)
    redistribution = transrank.Redistribution(WORLD, divided(0), surrounded)
    moved = redistribution.redistribute(part("x", COLUMNS), ["x", "y"])
    if WORLD.rank == 0:
        numbers = np.arange(-1, COLUMNS + 2) % COLUMNS
        assert (moved.x.values == whole().x.values[numbers]).all()
        assert moved.indexes["x"].equals(moved.x.to_index())
        assert (moved.when.values[2:-1] == whole().when.values).all()


def test_what_is_no_part_of_the_grid_is_refused():
    redistribution = transrank.Redistribution(WORLD, divided(0), divided(1))
    mine = part("x", COLUMNS)
    refused("1 names ['x']", lambda: redistribution.redistribute(mine, ["x"]))
    short = mine.isel(x=slice(1, None)) if WORLD.rank == 0 else mine
    refused("but is bound as", lambda: redistribution.redistribute(short, ["x", "y"]))
    other = mine.astype("float32") if WORLD.rank == WORLD.size - 1 else mine
    if WORLD.size > 1:
        refused("float32", lambda: redistribution.redistribute(other, ["x", "y"]))
    lists = transrank.Redistribution(WORLD, divided(0), [])
    refused("not from or to lists", lambda: lists.redistribute(mine, ["x", "y"]))


if __name__ == "__main__":
    main(globals())
