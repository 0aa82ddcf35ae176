# SPDX-License-Identifier: BSD-3-Clause
"""The lines of a record file as Python objects, and what their fields may hold.

Each class has the fields of its JSON object; times are seconds, sizes are bytes. Optional fields
that a line lacks, or that are null, are None. `from_json` checks and makes them by the names and
types of their fields, from which ``tools/record_schema.py`` also makes ``schema/record-v2.json``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar

import msgspec
import numpy as np
from msgspec import Meta

from transrank.lab.store import renamed
from transrank.lab.store.settings import MOST, Count, Positive, Settings
from transrank.lab.units import counted

# Files of earlier versions hold nothing that this one does not know.
VERSION = 2
READABLE = (1, 2)

# Bits of Samples.flags.
WARM_UP = 1
DISTURBED = 2
STOLEN = 4
LATE = 8

# No clock tells a shorter time of an operation, except 0.
LEAST_SECONDS = 1e-18

Json = Mapping[str, Any]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Integers = np.ndarray[Any, np.dtype[np.int64]]

Integer = Annotated[int, Meta(ge=-MOST, le=MOST)]
# -1 where it is not known, or where there are several.
Number = Annotated[int, Meta(ge=-1, le=MOST)]
Seconds = Annotated[float, Meta(ge=0, le=1e12)]
Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredGrid:
    """Numbers on a grid, row by row."""

    extents: tuple[Count, Count]
    values: list[float | None]


if TYPE_CHECKING:
    Time = float
    TimeOrNan = float
    NumberOrNan = float
    Times = Floats
    TimesOrNan = Floats
    SecondsEach = Floats
    NumbersOrNan = Floats
    Grid = Floats
    Counts = Integers
else:
    # As they are stored: lists become arrays, and null becomes NaN, when an object is made.
    _GAP = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": LEAST_SECONDS}
    Time = Annotated[Seconds, Meta(extra_json_schema={"not": _GAP})]
    TimeOrNan = Time | None
    NumberOrNan = float | None
    Times = list[Time]
    TimesOrNan = list[Time | None]
    SecondsEach = list[Seconds]
    NumbersOrNan = list[float | None]
    Counts = list[Count]
    Grid = StoredGrid


def _floats(stored: Any) -> Any:
    return np.array(stored, dtype=np.float64)


def _integers(stored: Any) -> Integers:
    return np.array(stored, dtype=np.int64)


def _times(stored: Any) -> Any:
    seconds = np.array(stored, dtype=np.float64)
    if seconds.ndim and np.fmin.reduce(seconds, initial=np.inf) >= LEAST_SECONDS:
        return seconds
    gap = (seconds > 0) & (seconds < LEAST_SECONDS)
    if gap.any():
        place = "".join(f" - at `$[{index}]`" for index in np.argwhere(gap)[0])
        raise ValueError(f"Expected 0 or a time of at least {LEAST_SECONDS} s{place}")
    return seconds if seconds.ndim else float(seconds)


def _number(stored: Any) -> float:
    return math.nan if stored is None else stored


def _grid(stored: Any) -> Floats:
    return np.array(stored.values, dtype=np.float64).reshape(stored.extents)


def _make(line: Any, make: Callable[[Any], Any], *names: str) -> None:
    """Let fields hold what `make` makes of what is stored."""
    for name in names:
        stored = getattr(line, name)
        if stored is not None and not isinstance(stored, np.ndarray):
            try:
                object.__setattr__(line, name, make(stored))
            except ValueError as error:
                raise ValueError(f"{error} - at `$.{name}`") from None


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """The number of ranks, and of ranks per node (0: the launcher decided)."""

    ranks: Positive
    ranks_per_node: Count = 0

    def __str__(self) -> str:
        ranks = counted(self.ranks, "rank")
        return f"{ranks}, {self.ranks_per_node} per node" if self.ranks_per_node else ranks


@dataclass(frozen=True, slots=True)
class Mpi:
    """The MPI library that ran; `library` is the first line of its version.

    `limits` are the bytes from which on it may move a message another way, by the names of its
    control variables (MPI_T); none where it names none.
    """

    library: str
    standard: tuple[Integer, Integer]
    thread_level: Literal["single", "funneled", "serialized", "multiple"]
    limits: Mapping[str, Integer] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock that timed the samples.

    `resolution_seconds` is the smallest difference between two readings, `cost_seconds` the median
    time of a reading.
    """

    name: str
    resolution_seconds: Seconds
    cost_seconds: Seconds


