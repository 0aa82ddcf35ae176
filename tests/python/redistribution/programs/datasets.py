# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 3
"""Datasets of xarray, redistributed with their coordinates."""

from __future__ import annotations

import numpy as np
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


def test_a_dataset_becomes_the_same_dataset_in_other_parts() -> None:
    redistribution = transrank.Redistribution(WORLD, divided(0), divided(1))
    moved = redistribution.redistribute(part("x", COLUMNS), ["x", "y"])
    assert WORLD.allreduce(int(moved.identical(part("y", ROWS)))) == WORLD.size


def test_what_is_no_part_of_the_grid_is_refused() -> None:
    redistribution = transrank.Redistribution(WORLD, divided(0), divided(1))
    mine = part("x", COLUMNS)
    refused("1 names ['x']", lambda: redistribution.redistribute(mine, ["x"]))
    short = mine.isel(x=slice(1, None)) if WORLD.rank == 0 else mine
    refused("indices along 'x'", lambda: redistribution.redistribute(short, ["x", "y"]))
    other = mine.astype("float32") if WORLD.rank == WORLD.size - 1 else mine
    if WORLD.size > 1:
        refused("float32", lambda: redistribution.redistribute(other, ["x", "y"]))
    lists = transrank.Redistribution(WORLD, divided(0), [])
    refused("not from or to lists", lambda: lists.redistribute(mine, ["x", "y"]))


if __name__ == "__main__":
    main(globals())
