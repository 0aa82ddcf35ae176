# SPDX-License-Identifier: BSD-3-Clause
"""The compiled module; import it through transrank.mpi, which loads MPI first.

Layouts and routes never call MPI. Integer arrays are contiguous NumPy arrays of the type that the
signature names; another type, shape or order is a TypeError, wrong values are a ValueError.
"""

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, NoReturn, SupportsIndex, TypeVar, final, overload

from mpi4py.MPI import Comm

import numpy as np
from numpy.typing import ArrayLike, NDArray

_T = TypeVar("_T")
_Integers = NDArray[np.int64]
_Order = Literal["C", "F"]
# source, destination, bytes of a unit, name of its scalar
_Field = tuple[NDArray[Any], NDArray[Any], int, str]
# operation, transport, push_below_bytes, longest_message_bytes, any_memory, together
_Options = tuple[str, str, int | None, int, bool, bool]
# a result, this rank's exception, and the error that the ranks agree on
_Attempt = tuple[_T, BaseException | None, str | None]

def library_version() -> str: ...
def communicator_size(communicator: Comm) -> int: ...
def begin_to_use() -> None:
    """Raise Misuse where MPI cannot be used: once it is finalized, and in a child of fork."""

def attempt(
    comm: Comm, call: str, what: str, work: Callable[[], tuple[Sequence[str], _T]]
) -> _Attempt[_T]:
    """Collective. Run `work`, which returns words that all ranks must say, and a result."""

@final
class Distribution:
    """The division of one dimension into parts; immutable. Nothing here is collective.

    A part is a rank, or a position along one dimension of a BlockGrid. Parts may be empty. Can be
    copied and pickled; equal if made by the same method from the same numbers.
    """

    @staticmethod
    def even(extent: int, parts: int) -> Distribution:
        """One range of indices per part; lengths differ by at most one, the longer ones first.

        Raises ValueError when `extent` is negative or `parts` is less than 1.
        """
    @staticmethod
    def irregular(boundaries: ArrayLike) -> Distribution:
        """Part p owns ``[boundaries[p], boundaries[p + 1])``; a range may be empty.

        `boundaries` is a list of integers, one longer than there are parts, from 0 to the extent.
        Raises ValueError when it does not begin with 0 or descends.
        """
    @staticmethod
    def block_cyclic(extent: int, parts: int, block: int, first_part: int = 0) -> Distribution:
        """Blocks of `block` indices, assigned to the parts in turn from `first_part` (ScaLAPACK).

        Raises ValueError when a number is out of range.
        """
    @property
    def extent(self) -> int:
        """The number of indices."""
    @property
    def parts(self) -> int:
        """The number of parts."""
    @property
    def is_contiguous(self) -> bool:
        """Whether each part owns one range, and the ranges ascend with the parts."""
    def owned(self, part: int) -> int:
        """The number of indices that a part owns."""
    def ranges(self, part: int) -> _Integers:
        """Begin and end of each range of a part: an array of shape (ranges, 2)."""
    def owner(self, index: int) -> tuple[int, int]:
        """The part that owns an index, and the position of the index within the part."""

