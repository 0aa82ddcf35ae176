# SPDX-License-Identifier: BSD-3-Clause
"""xarray's Datasets, redistributed variable by variable."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray

from transrank import _core
from transrank.agreement import agree, agree_on
from transrank.exchange.scalars import scalar_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from transrank.redistribution.redistribution import Redistribution


def redistribute(
    redistribution: Redistribution, dataset: xarray.Dataset, dimensions: list[Hashable]
) -> xarray.Dataset:
    """Collective. See `Redistribution.redistribute`."""
    comm = redistribution._comm
    source, destination = agree(comm, lambda: _grids(redistribution, dimensions))
    on_grid = [name for name, variable in dataset.variables.items() if _is_on(variable, dimensions)]
    agree_on(comm, "redistributes", [f"{len(on_grid)} variables along {dimensions}"])
    agree_on(comm, "redistributes", [_describe(name, dataset) for name in on_grid])

    def take() -> list[NDArray[Any]]:
        order = [dimensions[dimension] for dimension in reversed(source.memory_order)]
        return [_full(name, dataset, order, redistribution.source_shape()) for name in on_grid]

    sources = agree(comm, take)
    pairs = [(array, redistribution.destination_for(array)) for array in sources]
    if pairs:
        redistribution.store([(_bytes_of(start), _bytes_of(end)) for start, end in pairs])
        redistribution.run()
    order = [dimensions[dimension] for dimension in reversed(destination.memory_order)]
    moved = {
        name: _reduced(dataset.variables[name], array, order)
        for name, (_, array) in zip(on_grid, pairs, strict=True)
    }
    return _rebuilt(dataset, moved)


def _grids(
    redistribution: Redistribution, dimensions: list[Hashable]
) -> tuple[_core.BlockGrid, _core.BlockGrid]:
    source, destination = redistribution._source.layout, redistribution._destination.layout
    if not isinstance(source, _core.BlockGrid) or not isinstance(destination, _core.BlockGrid):
        raise TypeError("a Dataset is redistributed between two grids, not from or to lists")
    if len(set(dimensions)) != source.dimensions or len(dimensions) != source.dimensions:
        raise ValueError(
            f"{len(dimensions)} names {dimensions} are given for the {source.dimensions} "
            "dimensions of the grid; give one of each, in its order"
        )
    return source, destination


def _is_on(variable: xarray.Variable, dimensions: list[Hashable]) -> bool:
    return any(dimension in variable.dims for dimension in dimensions)


def _describe(name: Hashable, dataset: xarray.Dataset) -> str:
    variable = dataset.variables[name]
    return f"variable {name!r} along {variable.dims} of {variable.dtype}"


def _bytes_of(array: NDArray[Any]) -> NDArray[Any]:
    """Times as integers: NumPy does not show their memory to others."""
    return array.view(np.int64) if array.dtype.kind in "mM" else array


def _full(
    name: Hashable, dataset: xarray.Dataset, order: list[Hashable], shape: tuple[int, ...]
) -> NDArray[Any]:
    """The values along all dimensions of the grid, then the variable's own."""
    variable = dataset.variables[name]
    try:
        scalar_of(variable.dtype, "assign")
    except TypeError as error:
        raise TypeError(f"variable {name!r}: {error}") from None
    sizes = dict(zip(order, shape, strict=True))
    for dimension, size in sizes.items():
        if dimension in variable.dims and 0 not in shape and variable.sizes[dimension] != size:
            raise ValueError(
                f"variable {name!r} has {variable.sizes[dimension]} indices along {dimension!r} on "
                f"this rank, whose part of the grid has {size}"
            )
    own = {dim: size for dim, size in variable.sizes.items() if dim not in sizes}
    whole = (*shape, *own.values())
    if 0 in shape:
        return np.empty(whole, variable.dtype)
    present = [dim for dim in order if dim in variable.dims]
    values = variable.transpose(*present, *own).values
    narrow = [size if dim in variable.dims else 1 for dim, size in sizes.items()]
    return np.ascontiguousarray(np.broadcast_to(values.reshape(*narrow, *own.values()), whole))


def _reduced(
    variable: xarray.Variable, array: NDArray[Any], order: list[Hashable]
) -> xarray.Variable:
    """The moved values along the variable's own dimensions again, in its order."""
    own = [dimension for dimension in variable.dims if dimension not in order]
    full = xarray.Variable((*order, *own), array, variable.attrs, variable.encoding)
    absent = [dimension for dimension in order if dimension not in variable.dims]
    if any(full.sizes[dimension] == 0 for dimension in absent):
        empty = np.empty([full.sizes[dimension] for dimension in variable.dims], array.dtype)
        return xarray.Variable(variable.dims, empty, variable.attrs, variable.encoding)
    return full.isel(dict.fromkeys(absent, 0)).transpose(*variable.dims)


def _rebuilt(dataset: xarray.Dataset, moved: dict[Hashable, xarray.Variable]) -> xarray.Dataset:
    variables = {name: moved.get(name, variable) for name, variable in dataset.variables.items()}
    coordinates = {name: variables[name] for name in dataset.coords}
    data = {name: variables[name] for name in dataset.data_vars}
    return xarray.Dataset(data, coordinates, dataset.attrs)