@dataclass(frozen=True, slots=True)
class Placement:
    """The placement of the ranks: `rank_host` indexes `hosts`, `binding` lists each rank's CPUs.

    `cores` are the CPUs that the ranks ran on when the launch began. `domains` are the ranks'
    memory domains, -1 where a rank's CPUs lie in several; empty in files that do not tell.
    """

    hosts: Annotated[Words, Meta(min_length=1)]
    rank_host: Annotated[tuple[Count, ...], Meta(min_length=1)]
    binding: Annotated[Words, Meta(min_length=1)]
    cores: tuple[Number, ...]
    domains: tuple[Number, ...] = ()


@dataclass(frozen=True, slots=True)
class Synchronisation:
    """How the ranks came to a common start.

    With clocks, `accuracy_seconds` is the largest distance of a node's clock from rank 0's just
    after the fit; `offsets_seconds` and `drifts` are those of each node's first rank.
    """

    method: Literal["barrier", "clock"]
    accuracy_seconds: Seconds | None = None
    offsets_seconds: tuple[float, ...] = ()
    drifts: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedLaunch:
    """One launch that the run consists of: what a resumed run completes.

    `arguments` are those of transrank-run, which select further cases if the launch is a `part`;
    `lines` are what a shell takes to make it by hand, into the record file by-hand.jsonl.
    """

    kind: ClassVar[Literal["planned"]] = "planned"
    launch: Count
    shape: Shape
    cases: Words
    arguments: Words
    lines: Words = ()
    part: bool = False

    def __post_init__(self) -> None:
        now = renamed.arguments(self.arguments)
        object.__setattr__(self, "lines", renamed.lines(self.arguments, now, self.lines))
        object.__setattr__(self, "arguments", now)

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
    suite: Annotated[str, Meta(pattern="^(IMB|OSU)$")]
    version: str
    command: str | None = None


@dataclass(frozen=True, slots=True)
class Versus:
    """Of a record of `transrank versus`: which of the two variants it is, and of what.

    Launch i of both records is a pair. `other` is the run id of the other record, which lies beside
    this one; `settings` are what makes the variant, as on the command line.
    """

    variant: Literal["a", "b"]
    other: Annotated[str, Meta(pattern="^[^/]+$")]
    settings: Words


@dataclass(frozen=True, slots=True)
class Map:
    """Where each hardware thread of the machine is: a column per level, of equal lengths.

    `cpu` is the kernel's number, `core` is unique within a die, `die` within a package.
    """

    source: Literal["sysfs", "hwloc", "synthetic"]
    cpu: tuple[Count, ...]
    core: tuple[Count, ...]
    die: tuple[Count, ...]
    package: tuple[Count, ...]
    domain: tuple[Count, ...]


