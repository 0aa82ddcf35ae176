# SPDX-License-Identifier: BSD-3-Clause
"""xarray's Datasets and DataArrays, redistributed variable by variable."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import xarray

from transrank import _core
from transrank.agreement import agree, agree_on
from transrank.exchange.exchange import Exchange
from transrank.exchange.scalars import scalar_of
from transrank.memory import empty

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from transrank.redistribution.redistribution import Redistribution

Data = TypeVar("Data", xarray.Dataset, xarray.DataArray)
_OF_ARRAY = "DataArray"  # its values; its own name may be that of a coordinate


class BoundData(Generic[Data]):
    """A Dataset or DataArray bound to the arrays through which it is moved.

    Made by `Redistribution.bind`.
    """

    def __init__(
        self, redistribution: Redistribution, source: Data, dimensions: Sequence[Hashable]
    ) -> None:
        task = _Task(redistribution, source, dimensions)
        # xarray's indexes do not change: those along the grid arrive here, once.
        indexes = _Bundle(task, [name for name in task.names if name in task.dataset.xindexes])
        indexes.move_once()
        self._bundle = _Bundle(task, [name for name in task.names if name not in indexes.names])
        self._under_way = False
        self._source: Data = source
        self._destination: Data = _like(source, {**indexes.arriving(), **self._bundle.arriving()})

    @property
    def source(self) -> Data:
        """The Dataset or DataArray that was bound."""
        return self._source

    @property
    def destination(self) -> Data:
        """The result on this rank, in arrays into which each run writes.

        Coordinates with an index are set at once; all other values are 0 before the first run.
        """
        return self._destination

    def start(self) -> None:
        """Copy the current values of `source` and begin to move them; `source` may then change.

        Not collective; but all ranks must start. Raises Misuse when the values cannot be read or no
        longer fit, and as `Exchange.start`.
        """
        if (exchange := self._bundle.exchange) is None:
            return
        if not self._under_way:  # else peers may be reading, and start refuses
            try:
                self._bundle.read(_as_dataset(self._source))
            except Exception as error:  # whatever it is, the peers must learn of it
                exchange.abandon(f"the source cannot be read: {error}")
        exchange.start()
        self._under_way = True

    def wait(self) -> None:
        """Return when `destination` holds the values. Raises as `Exchange.wait`."""
        if self._bundle.exchange is not None:
            self._bundle.exchange.wait()
            self._under_way = False

    def run(self) -> None:
        """Start and wait."""
        self.start()
        self.wait()


def redistribute(
    redistribution: Redistribution, source: Data, dimensions: Sequence[Hashable]
) -> Data:
    """Collective. See `Redistribution.redistribute`."""
    task = _Task(redistribution, source, dimensions)
    bundle = _Bundle(task, task.names)
    bundle.move_once()
    return _like(source, bundle.arriving())


class _Task:
    """Which variables lie on the grid, agreed on by all ranks."""

    def __init__(
        self,
        redistribution: Redistribution,
        source: xarray.Dataset | xarray.DataArray,
        dimensions: Sequence[Hashable],
    ) -> None:
        self.redistribution = redistribution
        self.comm = redistribution._comm

        def check() -> tuple[xarray.Dataset, list[Hashable], _core.BlockGrid, _core.BlockGrid]:
            dataset = _as_dataset(source)
            names = _names_of(dimensions, dataset)
            return dataset, names, *_grids(redistribution, names)

        self.dataset, along, before, after = agree(self.comm, check)
        self.names = [
            name
            for name, variable in self.dataset.variables.items()
            if any(dimension in variable.dims for dimension in along)
        ]
        agree_on(self.comm, "redistributes", [f"{len(self.names)} variables along {along}"])
        agree_on(self.comm, "redistributes", [self._describe(name) for name in self.names])
        self.source_order = [along[dimension] for dimension in reversed(before.memory_order)]
        self.destination_order = [along[dimension] for dimension in reversed(after.memory_order)]

    def _describe(self, name: Hashable) -> str:
        variable = self.dataset.variables[name]
        return f"variable {name!r} along {variable.dims} of {variable.dtype}"


class _Bundle:
    """Some variables of a task, bound as if each lay along all dimensions of the grid."""

    def __init__(self, task: _Task, names: list[Hashable]) -> None:
        self.names = names
        self.exchange: Exchange | None = None
        self._task = task
        self._sources = agree(task.comm, lambda: [self._room_for(name) for name in names])
        self._destinations = agree(
            task.comm, lambda: [task.redistribution.destination_for(it) for it in self._sources]
        )
        pairs = zip(self._sources, self._destinations, strict=True)
        if names:
            self.exchange = Exchange(
                task.redistribution.route,
                task.comm,
                [(_bytes_of(start), _bytes_of(end)) for start, end in pairs],
                dimensions=len(task.source_order),
            )

    def read(self, dataset: xarray.Dataset) -> None:
        """Take over the values of the variables. Raises ValueError when they no longer fit."""
        order, shape = self._task.source_order, self._task.redistribution.source_shape()
        for name, array in zip(self.names, self._sources, strict=True):
            if 0 not in shape:
                _spread(name, dataset.variables[name], order, shape, array)

    def move_once(self) -> None:
        """Collective. Read and move, and let go of the exchange."""
        agree(self._task.comm, lambda: self.read(self._task.dataset))
        if self.exchange is not None:
            with self.exchange as exchange:
                exchange.run()

    def arriving(self) -> dict[Hashable, xarray.Variable]:
        """The variables of the destination, as views of where they arrive."""
        variables, order = self._task.dataset.variables, self._task.destination_order
        return {
            name: _narrowed(variables[name], array, order)
            for name, array in zip(self.names, self._destinations, strict=True)
        }

    def _room_for(self, name: Hashable) -> NDArray[Any]:
        variable, order = self._task.dataset.variables[name], self._task.source_order
        try:
            scalar_of(variable.dtype, "assign")
        except TypeError as error:
            raise TypeError(f"variable {name!r}: {error}") from None
        own = [size for dimension, size in variable.sizes.items() if dimension not in order]
        return empty(self._task.redistribution.source_shape(*own), variable.dtype)


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


def _grids(
    redistribution: Redistribution, names: list[Hashable]
) -> tuple[_core.BlockGrid, _core.BlockGrid]:
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


def _bytes_of(array: NDArray[Any]) -> NDArray[Any]:
    """Times as integers: NumPy does not show their memory to others."""
    return array.view(np.int64) if array.dtype.kind in "mM" else array


def _spread(
    name: Hashable,
    variable: xarray.Variable,
    order: list[Hashable],
    shape: tuple[int, ...],
    array: NDArray[Any],
) -> None:
    """Write the values into an array with all dimensions of the grid, then the variable's own."""
    sizes = dict(zip(order, shape, strict=True))
    for dimension, size in sizes.items():
        if dimension in variable.dims and variable.sizes[dimension] != size:
            raise ValueError(
                f"variable {name!r} has {variable.sizes[dimension]} indices along {dimension!r} on "
                f"this rank, whose part of the grid has {size}"
            )
    own = {dim: size for dim, size in variable.sizes.items() if dim not in sizes}
    bound = array.shape[len(order) :]
    if (tuple(own.values()), variable.dtype) != (bound, array.dtype):
        raise ValueError(
            f"variable {name!r} has cells of shape {tuple(own.values())} of {variable.dtype}, but "
            f"was bound with {bound} of {array.dtype}; bind it again"
        )
    present = [dimension for dimension in order if dimension in variable.dims]
    narrow = [size if dimension in variable.dims else 1 for dimension, size in sizes.items()]
    array[...] = variable.transpose(*present, *own).values.reshape(*narrow, *bound)