@final
class BlockGrid:
    """A grid of 1 to 6 dimensions, each divided independently; immutable. Not collective.

    A rank's block is the product of its parts, with room for a halo around it, in one array. Can be
    copied and pickled; equal if made from equal values.

    Parameters
    ----------
    distributions
        the distribution of each dimension; the product of their numbers of parts is the number of
        blocks.
    part_order
        how blocks are numbered: ``C``, the last dimension fastest, or ``F``, the first.
    memory_order
        the dimensions from the fastest to the slowest in the array; by default the last is fastest.
    halo
        a tuple for each dimension: the number of halo cells before a block, the number after it,
        and whether the grid is periodic, such as ``[(1, 1, True), (2, 0, False)]``; by default
        there is no halo. The update of a halo whose widths are all 0 moves nothing; without a halo
        it is refused.
    ranks
        the rank of each block; by default block i is that of rank i.

    Raises
    ------
    TypeError, ValueError
        on this rank, when an argument has another form, or the numbers do not fit each other.
    """

    def __init__(
        self,
        distributions: Sequence[Distribution],
        *,
        part_order: _Order = "C",
        memory_order: Sequence[int] = (),
        halo: Sequence[tuple[int, int, bool]] = (),
        ranks: Sequence[int] | None = None,
    ) -> None: ...
    @property
    def dimensions(self) -> int:
        """The number of dimensions."""
    @property
    def extents(self) -> tuple[int, ...]:
        """The number of cells of the whole grid in each dimension."""
    @property
    def memory_order(self) -> tuple[int, ...]:
        """The dimensions from the fastest to the slowest in local arrays."""
    def words(self) -> list[str]:
        """A text of the grid; different grids have different texts."""
    def units(self, rank: int) -> int:
        """The number of cells of a rank's array, halo included."""
    def local_extents(self, rank: int) -> tuple[int, ...]:
        """The extents of a rank's array, halo included, in the order of the dimensions.

        This is the shape of the NumPy array, unless `memory_order` was given. It is 0 in dimensions
        in which the rank's part is empty, and in all of them if the rank has no part.
        """
    def box(self, rank: int) -> tuple[slice, ...]:
        """The cells that a rank owns, halo excluded, as slices of an array of the whole grid.

        In the order of the dimensions: ``whole[grid.box(rank)]``. Empty, as `local_extents`, in the
        same dimensions. Raises ValueError if its indices in a dimension are several ranges
        (block-cyclic).
        """
    def coordinates(self, rank: int) -> tuple[int, ...] | None:
        """The part that a rank has of each dimension; None if it has no block."""
    def __reduce__(self) -> tuple[partial[BlockGrid], tuple[tuple[Distribution, ...]]]:
        """A call that makes an equal grid, and its distributions, which that still takes."""

@final
class Rows:
    """The places of one rank's rows in its flat array of units; immutable. Not collective.

    Each row begins at a multiple of `alignment` units. The static methods raise ValueError when a
    length is negative, `alignment` is less than 1, or a row is longer than `bound`.
    """

    @staticmethod
    def fixed(rows: int, length: int, alignment: int = 1) -> Rows:
        """`rows` rows of `length` units each."""
    @staticmethod
    def bounded(lengths: ArrayLike, bound: int, alignment: int = 1) -> Rows:
        """Rows of these lengths, each with room for `bound` units."""
    @staticmethod
    def variable(lengths: ArrayLike, alignment: int = 1) -> Rows:
        """Rows of any length, one after the other."""
    @staticmethod
    def from_offsets(offsets: ArrayLike) -> Rows:
        """Row i is ``[offsets[i], offsets[i + 1])`` (CSR); one offset more than rows."""
    @property
    def rows(self) -> int:
        """The number of rows."""
    @property
    def units(self) -> int:
        """The length of the array in units, padding included."""
    @property
    def pitch(self) -> int:
        """The distance from one row to the next in units, if it is the same for all rows."""
    @property
    def is_fixed(self) -> bool:
        """Whether all rows have one length."""
    def begin(self, row: int) -> int:
        """The first unit of a row."""
    def length(self, row: int) -> int:
        """The length of a row in units."""

@final
class Leg:
    """The part of a route between a rank and one peer, in the order common to both; immutable.

    Parameters
    ----------
    peer
        the other rank.
    segments
        an int64 array of shape (segments, 6), in units: first source unit, first destination unit,
        length of a run, number of runs, stride from run to run in the source, and in the
        destination. Boxes of more dimensions have 3 more columns for each further loop, which
        repeats all before it: number of steps, and their strides; a loop of 1, 0, 0 is none.
    """

    def __init__(self, peer: int, segments: _Integers) -> None: ...
    @property
    def peer(self) -> int:
        """The other rank."""
    @property
    def segments(self) -> _Integers:
        """One row per segment, in the columns that the constructor takes. A copy."""
    @property
    def units(self) -> int:
        """The number of units moved."""
    @property
    def runs(self) -> int:
        """The number of contiguous runs in the segments."""
    @property
    def checksum(self) -> int:
        """Equal on both ranks of a pair if they hold the same segments."""

