# SPDX-License-Identifier: BSD-3-Clause
"""The lines of a record file as Python objects, named as in ``schema/record-v2.json``.

Each class has the fields of its JSON object; times are seconds, sizes are bytes. Optional fields
that a line lacks are None. `from_json` makes them, by the names and types of their fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeVar

import msgspec
import numpy as np

from transrank.lab.store import renamed

Json = Mapping[str, Any]
# Not NDArray[...]: from NumPy 2.5 on msgspec sees that as a type that does not equal itself.
Floats = np.ndarray[Any, np.dtype[np.float64]]
Integers = np.ndarray[Any, np.dtype[np.int64]]

# Bits of Samples.flags.
WARM_UP = 1
DISTURBED = 2
STOLEN = 4
LATE = 8


class NumberOrNan(float):
    """A number of a line; NaN stands for null."""


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """The number of ranks, and of ranks per node (0: the launcher decided)."""

    ranks: int
    ranks_per_node: int = 0

    def __str__(self) -> str:
        ranks = "1 rank" if self.ranks == 1 else f"{self.ranks:,} ranks"
        return f"{ranks}, {self.ranks_per_node} per node" if self.ranks_per_node else ranks


@dataclass(frozen=True, slots=True)
class Mpi:
    """The MPI library that ran."""

    library: str
    standard: tuple[int, ...]
    thread_level: str


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock that timed the samples."""

    name: str
    resolution_seconds: float
    cost_seconds: float


@dataclass(frozen=True, slots=True)
class Placement:
    """The placement of the ranks: `rank_host` indexes `hosts`, `binding` lists each rank's CPUs.

    `domains` are the ranks' memory domains, -1 where a rank's CPUs lie in several; empty in files
    that do not tell.
    """

    hosts: tuple[str, ...]
    rank_host: tuple[int, ...]
    binding: tuple[str, ...]
    cores: tuple[int, ...]
    domains: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Synchronisation:
    """How the ranks came to a common start."""

    method: str
    accuracy_seconds: float | None = None
    offsets_seconds: tuple[float, ...] = ()
    drifts: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the measurement."""

    precision: float
    max_time_seconds: float
    # Of every case at least.
    launches: int
    cache: str
    synchronisation: str
    memory_bytes: int | None = None
    launcher: str | None = None
    # Operations after which each launch stopped, where the user set their number.
    count: int | None = None
    record_samples: str | None = None
    # Most ranks of a case whose times are listed, where the user set it.
    list_ranks: int | None = None
    # Bytes by which buffers begin past a page boundary.
    buffer_offset: int = 0
    # Of every case while there is time; None: `launches`.
    usual_launches: int | None = None
    # Of any case at most; None: `launches`.
    most_launches: int | None = None
    # Wall-clock time for launches beyond `launches`; None: as long as cases have some of theirs.
    run_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class PlannedLaunch:
    """One launch that the run consists of: what a resumed run completes.

    `arguments` are those of transrank-run; `lines` what a shell takes to make the launch by hand.
    """

    kind: ClassVar[Literal["planned"]] = "planned"
    launch: int
    shape: Shape
    cases: tuple[str, ...]
    arguments: tuple[str, ...]
    lines: tuple[str, ...] = ()

    @property
    def selection(self) -> tuple[str, ...]:
        """The arguments but for the seed: launches that repeat each other have the same."""
        if "--seed" not in self.arguments:
            return self.arguments
        place = self.arguments.index("--seed")
        return (*self.arguments[:place], *self.arguments[place + 2 :])


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """The source of a launch of an imported run: item i of the header describes launch i."""

    file: str
    suite: str
    version: str
    command: str | None = None


@dataclass(frozen=True, slots=True)
class Versus:
    """Of a record of `transrank versus`: which of the two variants it is, and of what.

    Launch i of both records is a pair. `other` is the run id of the other record, which lies beside
    this one; `settings` are what makes the variant, as on the command line.
    """

    variant: str
    other: str
    settings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line. An imported run knows neither options, plan, MPI, placement nor clock."""

    kind: ClassVar[Literal["header"]] = "header"
    run: str
    label: str | None = None
    created: str
    transrank: str
    command: tuple[str, ...]
    seed: int | None = None
    options: Options | None = None
    plan: tuple[PlannedLaunch, ...] = ()
    mpi: Mpi | None = None
    placement: Placement | None = None
    clock: Clock | None = None
    machine: Json = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    imported: tuple[ImportedFile, ...] = ()
    versus: Versus | None = None

    @property
    def precision(self) -> float | None:
        """The requested width of intervals; None if a number of operations was requested."""
        if self.options is None or self.options.count is not None:
            return None
        return self.options.precision