def _narrowed(
    variable: xarray.Variable, array: NDArray[Any], order: list[Hashable]
) -> xarray.Variable:
    """A view of the array along the variable's own dimensions again, in its order."""
    own = [dimension for dimension in variable.dims if dimension not in order]
    full = xarray.Variable((*order, *own), array, variable.attrs, variable.encoding)
    absent = [dimension for dimension in order if dimension not in variable.dims]
    if any(full.sizes[dimension] == 0 for dimension in absent):
        nothing = np.empty([full.sizes[dimension] for dimension in variable.dims], array.dtype)
        return xarray.Variable(variable.dims, nothing, variable.attrs, variable.encoding)
    return full.isel(dict.fromkeys(absent, 0)).transpose(*variable.dims)


def _like(source: Data, moved: Mapping[Hashable, xarray.Variable]) -> Data:
    """A copy of `source` with moved variables in place of its own."""
    dataset = _as_dataset(source)
    variables = {name: moved.get(name, variable) for name, variable in dataset.variables.items()}
    coordinates = {name: variables[name] for name in dataset.coords}
    data = {name: variables[name] for name in dataset.data_vars}
    made = xarray.Dataset(data, coordinates, dataset.attrs)
    if isinstance(source, xarray.DataArray):
        return made[_OF_ARRAY].rename(source.name)
    return made
