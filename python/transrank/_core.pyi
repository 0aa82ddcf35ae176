# SPDX-License-Identifier: BSD-3-Clause
"""The compiled module; import it through transrank.mpi, which loads MPI first.

Layouts and routes never call MPI. Integer arrays are contiguous NumPy arrays of the type that the
signature names. An array of another type, shape or memory order raises TypeError; invalid values
raise ValueError.
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
    """Raise Misuse if MPI has been finalized, or if this process is a child of fork."""

def attempt(
    comm: Comm, call: str, what: str, work: Callable[[], tuple[Sequence[str], _T]]
) -> _Attempt[_T]:
    """Collective. Run `work`, which returns words that must be equal on all ranks, and a result."""

@final
class Distribution:
    """The division of the indices of one dimension among parts; immutable. Not collective.

    A part is a rank, or a position along one dimension of a BlockGrid. Parts may be empty.
    Distributions can be copied and pickled. Two distributions are equal if they were made by the
    same method from the same numbers. Methods raise ValueError when a part or an index does not
    exist.
    """

    @staticmethod
    def even(extent: int, parts: int) -> Distribution:
        """Return the distribution that gives each part one range of indices.

        The lengths of the ranges differ by at most one; the longer ranges come first. Raises
        ValueError when `extent`, the number of indices, is negative or `parts` is less than 1.
        """
    @staticmethod
    def irregular(boundaries: ArrayLike) -> Distribution:
        """Return the distribution whose part p owns ``[boundaries[p], boundaries[p + 1])``.

        `boundaries` is a list of integers from 0 to the extent (the number of indices), with one
        more entry than there are parts. A part may be empty. Raises ValueError when `boundaries`
        does not begin with 0, or when it decreases.
        """
    @staticmethod
    def block_cyclic(extent: int, parts: int, block: int, first_part: int = 0) -> Distribution:
        """Return the distribution that gives blocks of `block` indices to the parts in turn.

        This is ScaLAPACK's distribution of `extent` indices over `parts` parts. The first block
        belongs to `first_part`. Raises ValueError when `extent` is negative, `parts` or `block` is
        less than 1, or `first_part` is not one of the parts.
        """
    @property
    def extent(self) -> int:
        """The number of indices."""
    @property
    def parts(self) -> int:
        """The number of parts."""
    @property
    def is_contiguous(self) -> bool:
        """Whether each part owns at most one range, and the ranges are in the order of parts."""
    def owned(self, part: int) -> int:
        """Return the number of indices that `part` owns."""
    def ranges(self, part: int) -> _Integers:
        """Return the begin and end of each index range of `part`: an array of shape (ranges, 2)."""
    def owner(self, index: int) -> tuple[int, int]:
        """Return the part that owns `index`, and the position of `index` within that part."""

@final
class BlockGrid:
    """A grid of 1 to 6 dimensions, divided into one block of cells per rank; immutable.

    Each dimension is divided independently. A rank's block is the Cartesian product of its parts of
    the dimensions. The rank's array also has room for a halo: copies of the cells around the block.
    A BlockGrid can be copied and pickled. Two BlockGrids are equal if they were made from equal
    values. Nothing here is collective.

    Parameters
    ----------
    distributions
        the Distribution of each dimension; the number of blocks is the product of their numbers of
        parts.
    part_order
        how blocks are numbered: with ``C``, the last dimension varies fastest; with ``F``, the
        first dimension.
    memory_order
        the dimensions, from the fastest to the slowest in the array; by default, the last dimension
        is the fastest.
    halo
        a tuple for each dimension: the number of halo cells before a block, the number after it,
        and whether the grid is periodic along it; for example, ``[(1, 1, True), (2, 0, False)]``.
        By default, there is no halo, and halo updates are refused; if all widths are 0, a halo
        update moves nothing.
    ranks
        the rank that holds each block; by default rank i holds block i.

    Raises
    ------
    TypeError, ValueError
        on this rank alone, when an argument has an invalid form, or numbers contradict each other.
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
        """The number of cells of the whole grid along each dimension."""
    @property
    def memory_order(self) -> tuple[int, ...]:
        """The dimensions from the fastest to the slowest in local arrays."""
    def words(self) -> list[str]:
        """Return texts that describe the grid; the texts of different grids differ."""
    def units(self, rank: int) -> int:
        """Return the number of cells in the array of `rank`, halo included."""
    def local_extents(self, rank: int) -> tuple[int, ...]:
        """Return the extent (length) of the array of `rank`, halo included, in each dimension.

        This is the shape of the NumPy array, unless `memory_order` was given. The extent is 0 in
        dimensions in which the rank's part is empty, and in all dimensions if the rank has no
        block.
        """
    def box(self, rank: int) -> tuple[slice, ...]:
        """Return the cells that `rank` owns, without halo, as slices of an array of the whole grid.

        In an array ``whole`` of the whole grid, the rank's cells are ``whole[grid.box(rank)]``. The
        slice of a dimension is empty if the rank's `local_extents` is 0 in this dimension. Raises
        ValueError when the rank owns several ranges of a dimension (block-cyclic).
        """
    def coordinates(self, rank: int) -> tuple[int, ...] | None:
        """Return the number of the part of `rank` along each dimension; None if it has no block."""
    def __reduce__(self) -> tuple[partial[BlockGrid], tuple[tuple[Distribution, ...]]]:
        """Return a call that makes an equal grid, and the distributions to pass to that call."""

