# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3
"""Whatever xarray holds arrives as xarray's own selection of the whole, or is refused by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import xarray

import transrank
from python.spmd import WORLD, main, refused
from transrank import BlockGrid, Distribution

ROWS, COLUMNS, LEVELS = 6, 4, 2
LAST = WORLD.size - 1
CELLS = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)
FIELD = (("y", "x"), CELLS / 7)
NAMES = ["ash", "beech", "cedar", "elm", "fir", "oak"]

Contents = xarray.Dataset | xarray.DataArray


def of(values: Any, dims: Any = ("y", "x"), **others: Any) -> xarray.Dataset:
    return xarray.Dataset({"field": FIELD, "v": (dims, values)}, **others)


def along_y(values: Any, **others: Any) -> xarray.Dataset:
    """With a coordinate of that name, which has an index."""
    return xarray.Dataset({"field": FIELD}, {"y": ("y", values)}, **others)


class Own(xarray.Index):
    """An index that somebody wrote: it finds nothing, but is kept."""

    def __init__(self, name: str) -> None:
        self.name = name

    @classmethod
    def from_variables(cls, variables: Any, *, options: Any) -> Own:  # noqa: ARG003
        return cls(next(iter(variables)))

    def isel(self, indexers: Any) -> Own:  # noqa: ARG002
        return self

    def equals(self, other: Any, **_: Any) -> bool:
        return isinstance(other, Own) and other.name == self.name


def special_floats() -> xarray.Dataset:
    values = np.array([np.nan, -0.0, 0.0, np.inf, -np.inf, 5e-324] * COLUMNS)
    values.view("i8")[0] |= 5  # a NaN that carries something
    return of(values.reshape(ROWS, COLUMNS))


def encoded() -> xarray.Dataset:
    made = along_y(np.arange(ROWS), attrs={"title": "encodings", "history": [1, 2]})
    made.encoding = {"unlimited_dims": {"y"}, "source": "in.nc"}
    made.field.encoding = {"dtype": "int16", "scale_factor": 0.1, "_FillValue": -9}
    made.field.attrs = {"units": "K", "valid_range": (0, 9)}
    made.y.encoding, made.y.attrs = {"zlib": True}, {"axis": "Y"}
    return made


def times(unit: str) -> Any:
    return (np.arange(ROWS) * 7).astype(f"datetime64[{unit}]")


def of_every_type() -> xarray.Dataset:
    made = {
        str(dtype): (("y", "x"), (CELLS % 5).astype(dtype))
        for dtype in (
            *("i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16", "g", ">f8", "?", "S3", "U5"),
            [("a", "i2"), ("b", "f8")],
        )
    }
    for unit in ("s", "ms", "us", "ns"):
        made[f"time in {unit}"] = ("y", times(unit))
        made[f"duration in {unit}"] = ("x", times(unit)[:COLUMNS].view(f"m8[{unit}]"))
    return xarray.Dataset(made)


def with_nat() -> xarray.Dataset:
    values = CELLS.astype("datetime64[s]")
    values[1, 2] = "NaT"
    return of(values)


def levels() -> xarray.Coordinates:
    pairs = pd.MultiIndex.from_product([[1, 2], ["a", "b"]], names=("number", "letter"))
    return xarray.Coordinates.from_pandas_multiindex(pairs, "pair")


def multi_index() -> xarray.Dataset:
    return of(np.ones((ROWS, 4, COLUMNS)), ("y", "pair", "x")).assign_coords(levels())


def multi_index_along_y() -> xarray.Dataset:
    pairs = pd.MultiIndex.from_product([[1, 2, 3], ["a", "b"]], names=("number", "letter"))
    return of(CELLS).assign_coords(xarray.Coordinates.from_pandas_multiindex(pairs, "y"))


def positions(dim: str, size: int) -> xarray.Coordinates:
    index = xarray.indexes.RangeIndex.arange(0.0, size / 2, 0.5, dim=dim)
    return xarray.Coordinates.from_xindex(index)


def stations() -> xarray.Dataset:
    return along_y(np.arange(ROWS)).assign_coords(station=("y", NAMES)).set_xindex("station")


def plain() -> xarray.Dataset:
    return along_y(np.arange(ROWS), attrs={"title": "all"})


def moving_kinds() -> Iterator[tuple[str, Callable[[], Contents]]]:
    """What is moved, by name."""
    yield "variables of every type", of_every_type
    for unit in ("s", "ns"):
        yield f"an index of times in {unit}", lambda unit=unit: along_y(times(unit))
    yield "an index of durations", lambda: along_y(times("s").view("m8[s]"))
    for name, values in {
        "integers": [3, 1, 2, 9, 7, 5],
        "repeated values": [1, 1, 2, 2, 2, 1],
        "floats": [0.5, np.nan, -0.0, 2, 3, 1e300],
        "strings": NAMES,
        "bytes": np.array(NAMES, "S"),
        "booleans": [True, False] * 3,
        "complex numbers": np.arange(ROWS) * 1j,
    }.items():
        yield f"an index of {name}", lambda values=values: along_y(values)
    yield "NaN, infinities and signed zeros", special_floats
    yield "NaT", with_nat
    yield "attributes and encodings", encoded
    yield "a scalar", lambda: of(9.81, ())
    yield "a scalar coordinate", lambda: plain().assign_coords(run=3)
    yield "a string", lambda: of("Lagrange", ())
    yield "objects that do not move", lambda: of(np.array([{}, None], object), "level")
    yield "what lies along x alone", lambda: of(np.arange(COLUMNS), "x")
    yield "coordinates of two dimensions", lambda: plain().assign_coords(lat=FIELD)
    yield "dimensions in another order", lambda: of(CELLS.T, ("x", "y"))
    yield "a dimension between", lambda: of(np.ones((COLUMNS, LEVELS, ROWS)), ("x", "level", "y"))
    yield "a dimension of length 0", lambda: of(np.ones((ROWS, 0, COLUMNS)), ("y", "level", "x"))
    yield "no coordinates", lambda: of(CELLS)
    yield "nothing along the grid but coordinates", lambda: plain()[["y"]].assign(x=range(COLUMNS))
    yield "names that are no strings", lambda: of(CELLS).rename({"v": 3, "field": ("a", 1)})
    yield "an index of another coordinate", stations
    yield "an index of another coordinate alone", lambda: stations().drop_indexes("y")
    yield "a dropped index", lambda: plain().drop_indexes("y")
    yield "data of a dimension's name", lambda: plain().drop_indexes("y").reset_coords("y")
    yield "a MultiIndex elsewhere", multi_index
    yield (
        "an index of one's own elsewhere",
        lambda: (
            of([1, 2], "level")
            .assign_coords(level=[1, 2])
            .drop_indexes("level")
            .set_xindex("level", Own)
        ),
    )
    yield "an array", lambda: stations().field
    yield "an array without a name", lambda: stations().field.rename(None)
    yield "an array of its coordinate's name", lambda: stations().field.rename("y")
    yield "an array with an encoding", lambda: encoded().field
    if hasattr(xarray.indexes, "RangeIndex"):
        yield "a RangeIndex elsewhere", lambda: of([1, 2], "level", coords=positions("level", 2))


def refused_kinds() -> Iterator[tuple[str, Callable[[], Contents]]]:
    """What cannot be moved along y, by the words that say so."""
    for values in (
        pd.Categorical(NAMES),
        pd.array(range(ROWS), "Int64"),
        pd.array([True, None] * 3, "boolean"),
        pd.arrays.IntervalArray.from_breaks(range(ROWS + 1)),
        pd.period_range("2000", periods=ROWS, freq="M").array,
        pd.date_range("2000", periods=ROWS, tz="UTC").array,
        np.array([*NAMES[:-1], None], object),
    ):
        yield "variable 'v'", lambda values=values: of(values, "y")
        yield "variable 'y'", lambda values=values: along_y(values)
    yield "variable 'v'", lambda: of(CELLS.astype(object))


def divided_indexes() -> Iterator[tuple[str, Callable[[], xarray.Dataset]]]:
    """What cannot be divided, by the words that say so; it is kept where nothing divides it."""
    yield "coordinate 'y' has a PandasMultiIndex", multi_index_along_y
    yield "coordinate 'y' has a Own", lambda: plain().drop_indexes("y").set_xindex("y", Own)
    yield "has a Own", lambda: plain().assign_coords(lat=FIELD).set_xindex("lat", Own)
    if hasattr(xarray.indexes, "RangeIndex"):
        yield "coordinate 'y' has a RangeIndex", lambda: of(CELLS, coords=positions("y", ROWS))


def layouts() -> Iterator[tuple[BlockGrid, BlockGrid]]:
    rows, columns = (Distribution.even(extent, WORLD.size) for extent in (ROWS, COLUMNS))
    every_row, every_column = (Distribution.even(extent, 1) for extent in (ROWS, COLUMNS))
    yield BlockGrid([rows, every_column]), BlockGrid([every_row, columns], memory_order=[0, 1])
    late = Distribution.irregular([*[0] * WORLD.size, ROWS])
    early = Distribution.irregular([0, *[COLUMNS] * WORLD.size])
    yield BlockGrid([late, every_column]), BlockGrid([every_row, early])
    yield BlockGrid([every_row, early]), BlockGrid([late, every_column])


def part(whole: Contents, grid: BlockGrid) -> Any:
    return whole.isel(dict(zip(("y", "x"), grid.box(WORLD.rank), strict=True)))


def moves(redistribution: transrank.Redistribution, mine: Any) -> Iterator[Any]:
    yield redistribution.redistribute(mine, ["y", "x"])
    bound = redistribution.bind(mine, ["y", "x"])
    bound.run()
    bound.run()
    yield bound.destination


def content(data: Any) -> Any:
    """What `identical` does not look at."""
    variables = data.variables if isinstance(data, xarray.Dataset) else {**data.coords, "": data}
    return (
        {name: (it.dims, it.dtype, it.encoding, it.attrs) for name, it in variables.items()},
        # without objects, and long doubles, which have bytes of no meaning
        {name: it.values.tobytes() for name, it in variables.items() if it.dtype.char not in "Og"},
        list(variables),
        data.encoding,
        {name: type(index) for name, index in data.xindexes.items()},
        data.sizes,
    )


def differences(got: Any, want: Any) -> list[str]:
    found = [] if got.identical(want) else [f"{got} is not identical to {want}"]
    pairs = zip(content(got), content(want), strict=True)
    found += [f"{one} is not {other}" for one, other in pairs if one != other]
    if not all(index.equals(want.xindexes[name]) for name, index in got.xindexes.items()):
        found.append(f"{got.xindexes} do not equal {want.xindexes}")
    return found


def test_what_arrives_is_a_selection_of_the_whole():
    for before, after in layouts():
        redistribution = transrank.Redistribution(WORLD, before, after)
        for name, make in moving_kinds():
            whole = make()
            for got in moves(redistribution, part(whole, before)):
                found = WORLD.allgather(differences(got, part(whole, after)))
                assert not any(found), (name, found)


def test_what_cannot_be_moved_is_refused_by_its_name():
    before, after = next(layouts())
    redistribution = transrank.Redistribution(WORLD, before, after)
    for words, make in refused_kinds():
        mine = part(make(), before)
        refused(words, lambda mine=mine: redistribution.redistribute(mine, ["y", "x"]))
        refused(words, lambda mine=mine: redistribution.bind(mine, ["y", "x"]))


def test_an_index_that_only_its_maker_can_divide_is_kept_or_refused_by_its_name():
    before, after = next(layouts())
    for words, make in divided_indexes():
        whole = make()
        if WORLD.size > 1:
            redistribution = transrank.Redistribution(WORLD, before, after)
            mine = part(whole, before)
            for move in (redistribution.redistribute, redistribution.bind):
                refused(words, lambda move=move, mine=mine: move(mine, ["y", "x"]))
        if "lat" not in whole.coords:
            every = BlockGrid([Distribution.even(ROWS, 1), Distribution.even(COLUMNS, WORLD.size)])
            redistribution = transrank.Redistribution(WORLD, every, every)
            mine = whole.isel(x=every.box(WORLD.rank)[1])
            for got in moves(redistribution, mine):
                assert not any(WORLD.allgather(differences(got, mine))), words


def test_ranks_that_differ_in_an_index_or_a_size_hear_it():
    before, after = next(layouts())
    redistribution = transrank.Redistribution(WORLD, before, after)
    mine, last = part(plain(), before), WORLD.rank == LAST
    for other in (
        mine.drop_indexes("y"),
        mine.assign(field=mine.field.expand_dims(level=2)),
        mine.assign(field=mine.field.transpose()),
        mine.drop_vars("y"),
    ):
        if WORLD.size > 1:
            one = other if last else mine
            refused("redistributes", lambda one=one: redistribution.bind(one, ["y", "x"]))


if __name__ == "__main__":
    main(globals())