@dataclass(frozen=True, slots=True)
class Launch:
    """One start of the runner. A resumed launch has several lines, one per start."""

    kind: ClassVar[Literal["launch"]] = "launch"
    launch: int
    shape: Shape
    started: float
    command: tuple[str, ...]
    mpi: Mpi
    placement: Placement
    clock: Clock
    synchronisation: Synchronisation
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Every sample of a case in one launch, in the order taken; arrays of one length.

    `seconds` is the maximum and `fastest` the minimum over ranks, per operation; `flags` has the
    bits WARM_UP, DISTURBED, STOLEN, LATE; `rounds` counts the samples of each round.
    `core_latency_seconds` has a value per round, NaN for one that is not known: what a cache line
    took one way between the cores of the first two ranks of a node; `core_work_seconds`, too: what
    a fixed piece of work took on the slowest rank's core. `memory_copy_seconds`: what copies of
    4 MiB by every rank at once took, if a case touches 1 MiB or more, but not in studies of memory.
    """

    seconds: Floats
    fastest: Floats
    flags: Integers
    rounds: Integers
    late_seconds: Floats | None = None
    core_latency_seconds: Floats | None = None
    core_work_seconds: Floats | None = None
    memory_copy_seconds: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Per rank; NaN for one that has no part in the case.

    `median`, `minimum` and `mean` are over the samples without a flag, over all after warm-up where
    there is none; `mean_of_all` is over all after warm-up, in files that have it. `all` holds
    each rank's samples where they were recorded.
    """

    median: Floats
    minimum: Floats
    mean: Floats
    mean_of_all: Floats | None = None
    all: tuple[Floats, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Extremes:
    """The fastest or the slowest ranks, the most extreme first, and their times."""

    ranks: tuple[int, ...]
    seconds: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """How a time of the `count` ranks that have a part in a case spreads over them.

    `first` is that of rank 0, NaN where it has no part; `quantiles` are at the probabilities of
    `transrank.lab.store.spread`, from the minimum to the maximum.
    """

    count: int
    first: NumberOrNan
    mean: float
    quantiles: Floats
    fastest: Extremes
    slowest: Extremes


@dataclass(frozen=True, slots=True, eq=False)
class OverRanks:
    """What a case of many ranks has instead of `Ranks`; `ranks` counts those without a part."""

    ranks: int
    median: Spread
    minimum: Spread
    mean: Spread
    mean_of_all: Spread | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The result of an operation: numbers, lists of numbers, and fields as 2-D arrays.

    NaN stands for what was not finite.
    """

    values: Mapping[str, NumberOrNan]
    series: Mapping[str, Floats]
    fields: Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Memory:
    """Per rank, the record of study `locality` about the memory that it used; see the schema."""

    toucher: tuple[int, ...]
    domain: tuple[int, ...]
    package: tuple[int, ...]
    data_domain: tuple[int, ...]
    link: tuple[str, ...]
    pages: tuple[int, ...]
    pages_elsewhere: tuple[int, ...]
    pages_unknown: tuple[int, ...]
    blas: str | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """Seconds per operation as another program printed them; extremes over the ranks' means."""

    mean: float
    benchmark: str
    minimum: float | None = None
    maximum: float | None = None
    repetitions: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One case in one launch."""

    kind: ClassVar[Literal["case"]] = "case"
    study: str
    case: str
    axes: Mapping[str, str | int]
    launch: int
    shape: Shape
    status: str
    reason: str | None = None
    stop: str | None = None
    timing: str | None = None
    clocks: str | None = None
    batch: int | None = None
    bytes_counted: float | None = None
    measuring_seconds: float | None = None
    waited_seconds: float | None = None
    verified: int | None = None
    samples: Samples | None = None
    ranks: Ranks | None = None
    over_ranks: OverRanks | None = None
    memory: Memory | None = None
    outcome: Outcome | None = None
    chosen: str | None = None
    imported: Imported | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """An event of the run: a launch failed, it was resumed, or a state was found."""

    kind: ClassVar[Literal["event"]] = "event"
    event: str
    time: str
    launch: int | None = None
    message: str | None = None
    accuracy_seconds: float | None = None
    shape: Shape | None = None
    latency_seconds: float | None = None
    work_seconds: float | None = None


Line = Header | PlannedLaunch | Launch | Case | Event

Kind = TypeVar("Kind")


def from_json(kind: type[Kind], line: Json) -> Kind:
    """The object of a class of this module that a line's JSON object, or a part of it, describes.

    The schema must have accepted it. Raises ValueError for a field of a grid with more or fewer
    numbers than its extents say.
    """
    return msgspec.convert(renamed.line(line), kind, dec_hook=_converted)


def _converted(kind: Any, value: Any) -> Any:
    if kind is NumberOrNan:
        return NumberOrNan("nan" if value is None else value)
    if isinstance(value, dict):  # a field of a grid, row by row
        return np.array(value["values"], dtype=np.float64).reshape(value["extents"])
    return np.array(value, dtype=np.int64 if kind == Integers else np.float64)