@final
class Rows:
    """Where the rows of one rank lie in its flat array; immutable. Nothing here is collective.

    A unit is an element of the array. Each row begins at a multiple of `alignment` units. Methods
    raise ValueError when a length is negative, `alignment` is less than 1, a row is longer than
    `bound`, or a row does not exist.
    """

    @staticmethod
    def fixed(rows: int, length: int, alignment: int = 1) -> Rows:
        """Return the places of `rows` rows of `length` units each."""
    @staticmethod
    def bounded(lengths: ArrayLike, bound: int, alignment: int = 1) -> Rows:
        """Return the places of rows of these `lengths`, each with room for `bound` units."""
    @staticmethod
    def variable(lengths: ArrayLike, alignment: int = 1) -> Rows:
        """Return the places of rows of these `lengths`, one after the other."""
    @staticmethod
    def from_offsets(offsets: ArrayLike) -> Rows:
        """Return the places of rows: row i lies at ``[offsets[i], offsets[i + 1])``, as in CSR.

        `offsets`, in units, has one more entry than there are rows. Raises ValueError when
        `offsets` is empty, begins with a negative number, or decreases.
        """
    @property
    def rows(self) -> int:
        """The number of rows."""
    @property
    def units(self) -> int:
        """The length of the flat array in units, padding included."""
    @property
    def pitch(self) -> int:
        """The distance in units between the beginnings of two successive rows; 0 if it varies."""
    @property
    def is_fixed(self) -> bool:
        """Whether the rows were made by `fixed`, so that all have the same length."""
    def begin(self, row: int) -> int:
        """Return the position of the first unit of `row` in the flat array."""
    def length(self, row: int) -> int:
        """Return the length of `row` in units, padding excluded."""

@final
class Leg:
    """The part of a route that moves data from one rank to another; immutable.

    Both ranks hold the same segments. A unit is what one index of a route moves, such as a row or a
    cell. A run is a contiguous piece, and a segment consists of runs at regular distances.

    Parameters
    ----------
    peer
        the other rank.
    segments
        an int64 array of shape (segments, 6), in units. The columns are: first source unit, first
        destination unit, length of a run, number of runs, and the strides from run to run in the
        source and in the destination. Boxes of more dimensions need further loops, each of which
        repeats everything before it. Each loop adds 3 columns: the number of steps, and the strides
        in the source and in the destination. The loop 1, 0, 0 has no effect.
    """

    def __init__(self, peer: int, segments: _Integers) -> None: ...
    @property
    def peer(self) -> int:
        """The other rank."""
    @property
    def segments(self) -> _Integers:
        """A copy of the segments, one per row, with the same columns as for the constructor."""
    @property
    def units(self) -> int:
        """The number of units that the leg moves."""
    @property
    def runs(self) -> int:
        """The number of contiguous runs in all segments."""
    @property
    def checksum(self) -> int:
        """A checksum of the segments, equal on both ranks if they hold the same segments."""