@final
class Route:
    """The data that one rank sends to and receives from each peer; immutable.

    Made by the functions of `transrank.route`, together with the other ranks' routes. The
    constructor takes legs that were computed in another way, ascending by peer; it raises
    ValueError when one reaches beyond the extents. Can be copied and pickled, in the form of the
    file of `save`; a rank can use only a route that was made for it. Nothing here is collective.
    """

    def __init__(
        self,
        rank: int,
        ranks: int,
        source_extent: int,
        destination_extent: int,
        sends: Sequence[Leg],
        receives: Sequence[Leg],
    ) -> None: ...
    @property
    def rank(self) -> int:
        """The rank that holds the route."""
    @property
    def ranks(self) -> int:
        """The number of ranks that it was made for."""
    @property
    def source_extent(self) -> int:
        """The least number of units of a source; of a grid, the exact number."""
    @property
    def destination_extent(self) -> int:
        """The least number of units of a destination; of a grid, the exact number."""
    @property
    def source_shape(self) -> tuple[int, ...] | None:
        """The shape of a source on a grid, halo included, in memory order; None of a list."""
    @property
    def destination_shape(self) -> tuple[int, ...] | None:
        """The shape of a destination on a grid, halo included, in memory order; None of a list."""
    @property
    def sends(self) -> list[Leg]:
        """The legs that the rank sends, ascending by peer. A copy."""
    @property
    def receives(self) -> list[Leg]:
        """The legs that the rank receives, ascending by peer. A copy."""
    def transposed(self) -> Route:
        """The reverse route: data that were received are sent, in the same order."""
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file that `load` reads; it appears whole or not at all. Raises RouteFileError."""
    @staticmethod
    def load(path: str | os.PathLike[str]) -> Route:
        """Read a file of `save`; RouteFileError if it is another file, truncated or altered."""
    def check_delivered_once(self) -> None:
        """Raise ValueError when a unit of the destination is written more than once."""
    def check_all_delivered_once(self, units: int) -> None:
        """As `check_delivered_once`; also raise ValueError unless `units` units arrive in all."""

class RouteFileError(OSError):
    """A route file that cannot be read or written, or a file that is not a route file."""

def check_consistent(routes: Sequence[Route]) -> None: ...
def redistribution(
    rank: int, ranks: int, source: BlockGrid, destination: BlockGrid, fill_halo: bool = False
) -> Route: ...
def halo(rank: int, ranks: int, grid: BlockGrid, corners: bool = True) -> Route: ...
def alltoall(rank: int, ranks: int, units: int) -> Route: ...

@final
class Numbering:
    """Global indices of the rows of all ranks, in rank order: one rank's share; immutable.

    With a table, 8 bytes per rank, each rank knows the others' rows too; it knows them without one
    where ranks own equally many rows, give or take one, the first ranks the more. It holds no
    communicator: it can be copied and pickled, for the rank that made it; other ranks refuse it.
    """

    def __init__(self, comm: Comm, owned: SupportsIndex, table: bool = False) -> None:
        """Collective. `owned` is this rank's number of rows; `table` is the same on every rank.

        Raises AgreedError on every rank when `owned` is not an integer, negative, or too large on
        any, or `table` is no bool or differs.
        """
    @property
    def owned(self) -> tuple[int, int]:
        """The global index of this rank's first row, and one beyond that of its last."""
    @property
    def extent(self) -> int:
        """The number of rows of all ranks together."""
    def global_index(self, rank: ArrayLike, row: ArrayLike) -> Any:
        """The global index of a row, counted from 0 on its rank. Not collective.

        `rank` and `row` are integers or arrays of integers, broadcast together; the result has
        their shape. Raises ValueError when one is out of range, or of another rank whose rows are
        unknown here for want of a table.
        """
    def place(self, index: ArrayLike) -> tuple[Any, Any]:
        """The rank that owns a global index, and its row there. Not collective.

        `index` is an integer or an array of integers; both results have its shape. Raises as
        `global_index`.
        """

def ghost_pull(
    comm: Comm,
    call: str,
    work: Callable[[], tuple[Sequence[str], tuple[Distribution | Numbering, _Integers, int, int]]],
) -> _Attempt[Route]:
    """Collective. As `attempt`: `work` returns the owners, the ghosts, their begin and extent."""

def ghost_push(
    comm: Comm,
    owners: Distribution | Numbering,
    rows: _Integers,
    targets: NDArray[np.int32],
    ghost_begin: int = 0,
) -> tuple[Route, _Integers]: ...
def blocks_to_blocks(
    comm: Comm, sends: tuple[_Integers, _Integers], receives: tuple[_Integers, _Integers]
) -> Route: ...
def lists_to_lists(comm: Comm, source: _Integers, destination: _Integers) -> Route: ...
def save_routes(comm: Comm, route: Route, place: str | os.PathLike[str]) -> None: ...
def load_routes(comm: Comm, place: str | os.PathLike[str]) -> Route: ...
def shared_bytes(size: int) -> NDArray[np.uint8]:
    """Zeroed memory that other processes of this node can map. Not collective."""

