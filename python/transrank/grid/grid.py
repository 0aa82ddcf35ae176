# SPDX-License-Identifier: BSD-3-Clause
"""Grids of cells, divided among ranks, whose arrays have room for a halo."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from transrank import _core
from transrank.agreement import agree_on, require_communicator
from transrank.exchange.fields import check_is_array, swapped
from transrank.grid.halo import Halo, WithHalo
from transrank.layout import BlockGrid, Distribution
from transrank.mpi import MPI
from transrank.route.indices import are_several, as_flag, as_index, as_integers

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import EllipsisType
    from typing import SupportsIndex

    from numpy.typing import ArrayLike, NDArray

    from transrank.grid.halo import Array, Components
    from transrank.route import Route

    Slices: TypeAlias = tuple[slice | EllipsisType, ...]
    # A number of parts, the number of cells of each part, or a distribution.
    Parts: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | Distribution
    # Cells on both sides of a block, or before and after it.
    Widths: TypeAlias = SupportsIndex | tuple[SupportsIndex, SupportsIndex]


class Grid(WithHalo):
    """A grid of cells, divided into one box per rank; its arrays have room for a halo.

    Creating a grid is collective over `comm`. Collective calls raise AgreedError on every rank,
    before anything has moved, when an argument is invalid on any rank, or when ranks pass different
    values that must be the same.

    Parameters
    ----------
    comm
        an intracommunicator of mpi4py. If it is Cartesian, it also gives defaults for `parts` and
        `periodic`.
    shape
        the number of cells of the whole grid along each axis; up to 6 axes.
    halo
        the width of the halo in cells: an integer, or one value for each axis. A value may be a
        pair: the widths before and after the box. All local arrays have the halo. At a boundary of
        the grid along an axis that is not periodic, the halo is room for boundary values: an update
        does not change it.
    periodic
        whether the first and the last cell along an axis are neighbors: a bool, or one for each
        axis.
    parts
        how each axis is divided: its number of parts, the number of cells of each part, or a
        `Distribution`. ``([10, 7], 2)`` divides the first axis into parts of 10 and 7 cells, and
        the second axis into two parts. Parts are assigned to ranks in C order. By default,
        ``MPI_Dims_create`` chooses the numbers of parts.
    components_first
        whether the components (values) of a cell precede the axes of the grid in arrays, as in
        ``(3, *local_shape)``; by default they follow.
    together
        a promise, as for an `Exchange`: before a rank starts an update, it never waits for another
        rank to finish the same update.

    Raises
    ------
    AgreedError
        on every rank, when, on any rank, an argument has an invalid form or numbers contradict each
        other, or when ranks pass different arguments.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        shape: SupportsIndex | Sequence[SupportsIndex],
        halo: Widths | Sequence[Widths] = 0,
        periodic: bool | Sequence[bool] | None = None,
        parts: Sequence[Parts] | None = None,
        *,
        components_first: bool = False,
        together: bool = False,
    ) -> None:
        require_communicator(comm)
        self._comm = comm
        given = shape, halo, periodic, parts, components_first, together
        agree_on(comm, "makes a grid with", lambda: (self._take(*given), None))

    def _take(
        self,
        shape: SupportsIndex | Sequence[SupportsIndex],
        halo: Widths | Sequence[Widths],
        periodic: bool | Sequence[bool] | None,
        parts: Sequence[Parts] | None,
        components_first: bool,
        together: bool,
    ) -> list[str]:
        """Return words that must be equal on all ranks."""
        lengths = as_integers("shape", shape)
        self._axes = len(lengths)
        if parts is None and isinstance(self._comm, MPI.Cartcomm):
            if self._comm.ndim != self._axes:
                raise ValueError(
                    f"the Cartesian communicator has {self._comm.ndim} dimensions, the grid "
                    f"{self._axes} axes; make them as many, or give parts"
                )
            parts = self._comm.dims
            periodic = list(map(bool, self._comm.periods)) if periodic is None else periodic
        elif parts is None:
            parts = MPI.Compute_dims(self._comm.size, self._axes) if lengths else []
        wraps = _for_each_axis("periodic", False if periodic is None else periodic, self._axes)
        self._widths = [_pair(each) for each in _for_each_axis("halo", halo, self._axes)]
        self._periodic = tuple(as_flag("periodic", each) for each in wraps)
        self._components_first = as_flag("components_first", components_first)
        self._together = as_flag("together", together)
        self._divide(_distributions(lengths, parts))
        flags = f"components_first={self._components_first}", f"together={self._together}"
        return [*self._layout.words(), *flags]

    def _divide(self, split: Sequence[Distribution], ranks: Sequence[int] | None = None) -> None:
        self._split = split
        self._updates = {}
        if math.prod(self.parts) > self._comm.size:
            raise ValueError(
                f"a grid of {'x'.join(map(str, self.parts))} parts needs {math.prod(self.parts)} "
                f"ranks; the communicator has {self._comm.size}"
            )
        halo = [(*pair, wraps) for pair, wraps in zip(self._widths, self._periodic, strict=True)]
        self._layout = BlockGrid(split, halo=halo, ranks=ranks)
        self._box = self._layout.box(self._comm.rank)
        self._local_shape = self._layout.local_extents(self._comm.rank)

    def _divided(
        self, split: Sequence[Distribution], ranks: Sequence[int] | None = None, **changed: Any
    ) -> Grid:
        """Return a grid like this one, but with these distributions."""
        made = Grid.__new__(Grid)
        made.__dict__.update(self.__dict__, **changed)
        made._divide(split, ranks)
        return made

    def _whole(self, root: int) -> Grid:
        """Return a grid of all cells on one rank, without halo."""
        if not 0 <= as_index("root", root) < self._comm.size:
            raise ValueError(f"root is {root}; the ranks are 0 to {self._comm.size - 1}")
        split = [Distribution.even(length, 1) for length in self.shape]
        return self._divided(split, [root], _widths=[(0, 0)] * self._axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of cells of the whole grid along each axis."""
        return self._layout.extents

    @property
    def parts(self) -> tuple[int, ...]:
        """The number of parts along each axis."""
        return tuple(each.parts for each in self._split)

    @property
    def periodic(self) -> tuple[bool, ...]:
        """Whether the first and the last cell along each axis are neighbors."""
        return self._periodic

    @property
    def box(self) -> tuple[slice, ...]:
        """The cells that this rank owns, as slices of an array of the whole grid."""
        return self._box

    @property
    def local_shape(self) -> tuple[int, ...]:
        """The shape of this rank's arrays, halo included, components excluded."""
        return self._local_shape

    @property
    def layout(self) -> BlockGrid:
        """The layout of the grid, for `Exchange`, `Redistribution` and `transrank.route`."""
        return self._layout

    @property
    def owned(self) -> Slices:
        """The cells that this rank owns, as slices of this rank's arrays."""
        return self._slices([(0, 0)] * self._axes)

    @property
    def interior(self) -> Slices:
        """The owned cells whose stencil, as wide as the halo, reads no halo cells.

        Like `owned`, these are slices of this rank's arrays.
        """
        return self._slices(self._widths)

    def _slices(self, margins: Sequence[tuple[int, int]]) -> Slices:
        cells = [
            slice(low + below, max(low + below, low + box.stop - box.start - above))
            for (low, _), (below, above), box in zip(self._widths, margins, self._box, strict=True)
        ]
        return (..., *cells) if self._components_first else tuple(cells)

    def indices(self) -> tuple[NDArray[np.int64], ...]:
        """Return the indices of the owned cells in the whole grid: one array for each axis.

        The arrays broadcast against each other, like those of ``numpy.ogrid``. Not collective.
        """
        return tuple(np.ix_(*(np.arange(box.start, box.stop) for box in self._box)))

    def coordinates(
        self, spacing: float | Sequence[float] = 1.0, origin: float | Sequence[float] = 0.0
    ) -> tuple[Array, ...]:
        """Return the coordinates of the owned cells, ``origin + index * spacing``.

        There is one array for each axis. `spacing` and `origin` are numbers, or one number for each
        axis. The arrays broadcast against each other. Not collective.
        """
        steps = _for_each_axis("spacing", spacing, self._axes)
        origins = _for_each_axis("origin", origin, self._axes)
        return tuple(
            first + cells * step
            for first, cells, step in zip(origins, self.indices(), steps, strict=True)
        )

    def at_boundary(self, axis: int, side: int) -> bool:
        """Return whether this rank owns cells at a boundary of the grid. Not collective.

        The result is False if the axis is periodic. `side` is -1 for the boundary where the index
        along `axis` is 0, and 1 for the opposite boundary. Raises ValueError for another `side`, or
        when there is no such axis.
        """
        if side not in (-1, 1):
            raise ValueError(f"side is {side!r}; give -1 where the index is 0, 1 at the other end")
        self._check_axis(axis)
        if self._periodic[axis] or any(box.stop == box.start for box in self._box):
            return False
        box = self._box[axis]
        return bool(box.start == 0 if side < 0 else box.stop == self.shape[axis])

    def staggered(self, axis: int) -> Grid:
        """Return the grid of the points between the cells along `axis` and at both ends.

        Along the axis, there is one more point than there are cells. Point i lies between the cells
        i - 1 and i, and belongs to the rank of cell i; the last point belongs to the rank of the
        last cell. If the axis is periodic, there are as many points as cells. Not collective.
        Raises ValueError when there is no such axis.
        """
        self._check_axis(axis)
        split = list(self._split)
        if not self._periodic[axis]:
            ends = accumulate(split[axis].owned(part) for part in range(self.parts[axis]))
            last = self.shape[axis]
            split[axis] = Distribution.irregular([0, *(end + (end == last) for end in ends)])
        return self._divided(split)

    def with_parts(self, parts: Sequence[Parts]) -> Grid:
        """Return the same grid, divided in another way.

        `parts` has the same form as for `Grid`, and must be the same on every rank. Not collective.
        Raises TypeError or ValueError, on this rank alone, when the parts do not fit.
        """
        return self._divided(_distributions(self.shape, parts))

    def to(self, other: Grid, array: Array, out: Array | None = None) -> Array:
        """Collective. Move the owned cells of an array to their places in another division.

        `other` is a grid of the same shape over the same ranks, such as a result of `with_parts`.
        Returns `out`, an array of `other` with the same type and components as `array`. The owned
        cells of `out` are overwritten; its halo does not change. Without `out`, returns a new
        array, whose halo is 0. Raises AgreedError when an argument is invalid on any rank.
        """

        def sides() -> tuple[Grid, Array, Grid, Array | None]:
            if not isinstance(other, Grid):
                raise TypeError(f"a Grid is needed, not a {type(other).__name__}")
            if MPI.Comm.Compare(self._comm, other._comm) not in (MPI.IDENT, MPI.CONGRUENT):
                raise ValueError("the other grid has a communicator of other ranks")
            return self, array, other, out

        return self._move(sides)

    def gather(self, array: Array, root: int = 0) -> Array | None:
        """Collective. Copy the owned cells of all ranks into one array on the rank `root`.

        `array` is this rank's array; its halo is not copied. On `root`, returns a new array with
        the grid's `shape` and the components of `array`; on the other ranks, returns None. Raises
        AgreedError when an argument is invalid on any rank.
        """
        whole = self._move(lambda: (self, array, self._whole(root), None), root)
        return whole if self._comm.rank == root else None

    def scatter(self, whole: ArrayLike | None, root: int = 0, out: Array | None = None) -> Array:
        """Collective. Distribute an array of the whole grid from the rank `root`.

        This is the reverse of `gather`. Only `root` needs to pass `whole`, the array of the whole
        grid. Returns `out`, this rank's array, whose halo does not change. Without `out`, returns a
        new array, whose halo is 0. Raises AgreedError when an argument is invalid on any rank.
        """

        def check() -> tuple[list[str], tuple[Grid, Array | None]]:
            grid = self._whole(root)
            if self._comm.rank != root:
                return [f"rank {root}"], (grid, None)
            if whole is None:
                raise TypeError(f"the array to scatter is None on its root, rank {root}")
            given = np.ascontiguousarray(whole)
            grid._components_of(given, "the array to scatter")
            return [f"rank {root}"], (grid, given)

        grid, given = agree_on(self._comm, "scatters from", check)
        kind = None if given is None else (grid._components_of(given), given.dtype)
        kind = self._comm.bcast(kind, root)
        return self._move(lambda: (grid, grid.zeros(*kind) if given is None else given, self, out))

    def _move(
        self, sides: Callable[[], tuple[Grid, Array, Grid, Array | None]], root: int = 0
    ) -> Array:
        """Collective. Move the cells of an array of one grid to an array of another grid.

        `sides` returns the grids and the arrays, and may raise on any rank. If the target is None,
        a new array is made. Returns the target.
        """
        pairs: list[tuple[Array, Array]] = []
        targets: list[Array] = []

        def route() -> tuple[list[str], Route]:
            here, source, there, target = sides()
            components = here._components_of(source)
            if target is None:
                target = there.zeros(components, source.dtype)
            elif there._components_of(target) != components:
                raise ValueError(
                    f"cells have components {components} here, {there._components_of(target)} at "
                    "their destination"
                )
            targets.append(target)
            pairs.extend(zip(here._fields_of(source), there._fields_of(target), strict=True))
            both = here._layout, there._layout
            along = _core.redistribution(self._comm.rank, self._comm.size, *both)
            return [f"root {root}", *(word for layout in both for word in layout.words())], along

        with Halo(self, route, lambda: [pairs]) as bound:
            bound.run()
        return targets[0]

    def _halo_route(self) -> tuple[list[str], Route]:
        route = _core.halo(self._comm.rank, self._comm.size, self._layout)
        return self._layout.words(), route

    def _fields_of(self, array: Array, name: str = "the array") -> list[Array]:
        components = self._components_of(array, name)
        if self._components_first and components:
            return [array[component] for component in np.ndindex(components)]
        return [array]

    def _components_of(self, array: Array, name: str = "the array") -> tuple[int, ...]:
        """Raises TypeError or ValueError unless `array` is one of this rank's."""
        what = f"{name} on rank {self._comm.rank}"
        check_is_array(what, array)
        axes = self._axes
        ends = array.shape[:axes], array.shape[-axes:]
        if ends[self._components_first] == self._local_shape:
            return array.shape[:-axes] if self._components_first else array.shape[axes:]
        hint = ""
        if ends[not self._components_first] == self._local_shape:
            side = "first" if self._components_first else "last"
            other = not self._components_first
            hint = f"; components come {side}, unless the grid has components_first={other}"
        elif tuple(box.stop - box.start for box in self._box) in ends:
            hint = "; it lacks the halo: give the whole array, not its owned cells"
        elif self.shape in ends:
            hint = "; grid.scatter distributes an array of all cells"
        else:
            hint = swapped(ends[self._components_first], self._local_shape)
        raise ValueError(
            f"{what} has shape {array.shape}; rank {self._comm.rank}'s arrays of this grid have "
            f"shape {self._local_shape}, halo included (grid.local_shape){hint}"
        )

    def _check_axis(self, axis: int) -> None:
        if not -self._axes <= as_index("axis", axis) < self._axes:
            raise ValueError(f"axis is {axis}; the axes of this grid are 0 to {self._axes - 1}")

    def _shape(self, components: Components) -> tuple[int, ...]:
        beside = as_integers("components", components)
        return beside + self._local_shape if self._components_first else self._local_shape + beside

    def __repr__(self) -> str:
        box = ", ".join(f"{each.start}:{each.stop}" for each in self._box)
        return (
            f"<Grid of {self.shape} cells in {self.parts} parts, halo {self._widths}, periodic "
            f"{self._periodic}; rank {self._comm.rank} owns [{box}] in arrays of shape "
            f"{self._local_shape}>"
        )

    def __str__(self) -> str:
        cells = [
            np.array([split.owned(part) for part in range(split.parts)]) for split in self._split
        ]
        ranks = np.arange(math.prod(self.parts)).reshape(self.parts)
        with np.printoptions(threshold=64):
            rows = [f"cells along axis {axis}: {each}" for axis, each in enumerate(cells)]
            return "\n".join([repr(self), *rows, "ranks:", str(ranks)])


def _for_each_axis(name: str, value: Any, axes: int) -> list[Any]:
    if not are_several(value):
        return [value] * axes
    if len(value) != axes:
        raise ValueError(f"{name} is {value!r}; give one for each of the {axes} axes")
    return list(value)


def _pair(width: Widths) -> tuple[int, int]:
    pair = as_integers("a halo's width", width)
    if len(pair) not in (1, 2):
        raise ValueError(f"the halo of an axis is {width!r}; give one width, or two: before, after")
    return pair[0], pair[-1]


def _distributions(shape: Sequence[int], parts: Parts | Sequence[Parts]) -> list[Distribution]:
    if not are_several(parts) and len(shape) > 1:
        raise ValueError(f"parts is {parts!r}; give one for each of the {len(shape)} axes")
    split = _for_each_axis("parts", parts, len(shape))
    return [_distribution(length, each) for length, each in zip(shape, split, strict=True)]


def _distribution(length: int, parts: Parts) -> Distribution:
    if isinstance(parts, (Sequence, np.ndarray)):
        parts = Distribution.irregular([0, *accumulate(as_integers("the cells of a part", parts))])
    if not isinstance(parts, Distribution):
        return Distribution.even(length, as_index("the number of parts", parts))
    if parts.extent != length:
        raise ValueError(f"the parts of an axis of {length} cells have {parts.extent} cells in all")
    return parts
