# SPDX-License-Identifier: BSD-3-Clause
"""Published machines as comparison lines, with their sources."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from transrank.lab import units
from transrank.lab.reference.tables import Machine, ReferencePoint, machines
from transrank.lab.report.curves import Curve, CurveGroup, Place, Point
from transrank.lab.report.palette import Palette
from transrank.lab.stats.summary import CaseResult

BLOCKING = "blocking"

# The word with which a machine's condition begins if it concerns only some studies.
_TOPICS = {
    "pingpong": "Point to point",
    "pingping": "Point to point",
    "sendrecv": "Point to point",
    "exchange": "Point to point",
    "collectives": "Collectives",
    "launch": "Job start",
    "alltoall-algorithms": "Alltoall algorithms",
    "memory": "Memory ends the sweeps",
}


@dataclass(frozen=True, slots=True)
class Source:
    """The source of published numbers, the conditions to know before comparing."""

    title: str
    attribution: str
    conditions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Published:
    """Published numbers and their sources, of the ranks and places of a run if there are such.

    Else they are of each machine's nearest number of ranks, and not `comparable`.
    """

    points: tuple[tuple[Machine, ReferencePoint], ...]
    sources: tuple[Source, ...]
    comparable: bool

    @property
    def places(self) -> frozenset[Place]:
        """The places of the points."""
        return frozenset(_place(point) for _, point in self.points)

    def label(self, machine: Machine, point: ReferencePoint) -> str:
        """`Fugaku, 2 ranks on 2 nodes`, and whether that is not comparable."""
        reserve = "" if self.comparable else ", not comparable"
        return f"{short_name(machine)}, {job_of(point)}{reserve}"


def published(
    studies: Sequence[str],
    places: Collection[Place],
    fits: Callable[[ReferencePoint], bool] = lambda point: True,
    without: Collection[str] = (),
) -> Published:
    """The published numbers of these studies for which `fits`.

    Those `without` which are machines that the page shows itself.
    """
    found = [
        (machine, point)
        for machine in machines()
        if machine.name not in without
        for study in studies
        for point in machine.of_study(study)
        if fits(point)
    ]
    beside = [pair for pair in found if _place(pair[1]) in places]
    shown = beside or _nearest(found, [ranks for ranks, _ in places] or [1])
    used = {machine.name: machine for machine, _ in shown}
    return Published(tuple(shown), _sources(used.values(), studies), bool(beside))


def _nearest(
    found: Sequence[tuple[Machine, ReferencePoint]], measured: Sequence[int]
) -> list[tuple[Machine, ReferencePoint]]:
    """Each machine's numbers of the ranks that are nearest to those of a run."""

    def distance(point: ReferencePoint) -> float:
        return min(abs(math.log(point.ranks / ranks)) for ranks in measured)

    least: dict[str, float] = {}
    for machine, point in found:
        least[machine.name] = min(distance(point), least.get(machine.name, math.inf))
    return [pair for pair in found if distance(pair[1]) == least[pair[0].name]]


def _place(point: ReferencePoint) -> Place:
    return point.ranks, point.nodes == 1


def job_of(point: ReferencePoint) -> str:
    """`1,536 ranks on 384 nodes`."""
    return f"{units.counted(point.ranks, 'rank')} on {units.counted(point.nodes, 'node')}"


@dataclass(frozen=True, slots=True)
class Lines:
    """Curves by the title of their panel, and their sources."""

    by_title: Mapping[str, tuple[Curve, ...]]
    sources: tuple[Source, ...]


def published_lines(
    palette: Palette, groups: Sequence[CurveGroup], without: Collection[str] = ()
) -> Lines:
    """Curves of every machine with published numbers for the contents of these panels."""
    by_title: dict[str, tuple[Curve, ...]] = {}
    used: dict[str, Machine] = {}
    for group in groups:
        found = published(
            (group.example.study,),
            group.places,
            lambda point, example=group.example: _is_of(point, example),  # type: ignore[misc]
            without,
        )
        if curves := _curves(palette, found):
            by_title[group.title] = tuple(curves)
        used |= {machine.name: machine for machine, _ in found.points}
    studies = list(dict.fromkeys(group.example.study for group in groups))
    return Lines(by_title, _sources(used.values(), studies))


def short_name(machine: Machine) -> str:
    """The name in front of the title's commas."""
    return machine.title.split(",")[0]


def _is_of(point: ReferencePoint, result: CaseResult) -> bool:
    """Whether a published point measures the same as this result, on any placement."""
    if not point.bytes or point.seconds <= 0:
        return False
    axes = {name: value for name, value in point.axes.items() if name != "bytes"}
    # Another datatype, root or form is another question.
    return all(result.axes.get(name, value) == value for name, value in axes.items())


def _curves(palette: Palette, found: Published) -> list[Curve]:
    by_label: dict[str, list[Point]] = {}
    for machine, point in found.points:
        assert point.bytes is not None
        by_label.setdefault(found.label(machine, point), []).append(
            Point(point.bytes, point.seconds, point.seconds, point.seconds, point.rate)
        )
    return [
        Curve(
            label,
            label,
            palette.published(label),
            tuple(sorted(points, key=lambda point: point.x)),
            published=True,
        )
        for label, points in by_label.items()
    ]


def _sources(used: Iterable[Machine], studies: Sequence[str]) -> tuple[Source, ...]:
    return tuple(dict.fromkeys(source_of(machine, studies) for machine in used))


def source_of(machine: Machine, studies: Sequence[str]) -> Source:
    """The source of a machine's numbers, with the conditions of these studies."""
    topics = {_TOPICS[study] for study in studies if study in _TOPICS}
    conditions = tuple(
        condition
        for condition in machine.conditions
        if (topic := condition.split(":")[0]) in topics or topic not in _TOPICS.values()
    )
    return Source(machine.title, machine.attribution, conditions)