class AgreedError(ValueError):
    """An error on one rank, which every rank of a collective call raises with the same message."""

class Misuse(RuntimeError):
    """A second start while the exchange is under way, or a wait or test before the first start.

    It breaks the exchange. A call in a child of fork, which is not a rank, breaks nothing.
    """

class BrokenExchange(RuntimeError):
    """An exchange that another rank has broken, or whose peer has ended."""

def alltoall_algorithms() -> list[tuple[str, str]]:
    """Name and summary of each algorithm of an alltoall. Not collective."""

class Bound:
    """An operation bound to its arrays; transrank.exchange.Bound wraps it."""

    def start(self) -> None: ...
    def start_with(self, arrays: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> None: ...
    def run_with(self, arrays: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> None: ...
    @property
    def is_under_way(self) -> bool: ...
    @property
    def given(self) -> Sequence[tuple[NDArray[Any], NDArray[Any]]] | None: ...
    def test(self) -> bool: ...
    def wait(self) -> None: ...
    def wait_for(self, seconds: float) -> bool: ...
    def run(self) -> None: ...
    def abandon(self, why: str) -> NoReturn: ...
    def explain(self) -> str: ...

@final
class Alltoall(Bound):
    """An alltoall bound to its arrays; transrank.Alltoall checks its arguments."""

    def __init__(
        self,
        comm: Comm,
        send: NDArray[Any],
        receive: NDArray[Any],
        block_bytes: int,
        algorithm: str,
        choices: str,
        radix: int,
        window: int,
        leaders: int,
        ranks_per_node: int,
        torus: Sequence[int],
        any_memory: bool,
    ) -> None: ...
    @property
    def algorithm(self) -> str: ...

def transports() -> list[tuple[str, str]]:
    """Name and summary of each transport. Not collective."""

@final
class Exchange(Bound):
    """A route bound to arrays and transports."""

def bind_exchange(
    comm: Comm,
    call: str,
    work: Callable[[], tuple[Sequence[str], tuple[Sequence[_Field], _Options, Route, int]]],
) -> _Attempt[Exchange]:
    """Collective. As `attempt`: `work` returns fields, options, route, and the fields of a set."""

@final
class RowArray:
    """The rows of one rank, with elements of any type."""

    def __init__(self, element_bytes: int, scalar: str) -> None: ...
    def adopt(self, rows: Rows, array: NDArray[Any], description: str) -> None: ...

@final
class GhostMapping:
    """The rows of which ghosts are copies; immutable."""

    @property
    def numbering(self) -> Numbering:
        """The global indices of the rows that each rank owns."""
    @property
    def route(self) -> Route:
        """The route from owned rows to ghost rows, in units of rows. A copy."""
    @property
    def ghosts(self) -> _Integers:
        """The global index of each ghost row; -1 where no row arrives. Read-only."""

@final
class GhostUpdate:
    """Ghosts of rows, and their update; transrank.ArrayTransformer checks its arguments."""

    def __init__(self, comm: Comm) -> None: ...
    def set_father_son(self, father: RowArray, son: RowArray) -> None: ...
    def create_global_mapping(self) -> None: ...
    @overload
    def create_ghost_mapping(self, pulled: _Integers) -> None: ...
    @overload
    def create_ghost_mapping(self, rows: _Integers, targets: NDArray[np.int32]) -> None: ...
    def use_route(self, route: Route) -> None: ...
    def borrow_mapping(self, other: GhostUpdate) -> None: ...
    def begin_fit(self) -> _Integers: ...
    def end_fit(self, son: RowArray) -> None: ...
    def bind(
        self,
        call: str,
        source: NDArray[Any],
        destination: NDArray[Any],
        back: bool,
        work: Callable[[], tuple[Sequence[str], _Options]],
    ) -> _Attempt[Exchange]: ...
    @property
    def numbering(self) -> Numbering | None: ...
    @property
    def mapping(self) -> GhostMapping | None: ...

def route_between(
    comm: Comm,
    source: BlockGrid | tuple[_Integers, _Order],
    destination: BlockGrid | tuple[_Integers, _Order],
    fill_halo: bool = False,
) -> Route:
    """Collective. The route from one layout of a grid to another one."""