_MAP = {"properties": {"map": {"$ref": "#/$defs/Map"}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line. An imported run knows neither options, plan, MPI, placement nor clock.

    `created` is UTC in ISO 8601, `transrank` the version that wrote the line, `machine` the facts
    of the machine where transrank was started. The plan is what the run begins with.
    """

    kind: ClassVar[Literal["header"]] = "header"
    schema: Literal[1, 2] = 2
    run: Annotated[str, Meta(min_length=1)]
    label: str | None = None
    created: str
    transrank: str
    command: Words
    seed: Integer | None = None
    options: Settings | None = None
    plan: tuple[PlannedLaunch, ...] = ()
    mpi: Mpi | None = None
    placement: Placement | None = None
    clock: Clock | None = None
    machine: Annotated[Json, Meta(extra_json_schema=_MAP)] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    imported: Annotated[tuple[ImportedFile, ...], Meta(min_length=1)] = ()
    versus: Versus | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "command", renamed.arguments(self.command))

    @property
    def precision(self) -> float | None:
        """The requested width of intervals; None if a number of operations was requested."""
        if self.options is None or self.options.count is not None:
            return None
        return self.options.precision


@dataclass(frozen=True, slots=True)
class Launch:
    """One start of the runner. A resumed launch has several lines, one per start.

    `started` is in seconds since the epoch, `command` is rank 0's.
    """

    kind: ClassVar[Literal["launch"]] = "launch"
    launch: Count
    shape: Shape
    started: float
    command: Words
    mpi: Mpi
    placement: Placement
    clock: Clock
    synchronisation: Synchronisation
    warnings: Words = ()


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Every sample of a case in one launch, in the order taken; arrays of one length.

    `seconds` is the maximum over the ranks whose clock counts and `fastest` the minimum over ranks,
    per operation; `flags` has the bits 1 warm-up, 2 a rank lost its core for more than a hundredth
    of the sample, 4 a hypervisor took time from a rank's CPU, 8 a rank missed an agreed start, by
    `late_seconds`; `rounds` counts the samples of each round.
    `core_latency_seconds` has a value per round, NaN for one that is not known: what a cache line
    took one way between the cores of the first two ranks of a node; `core_work_seconds`, too: what
    a fixed piece of work took on the slowest rank's core. `memory_copy_seconds`: what copies of
    4 MiB by every rank at once took, if a case touches 1 MiB or more, but not in studies of memory.
    """

    seconds: Times
    fastest: Times
    flags: Counts
    rounds: Counts
    late_seconds: SecondsEach | None = None
    core_latency_seconds: TimesOrNan | None = None
    core_work_seconds: SecondsEach | None = None
    memory_copy_seconds: SecondsEach | None = None

    def __post_init__(self) -> None:
        _make(self, _times, "seconds", "fastest", "core_latency_seconds")
        _make(self, _floats, "late_seconds", "core_work_seconds", "memory_copy_seconds")
        _make(self, _integers, "flags", "rounds")


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Per rank; NaN for one that has no part in the case.

    `median`, `minimum` and `mean` are over the samples without a flag, over all after warm-up where
    there is none; `mean_of_all` is over all after warm-up, in files that have it. `all` holds
    each rank's samples where they were recorded.
    """

    median: Annotated[TimesOrNan, Meta(min_length=1)]
    minimum: Annotated[TimesOrNan, Meta(min_length=1)]
    mean: Annotated[TimesOrNan, Meta(min_length=1)]
    mean_of_all: Annotated[TimesOrNan, Meta(min_length=1)] | None = None
    all: tuple[TimesOrNan, ...] | None = None

    def __post_init__(self) -> None:
        _make(self, _times, "median", "minimum", "mean", "mean_of_all")
        _make(self, lambda each: tuple(map(_times, each)), "all")


@dataclass(frozen=True, slots=True, eq=False)
class Extremes:
    """The fastest or the slowest ranks, the most extreme first, and their times."""

    ranks: Annotated[tuple[Count, ...], Meta(min_length=1, max_length=4)]
    seconds: Annotated[Times, Meta(min_length=1, max_length=4)]

    def __post_init__(self) -> None:
        _make(self, _times, "seconds")


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """How a time of the `count` ranks that have a part in a case spreads over them.

    `first` is that of rank 0, NaN where it has no part; `quantiles` are at 0, 1, 10, 25, 50, 75,
    90, 99 and 100 %, interpolated between ranks.
    """

    count: Positive
    first: TimeOrNan
    mean: Time
    quantiles: Annotated[Times, Meta(min_length=9, max_length=9)]
    fastest: Extremes
    slowest: Extremes

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", _number(self.first))
        _make(self, _times, "first", "mean", "quantiles")


@dataclass(frozen=True, slots=True, eq=False)
class OverRanks:
    """What a case of many ranks has instead of `Ranks`; `ranks` counts those without a part."""

    ranks: Positive
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
    series: Mapping[str, NumbersOrNan]
    fields: Mapping[str, Grid]

    def __post_init__(self) -> None:
        for name, make in (("values", _number), ("series", _floats), ("fields", _grid)):
            stored = getattr(self, name)
            object.__setattr__(self, name, {key: make(each) for key, each in stored.items()})


@dataclass(frozen=True, slots=True)
class Memory:
    """Per rank, the record of study `locality` about the memory that it used.

    `toucher` is the rank that first touched it, `domain` and `package` are where the rank computes,
    `data_domain` is the domain of most pages, `link` leads from `domain` to that of the toucher.
    Of `pages` looked at, `pages_elsewhere` are in another domain than the toucher's, and of
    `pages_unknown` the kernel does not say. -1: not known. `blas` is the library of the product.
    """

    toucher: tuple[Number, ...]
    domain: tuple[Number, ...]
    package: tuple[Number, ...]
    data_domain: tuple[Number, ...]
    link: tuple[Literal["own", "neighbor", "counterpart", "diagonal"], ...]
    pages: tuple[Number, ...]
    pages_elsewhere: tuple[Number, ...]
    pages_unknown: tuple[Number, ...]
    blas: str | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """Seconds per operation as another program printed them; extremes over the ranks' means."""

    mean: Time
    benchmark: str
    minimum: Time | None = None
    maximum: Time | None = None
    repetitions: Count | None = None

    def __post_init__(self) -> None:
        _make(self, _times, "mean", "minimum", "maximum")


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One case in one launch.

    `reason` says why a case was skipped or failed, or why measuring stopped; `batch` is the
    operations per sample, `bytes_counted` the bytes of an operation for MB/s, by the study's
    convention; `measuring_seconds` is the wall time of the case in this launch, `waited_seconds`
    how long of it the rank that waited longest lacked its core while samples were taken;
    `verified` are the bytes that were compared with the formula.
    """

    kind: ClassVar[Literal["case"]] = "case"
    study: str
    case: str
    axes: Mapping[str, str | Count]
    launch: Count
    shape: Shape
    status: Literal["ok", "skipped", "failed"]
    reason: str | None = None
    stop: Literal["precise", "max-time", "count", "one-shot"] | None = None
    timing: Literal["bulk", "single", "in-turn", "own", "one-shot", "imported"] | None = None
    clocks: Literal["all", "root"] | None = None
    batch: Positive | None = None
    bytes_counted: Annotated[float, Meta(ge=0, le=1e24)] | None = None
    measuring_seconds: Seconds | None = None
    waited_seconds: Seconds | None = None
    verified: Count | None = None
    samples: Samples | None = None
    ranks: Ranks | None = None
    over_ranks: OverRanks | None = None
    memory: Memory | None = None
    outcome: Outcome | None = None
    chosen: str | None = None
    imported: Imported | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", renamed.axes(self.study, self.axes))


@dataclass(frozen=True, slots=True)
class Event:
    """An event of the run: a launch failed, it was resumed, or a state was found.

    `accuracy_seconds` is how far the clock of any node was from rank 0's at any check of the
    launch. The others are of the state of the cores of launches of a shape, the last of which
    holds: what a cache line took between the cores of the first two ranks, and what the fixed piece
    of work took at that distance.
    """

    kind: ClassVar[Literal["event"]] = "event"
    event: Literal[
        "launch-failed",
        "interrupted",
        "resumed",
        "repaired",
        "time-spent",
        "finished",
        "clocks-checked",
        "cores",
    ]
    time: str
    launch: Count | None = None
    message: str | None = None
    accuracy_seconds: Seconds | None = None
    shape: Shape | None = None
    latency_seconds: Seconds | None = None
    work_seconds: Seconds | None = None


Line = Header | PlannedLaunch | Launch | Case | Event
KINDS: Mapping[str, type[Line]] = {
    kind.kind: kind for kind in (Header, PlannedLaunch, Launch, Case, Event)
}
_MEASURED = ("bulk", "single", "in-turn", "own", "one-shot")
# Optional fields that a line of a kind must have where others have one of these values; none: where
# these are absent.
NEEDED: Mapping[str, Sequence[tuple[Mapping[str, Sequence[str]], Sequence[str]]]] = {
    "header": (
        ({}, ("schema",)),
        (
            {"imported": ()},
            ("seed", "options", "plan", "mpi", "placement", "clock", "machine", "environment"),
        ),
    ),
    "case": (
        ({"status": ("ok",)}, ("timing", "bytes_counted")),
        ({"status": ("skipped", "failed")}, ("reason",)),
        ({"status": ("ok",), "timing": ("imported",)}, ("imported",)),
        ({"status": ("ok",), "timing": _MEASURED}, ("stop", "clocks", "batch", "samples")),
        ({"status": ("ok",), "timing": _MEASURED, "over_ranks": ()}, ("ranks",)),
    ),
}

Kind = TypeVar("Kind")


class Mismatch(ValueError):
    """A line that no record may have; the message says where in the line and why."""


def line_from_json(line: Any) -> Line:
    """The object of a whole line, of the kind that it names.

    Raises Mismatch: the line is not as its class says; fields that no class has may hold anything.
    """
    kind = line.get("kind") if isinstance(line, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise Mismatch(f"its kind is {_shown(kind)}; known: {', '.join(KINDS)}")
    for lacking in _lacking(kind, line.get):
        raise Mismatch(f"{kind} lacks {', '.join(lacking)}")
    if kind == "header" and isinstance(line.get("machine"), dict) and "map" in line["machine"]:
        from_json(Map, line["machine"]["map"], "header.machine.map")
    return from_json(KINDS[kind], line)


def _lacking(kind: str, of: Callable[[str], Any]) -> Iterator[Sequence[str]]:
    """The needed fields that a line has not, rule by rule."""
    for condition, names in NEEDED.get(kind, ()):
        if all(of(name) in (values or (None,)) for name, values in condition.items()):
            lacking = [name for name in names if of(name) is None]
            if lacking:
                yield lacking


_CASE = msgspec.json.Decoder(Case)
_CASE_BEGINS = (b'{"kind":"case",', b'{"kind": "case",')


def case_from_json(raw: bytes) -> Case | None:
    """The case of a line, at once; None of another line, and where `line_from_json` would raise."""
    if not raw.startswith(_CASE_BEGINS):
        return None
    try:
        case = _CASE.decode(raw)
    except (ValueError, RecursionError):
        return None
    return None if any(_lacking("case", lambda name: getattr(case, name, None))) else case


def from_json(kind: type[Kind], stored: Any, name: str | None = None) -> Kind:
    """The object of a class of this module that a line's JSON object, or a part of it, describes.

    Raises Mismatch: it does not.
    """
    try:
        return msgspec.convert(stored, kind)
    except msgspec.ValidationError as error:
        name = name or kind.__name__.lower()
        raise Mismatch(_message(str(error), name, stored)) from None


def _message(error: str, name: str, stored: Any) -> str:
    """What msgspec says, with the place and the value in front."""
    said = re.fullmatch(r"(.*?)((?: - at `[^`]*`)*)", error, re.DOTALL)
    assert said is not None
    path = "".join(reversed(re.findall(r"\$([^`]*)`", said[2])))
    wanted = re.fullmatch(r"Expected (.*?)(, got .*)?", said[1].replace("`", ""))
    if not wanted or "[...]" in path:  # of an object with any keys, msgspec does not tell which
        return f"{name}{path}: {said[1]}"
    for key in re.findall(r"\w+", path):
        stored = stored[int(key) if key.isdigit() else key]
    return f"{name}{path} must be {wanted[1]}, not {_shown(stored)}"


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
