# SPDX-License-Identifier: BSD-3-Clause
"""Datasets and DataArrays of xarray, redistributed variable by variable."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import xarray
from xarray.indexes import PandasIndex

from transrank import _core
from transrank.agreement import agree, agree_on
from transrank.exchange.exchange import Exchange
from transrank.exchange.scalars import scalar_of
from transrank.memory import empty
from transrank.redistribution.redistribution import Redistribution

if TYPE_CHECKING:
    from numpy.typing import NDArray

    _Grids = tuple[_core.BlockGrid, _core.BlockGrid]

Data = TypeVar("Data", xarray.Dataset, xarray.DataArray)
_OF_ARRAY = "DataArray"  # its values; its own name may be that of a coordinate


class BoundData(Generic[Data]):
    """A Dataset or DataArray, bound to the arrays through which it is moved.

    Made by `Redistribution.bind`.
    """

    def __init__(
        self, redistribution: Redistribution, source: Data, dimensions: Sequence[Hashable]
    ) -> None:
        task = _Task(redistribution, source, dimensions)
        # xarray's indexes do not change: those along the grid arrive here, once.
        variables, indexed = task.dataset.variables, task.dataset.xindexes
        self._indexed: dict[Hashable, xarray.Variable]
        self._indexed = {name: variables[name] for name in task.names if name in indexed}
        indexes: list[_Bundle] = task.bundles(self._indexed)
        task.move_once(indexes)
        self._bundles: list[_Bundle]
        self._bundles = task.bundles(name for name in task.names if name not in self._indexed)
        self._exchanges: list[Exchange] = [it.exchange for it in self._bundles if it.exchange]
        self._under_way: bool = False
        self._source: Data = source
        self._destination: Data = task.result(source, [*indexes, *self._bundles])

    @property
    def source(self) -> Data:
        """The Dataset or DataArray that was bound."""
        return self._source

    @property
    def destination(self) -> Data:
        """The result on this rank, in arrays into which each run writes.

        Coordinates with an index contain their values from the beginning; all other values are 0
        until the first run.
        """
        return self._destination

    def start(self) -> None:
        """Copy the current values of `source` and begin to move them; `source` may then change.

        Not collective, but all ranks must start. Raises Misuse when the values cannot be read or no
        longer fit the bound arrays; also raises the same exceptions as `Exchange.start`.
        """
        if not self._under_way:  # else peers may be reading, and start refuses
            try:
                self._read(_as_dataset(self._source))
            except Exception as error:  # whatever it is, the peers must learn of it
                why = f"the source cannot be read: {error}"
                for exchange in self._exchanges:  # a peer may wait for any of them
                    with suppress(_core.Misuse):
                        exchange.abandon(why)
                raise _core.Misuse(why) from error
        for exchange in self._exchanges:
            exchange.start()
        self._under_way = True

    def wait(self) -> None:
        """Return when `destination` holds the moved values.

        Not collective. Raises the same exceptions as `Exchange.wait`.
        """
        for exchange in self._exchanges:
            exchange.wait()
        self._under_way = False

    def run(self) -> None:
        """Start and wait.

        Not collective, but all ranks must start. Raises the same exceptions as `start` and `wait`.
        """
        self.start()
        self.wait()

    def _read(self, dataset: xarray.Dataset) -> None:
        for name, bound in self._indexed.items():
            if not bound.equals(dataset.variables.get(name)):  # type: ignore[no-untyped-call]
                raise ValueError(f"the index {name!r} has changed; bind it again")
        for bundle in self._bundles:
            bundle.read(dataset)


def redistribute(
    redistribution: Redistribution, source: Data, dimensions: Sequence[Hashable]
) -> Data:
    """Collective. Do what `Redistribution.redistribute` says."""
    task = _Task(redistribution, source, dimensions)
    bundles = task.bundles(task.names)
    task.move_once(bundles)
    return task.result(source, bundles)


class _Task:
    """Which variables lie on the grid, agreed on by all ranks."""

    def __init__(
        self,
        redistribution: Redistribution,
        source: xarray.Dataset | xarray.DataArray,
        dimensions: Sequence[Hashable],
    ) -> None:
        self._redistribution, comm = redistribution, redistribution._comm

        def check() -> tuple[
            list[str], tuple[xarray.Dataset, list[Hashable], list[Hashable], _Grids]
        ]:
            dataset = _as_dataset(source).copy(deep=False)
            along = _names_of(dimensions, dataset)
            grids = _grids(redistribution, along)
            names = _moved(dataset, along, grids, comm.rank)
            words = [f"{len(names)} variables along {along}"]
            words += [_described(dataset, along, name) for name in names]
            return words, (dataset, along, names, grids)

        self.dataset, self._along, self.names, self._grids = agree_on(comm, "redistributes", check)

    def bundles(self, names: Iterable[Hashable]) -> list[_Bundle]:
        """Collective. One for all variables that lie along the same dimensions of the grid."""
        found: dict[tuple[bool, ...], dict[Hashable, xarray.Variable]] = defaultdict(dict)
        for name in names:
            variable = self.dataset.variables[name]
            found[tuple(dim in variable.dims for dim in self._along)][name] = variable
        orders = [[self._along[d] for d in reversed(grid.memory_order)] for grid in self._grids]
        made = []
        for present, variables in found.items():
            redistribution = self._redistribution
            if not all(present):
                grids = _with_one_cell_where_absent(present, *self._grids)
                redistribution = Redistribution(redistribution._comm, *grids, fill_halo=True)
            made.append(_Bundle(redistribution, variables, *orders))
        return made

    def move_once(self, bundles: list[_Bundle]) -> None:
        """Collective. Read and move, and let go of the exchanges."""
        for bundle in bundles:
            agree(self._redistribution._comm, partial(bundle.read, self.dataset))
        for bundle in bundles:
            if bundle.exchange is not None:
                with bundle.exchange as exchange:
                    exchange.run()

    def result(self, source: Data, bundles: list[_Bundle]) -> Data:
        """A copy of `source` with what arrives in bundles in place of its own."""
        arrived = {name: it for bundle in bundles for name, it in bundle.arriving().items()}
        variables, indexes = {**self.dataset.variables, **arrived}, dict(self.dataset.xindexes)
        for name in arrived.keys() & indexes.keys():
            indexes[name] = PandasIndex.from_variables({name: arrived[name]}, options={})
            variables.update(indexes[name].create_variables({name: arrived[name]}))
        # All as coordinates, to which xarray adds no indexes.
        made = xarray.Coordinates(variables, indexes).to_dataset()
        made = made.reset_coords(list(self.dataset.data_vars))
        made.attrs, made.encoding = self.dataset.attrs, self.dataset.encoding
        if isinstance(source, xarray.DataArray):
            return made[_OF_ARRAY].rename(source.name)
        return made


class _Bundle:
    """Variables along the same dimensions of the grid, bound together.

    In their arrays dimensions of the grid come first, then those of the variable alone.
    """

    def __init__(
        self,
        redistribution: Redistribution,
        variables: dict[Hashable, xarray.Variable],
        source_order: list[Hashable],
        destination_order: list[Hashable],
    ) -> None:
        self._variables, self._orders = variables, (source_order, destination_order)

        def rooms() -> list[tuple[NDArray[Any], NDArray[Any]]]:
            made = []
            for variable in variables.values():
                own = [size for dim, size in variable.sizes.items() if dim not in source_order]
                source = empty(redistribution.source_shape(*own), variable.dtype)
                made.append((source, redistribution.destination_for(source)))
            return made

        self._rooms = agree(redistribution._comm, rooms)
        grid, comm, route = len(source_order), redistribution._comm, redistribution.route
        pairs = [it for it in self._rooms if 0 not in it[0].shape[grid:]]
        fields = [(_bytes_of(source), _bytes_of(destination)) for source, destination in pairs]
        self.exchange = Exchange(route, comm, fields, dimensions=grid) if fields else None

    def read(self, dataset: xarray.Dataset) -> None:
        """Take over the values of the variables. Raises ValueError when they no longer fit."""
        for (name, bound), (array, _) in zip(self._variables.items(), self._rooms, strict=True):
            part = dict(zip(self._orders[0], array.shape, strict=False))
            _spread(name, dataset.variables.get(name), bound, part, array)

    def arriving(self) -> dict[Hashable, xarray.Variable]:
        """The variables of the destination, as views of where they arrive."""
        return {
            name: _narrowed(variable, array, self._orders[1])
            for (name, variable), (_, array) in zip(
                self._variables.items(), self._rooms, strict=True
            )
        }


def _as_dataset(source: xarray.Dataset | xarray.DataArray) -> xarray.Dataset:
    if isinstance(source, xarray.DataArray):
        return source.to_dataset(name=_OF_ARRAY)
    if not isinstance(source, xarray.Dataset):
        raise TypeError(
            f"a {type(source).__name__} cannot be redistributed; give a Dataset or a DataArray of "
            "xarray, or bind other arrays with Redistribution.store"
        )
    return source


def _names_of(dimensions: Sequence[Hashable], dataset: xarray.Dataset) -> list[Hashable]:
    names: list[Hashable] = [dimensions] if isinstance(dimensions, str) else list(dimensions)
    for name in names:
        if name not in dataset.sizes:
            own = ", ".join(map(repr, dataset.sizes)) or "none"
            raise ValueError(
                f"{name!r} is not a dimension of the dataset; its dimensions: {own}. "
                "Give those that are divided among the ranks, in the order of the grid"
            )
    return names


def _grids(redistribution: Redistribution, names: list[Hashable]) -> _Grids:
    source, destination = redistribution._source.layout, redistribution._destination.layout
    if not isinstance(source, _core.BlockGrid) or not isinstance(destination, _core.BlockGrid):
        raise TypeError(
            "a Dataset is redistributed only between two grids, not from or to lists; bind arrays "
            "with Redistribution.store"
        )
    if len(set(names)) != source.dimensions or len(names) != source.dimensions:
        raise ValueError(
            f"{len(names)} names {names} are given for the {source.dimensions} "
            "dimensions of the grid; give one name per dimension, in the order of the grid"
        )
    return source, destination


def _moved(
    dataset: xarray.Dataset, along: list[Hashable], grids: _Grids, rank: int
) -> list[Hashable]:
    """The variables that change. Raises TypeError, naming it, when one cannot be moved."""
    source, destination = grids
    extents = source.extents, source.local_extents(rank), destination.local_extents(rank)
    divided = {dim for dim, *its in zip(along, *extents, strict=True) if len({*its}) > 1}
    names = []
    for name, variable in dataset.variables.items():
        index = dataset.xindexes.get(name)
        if index is not None and type(index) is not PandasIndex:  # not made of values alone
            if not divided.isdisjoint(variable.dims):
                raise TypeError(
                    f"coordinate {name!r} has a {type(index).__name__}, which cannot be divided "
                    f"along {variable.dims}; use reset_index or drop_indexes before"
                )
        elif not set(along).isdisjoint(variable.dims):
            try:
                if not isinstance(variable.dtype, np.dtype):
                    raise TypeError(f"{variable.dtype} is a type of pandas; use one of NumPy")
                scalar_of(variable.dtype, "assign")
            except TypeError as error:
                raise TypeError(f"variable {name!r}: {error}") from None
            names.append(name)
    return names


def _described(dataset: xarray.Dataset, along: list[Hashable], name: Hashable) -> str:
    variable, index = dataset.variables[name], dataset.xindexes.get(name)
    what = f"variable {name!r} along {variable.dims} of {variable.dtype}"
    cells = {dim: size for dim, size in variable.sizes.items() if dim not in along}
    return f"{what} with {cells} and {type(index).__name__}" if cells or index else what


def _with_one_cell_where_absent(
    present: tuple[bool, ...], source: _core.BlockGrid, destination: _core.BlockGrid
) -> _Grids:
    """The grids of what lies along some dimensions: one cell for each destination in the others.

    There its sources are parts that are not empty, if there are any.
    """
    (before, (owners,)), (after, (owners_after,)) = source.__reduce__(), destination.__reduce__()
    have, want = list(owners), list(owners_after)
    for d in (d for d, there in enumerate(present) if not there):
        owned = np.array([have[d].owned(part) for part in range(have[d].parts)])
        upto, parts = np.cumsum(owned > 0 if owned.any() else owned == 0), want[d].parts
        have[d] = _core.Distribution.irregular([0, *(parts * upto // upto[-1])])
        want[d] = _core.Distribution.even(parts, parts)

    def made(like: partial[_core.BlockGrid], by: list[_core.Distribution]) -> _core.BlockGrid:
        halo = zip(like.keywords["halo"], present, strict=False)
        return like(by, halo=[it if there else (0, 0, False) for it, there in halo])

    return made(before, have), made(after, want)


def _bytes_of(array: NDArray[Any]) -> NDArray[Any]:
    """Times as integers: NumPy does not show their memory to others."""
    return array.view(np.int64) if array.dtype.kind in "mM" else array


def _spread(
    name: Hashable,
    variable: xarray.Variable | None,
    bound: xarray.Variable,
    part: dict[Hashable, int],
    array: NDArray[Any],
) -> None:
    """Write the values, constant along dimensions of the grid that the variable does not have."""
    sizes = {dim: part.get(dim, size) for dim, size in bound.sizes.items()}
    nothing = 0 in part.values()
    if (
        variable is None
        or variable.dtype != bound.dtype
        or {*variable.dims} != {*bound.dims}
        or not (nothing or dict(variable.sizes) == sizes)
    ):
        now = "missing" if variable is None else f"{dict(variable.sizes)} of {variable.dtype}"
        raise ValueError(
            f"variable {name!r} is {now} on this rank, but is bound as {sizes} of {bound.dtype} by "
            "the rank's part of the grid; give that part, or bind the variable again"
        )
    if nothing:
        return
    dims = [*(dim for dim in part if dim in sizes), *(dim for dim in sizes if dim not in part)]
    narrow = [sizes.get(dim, 1) for dim in part]
    values = variable.transpose(*dims).values
    array[...] = values.reshape(*narrow, *array.shape[len(part) :])


def _narrowed(
    variable: xarray.Variable, array: NDArray[Any], order: list[Hashable]
) -> xarray.Variable:
    """A view of the array along the variable's own dimensions again, in its order."""
    sizes = dict(zip(order, array.shape, strict=False))
    present = [dim for dim in order if dim in variable.dims]
    dims = (*present, *(dim for dim in variable.dims if dim not in sizes))
    view = array.reshape(*(sizes[dim] for dim in present), *array.shape[len(order) :])
    made = xarray.Variable(dims, view, variable.attrs, variable.encoding)
    return made.transpose(*variable.dims)