@final
class Route:
    """Describes which data one rank sends to and receives from each peer; immutable.

    The functions of `transrank.route` make the routes of all ranks together. A leg is what moves
    from one rank to another. The constructor makes a route of legs that were computed in another
    way; `sends` and `receives` have at most one leg per peer. It raises ValueError when a leg
    reaches beyond the extents (numbers of units) of the arrays. A route can be copied and pickled.
    Only the rank for which it was made can use it. Nothing here is collective.
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
        """The number of ranks for which the route was made."""
    @property
    def source_extent(self) -> int:
        """The least number of units in a source array; exact if the array is a grid's."""
    @property
    def destination_extent(self) -> int:
        """The least number of units in a destination array; exact if the array is a grid's."""
    @property
    def source_shape(self) -> tuple[int, ...] | None:
        """The shape of a grid's source array, halo included, slowest axis first; else None."""
    @property
    def destination_shape(self) -> tuple[int, ...] | None:
        """The shape of a grid's destination array, halo included, slowest axis first; else None."""
    @property
    def sends(self) -> list[Leg]:
        """A copy of the legs that the rank sends, in ascending order of peers."""
    @property
    def receives(self) -> list[Leg]:
        """A copy of the legs that the rank receives, in ascending order of peers."""
    def transposed(self) -> Route:
        """Return the reverse route: it sends what this route receives, in the same order."""
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the route to the file `path`, from which `load` reads it.

        The file appears complete or not at all. Raises RouteFileError when it cannot be written.
        """
    @staticmethod
    def load(path: str | os.PathLike[str]) -> Route:
        """Read the route that `save` wrote to the file `path`.

        Raises RouteFileError when the file is missing, is not a route file, or has been truncated
        or altered.
        """
    def check_delivered_once(self) -> None:
        """Raise ValueError when the route writes a unit of the destination more than once."""
    def check_all_delivered_once(self, units: int) -> None:
        """Raise ValueError unless `units` units arrive in total, each at a different place."""

class RouteFileError(OSError):
    """Raised when a route file cannot be read or written, or when a file is not a route file."""

def check_consistent(routes: Sequence[Route]) -> None: ...
def redistribution(
    rank: int, ranks: int, source: BlockGrid, destination: BlockGrid, fill_halo: bool = False
) -> Route: ...
def halo(rank: int, ranks: int, grid: BlockGrid, corners: bool = True) -> Route: ...
def alltoall(rank: int, ranks: int, units: int) -> Route: ...

@final
class Numbering:
    """Global indices of the rows of all ranks, numbered in rank order; immutable.

    Each rank knows the indices of its own rows. It also knows the indices of the other ranks' rows
    if the numbers of rows differ by at most one and the first ranks own more, or if there is a
    `table`, which needs 8 bytes per rank. The object holds no communicator. It can be copied and
    pickled, but only the rank that made it can use it.
    """

    def __init__(self, comm: Comm, owned: SupportsIndex, table: bool = False) -> None:
        """Collective. Number the rows of all ranks; `owned` is this rank's number of rows.

        If `table` is true, every rank keeps the numbers of rows of all ranks; `table` must be the
        same on every rank. Raises AgreedError on every rank when, on any rank, `owned` is not an
        integer, is negative or is too large, or `table` is not a bool, or when `table` differs
        between ranks.
        """
    @property
    def owned(self) -> tuple[int, int]:
        """The global index of this rank's first row, and that of its last row plus 1."""
    @property
    def extent(self) -> int:
        """The number of rows of all ranks together."""
    def global_index(self, rank: ArrayLike, row: ArrayLike) -> Any:
        """Return the global index of a row of `rank`. Not collective.

        `row` counts from 0 on `rank`. `rank` and `row` are integers or arrays of integers, which
        are broadcast against each other; the result has the broadcast shape. Raises ValueError when
        a number is out of range, or when this rank does not know the rows of `rank` because there
        is no table.
        """
    def place(self, index: ArrayLike) -> tuple[Any, Any]:
        """Return the rank that owns the row with a global index, and the row's number there.

        Not collective. `index` is an integer or an array of integers; both results have its shape.
        Raises ValueError when `index` is out of range, or when this rank does not know the owner
        because there is no table.
        """

def ghost_pull(
    comm: Comm,
    call: str,
    work: Callable[[], tuple[Sequence[str], tuple[Distribution | Numbering, _Integers, int, int]]],
) -> _Attempt[Route]:
    """Collective. Make the route of `transrank.route.ghost_pull`; reports errors as `attempt` does.

    `work` returns words, and a tuple of owners, ghosts, the row of the first ghost, and the extent.
    """

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
    """Return `size` zeroed bytes that other processes of this node can map. Not collective."""

class AgreedError(ValueError):
    """An error on one rank, which all ranks of a collective call raise with the same message."""

class Misuse(RuntimeError):
    """Raised for a call in the wrong order or at the wrong time.

    A second `start` before an exchange is complete, or a `wait` or `test` before the first `start`,
    also breaks the exchange, for its peers too. A call on a closed exchange, or a call in a child
    of fork (which is not a rank), breaks nothing.
    """

class BrokenExchange(RuntimeError):
    """Raised when another rank has broken the exchange, or when the process of a peer has ended."""

def alltoall_algorithms() -> list[tuple[str, str]]:
    """Return the name and a summary of each algorithm of `Alltoall`. Not collective."""

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
    """Return the name and a summary of each transport of exchanges. Not collective."""

@final
class Exchange(Bound):
    """A route bound to arrays and transports."""

def bind_exchange(
    comm: Comm,
    call: str,
    work: Callable[[], tuple[Sequence[str], tuple[Sequence[_Field], _Options, Route, int]]],
) -> _Attempt[Exchange]:
    """Collective. Bind an exchange; reports errors as `attempt` does.

    `work` returns words, and a tuple of fields, options, route, and the number of fields per set.
    """

@final
class RowArray:
    """The rows of one rank, with elements of any type."""

    def __init__(self, element_bytes: int, scalar: str) -> None: ...
    def adopt(self, rows: Rows, array: NDArray[Any], description: str) -> None: ...

@final
class GhostMapping:
    """Which row of which rank each ghost is a copy of; immutable."""

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
    """Ghost rows and their update; transrank.ArrayTransformer checks its arguments."""

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
    """Collective. Make the route from one layout of a grid to another."""
