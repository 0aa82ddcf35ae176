# SPDX-License-Identifier: BSD-3-Clause
"""The numbers of a run, or of a published machine, as the rules see them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from transrank.lab import units
from transrank.lab.reference.machine import JOB_SHAPE, Machine, ReferencePoint, Torus
from transrank.lab.stats.launches import LEAST_LAUNCHES, t_quantile
from transrank.lab.stats.locality import (
    Values,
    by_link,
    guide_workers,
    localities,
    values_by_link,
)
from transrank.lab.stats.placement import shared_cores
from transrank.lab.stats.result import CaseResult
from transrank.lab.store.lines import Case, Shape
from transrank.lab.store.records import Run

# Printed and imported times have no interval: 95 % of them are assumed to lie within this share of
# the truth.
PRINTED_ERROR = 0.05
# Axes that are named elsewhere, or mostly have one value.
UNNAMED = ("bytes", "plan_ranks", "operation", "datatype", "reduction", "root")
# The freedom of an error that is known.
MANY = 1e9
NORMAL = t_quantile(MANY)


@dataclass(frozen=True, slots=True)
class Value:
    """A time in seconds.

    Attributes
    ----------
    ranks
        that the time is of; of `plan-scaling`, those that a route was made for.
    error, freedom
        the standard error of the logarithm, and its degrees of freedom.
    launches
        the time of each launch that counts; none where it was printed.
    """

    study: str
    axes: Mapping[str, str | int]
    shape: Shape
    seconds: float
    error: float = math.log1p(PRINTED_ERROR) / NORMAL
    freedom: float = MANY
    launches: Mapping[int, float] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """The message size; 0 where there is none."""
        size = self.axes.get("bytes", 0)
        return size if isinstance(size, int) else 0

    @property
    def ranks(self) -> int:
        return int(self.axes.get("plan_ranks", self.shape.ranks))

    @property
    def name(self) -> str:
        """The operation, or the study, with the axes that do not go without saying."""
        more = (
            f"{axis} {value}" if isinstance(value, int) else value
            for axis, value in self.axes.items()
            if axis not in UNNAMED and value != "blocking"
        )
        return ", ".join((str(self.axes.get("operation", self.study)), *more))


# The sizes of one operation in one shape, smallest first.
Curve = Mapping[int, Value]


@dataclass(frozen=True, slots=True)
class Start:
    """One start of a job, whose nodes have a shape where it was published.

    Seconds until its first and until its last rank run.
    """

    ranks: int
    nodes: str
    first: float
    last: float


@dataclass(frozen=True, slots=True)
class Limit:
    """What changes with the size of a message, and the sizes between which it does."""

    words: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Numbers:
    """All that rules ask. `links`: seconds by the link to the memory, for each kernel measured."""

    values: Sequence[Value]
    starts: Sequence[Start] = ()
    links: Sequence[Mapping[str, Values]] = ()
    torus: Torus | None = None
    limits: Sequence[Limit] = ()

    @property
    def assumed(self) -> bool:
        """Whether the errors of some values are assumed, since their launches are unknown."""
        return any(not value.launches for value in self.values)

    def of(self, *studies: str) -> list[Value]:
        """The values of these studies."""
        return [value for value in self.values if value.study in studies]


def numbers_of_run(run: Run, results: Iterable[CaseResult]) -> Numbers:
    """Those of these results of a run; not of shapes in which ranks shared cores.

    Left out are also operations without bytes to move, and cases of too few launches.
    """
    crowded = {launch.shape for launch in run.launches if shared_cores(launch.placement)}
    chosen = [r for r in results if r.shape not in crowded and r.bytes != 0]
    values = [value for result in chosen if (value := _of_result(result)) is not None]
    names = {(result.case, result.shape) for result in chosen}
    cases = [case for case in run.cases if (case.case, case.shape) in names]
    starts = [start for case in cases if (start := _start(case)) is not None]
    links = [values_by_link(one) for one in localities(cases)]
    return Numbers(values, starts, links, limits=[*_of_mpi(run), *_caches(run)])


def _of_mpi(run: Run) -> Iterator[Limit]:
    """Sizes from which on the MPI may move a message another way, as it told by MPI_T."""
    for name, size in (run.header.mpi.limits if run.header.mpi else {}).items():
        yield Limit(f"{name} is {units.format_bytes(size)}", size, size)


def _caches(run: Run) -> Iterator[Limit]:
    """Caches of data, which two buffers begin to exceed."""
    caches = [cache for cache in run.header.machine.get("caches", ()) if isinstance(cache, dict)]
    for cache in caches:
        size = cache.get("bytes")
        if str(cache.get("kind", "")).lower() != "instruction" and isinstance(size, int):
            words = f"two buffers exceed a level-{cache['level']} cache"
            yield Limit(f"{words} ({units.format_bytes(size)})", size // 2, size)


def numbers_of_machine(machine: Machine) -> Numbers:
    """Those of a published machine, of which each was printed once."""
    points = [p for p in (*machine.points, *machine.parts) if p.seconds > 0 and p.bytes != 0]
    starts = [
        Start(p.ranks, str(p.axes.get(JOB_SHAPE, "")), p.fastest_seconds, p.seconds)
        for p in points
        if p.fastest_seconds is not None
    ]
    links = by_link(guide_workers([p for p in points if p.axes.get("arrangement") == "exchanged"]))
    values = [_printed(point) for point in points]
    return Numbers(values, starts, [links] if links else [], machine.torus)


def _of_result(result: CaseResult) -> Value | None:
    time = result.headline
    if time is None or time.value <= 0:
        return None
    of = (result.study, result.axes, result.shape, time.value)
    if len(result.launches) >= LEAST_LAUNCHES and time.low and time.high:
        quantile = t_quantile(len(result.launches) - 1)
        error = math.log(time.high / time.low) / (2 * quantile)
        return Value(*of, error, len(result.launches) - 1, result.by_launch)
    return None if result.samples else Value(*of)


def _printed(point: ReferencePoint) -> Value:
    shape = Shape(point.ranks, -(-point.ranks // point.nodes))
    return Value(point.study, point.axes, shape, point.seconds)


def _start(case: Case) -> Start | None:
    if case.study != "launch" or case.axes.get("stamp") != "plain" or case.samples is None:
        return None
    first, last = (float(np.median(x)) for x in (case.samples.fastest, case.samples.seconds))
    return Start(case.shape.ranks, "", first, last)


def curve_of(results: Iterable[CaseResult]) -> Curve:
    """The times of results that are of one curve."""
    values = [value for result in results if (value := _of_result(result)) is not None]
    return {value.bytes: value for value in values if value.bytes}


def curves_of(values: Iterable[Value]) -> list[Curve]:
    """The times over size of all operations, each in each of its shapes."""
    return [
        {value.bytes: value for value in sorted(curve, key=lambda value: value.bytes)}
        for curve in alike(values, "bytes", lambda value: value.shape)
    ]


def alike(values: Iterable[Value], axis: str, also: Callable[[Value], object]) -> list[list[Value]]:
    """The values divided by all axes but one, and by what `also` says."""
    found: dict[object, list[Value]] = {}
    for value in values:
        others = frozenset(item for item in value.axes.items() if item[0] != axis)
        found.setdefault((value.study, others, also(value)), []).append(value)
    return list(found.values())
