# SPDX-License-Identifier: BSD-3-Clause
"""Published machines as comparison lines, with their sources."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from transrank.lab.reference.tables import Machine, ReferencePoint, machines
from transrank.lab.report.curves import Curve, CurveGroup, Place, Point
from transrank.lab.report.figures.line_panel import Line, Mark
from transrank.lab.report.findings.published import findings
from transrank.lab.report.palette import Palette
from transrank.lab.report.phrases import counted, joined
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
    """The source of published numbers, the conditions to know before comparing, and findings."""

    title: str
    attribution: str
    conditions: tuple[str, ...]
    findings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Published:
    """Published numbers of as many ranks, placed as in a run, and their sources.

    If there is none, `elsewhere` names the ranks and the machine of the nearest published number.
    """

    points: tuple[tuple[Machine, ReferencePoint], ...]
    sources: tuple[Source, ...]
    elsewhere: str = ""

    @property
    def places(self) -> frozenset[Place]:
        """The places of the points."""
        return frozenset(_place(point) for _, point in self.points)


def published(
    studies: Sequence[str],
    places: Collection[Place],
    fits: Callable[[ReferencePoint], bool] = lambda point: True,
    without: Collection[str] = (),
) -> Published:
    """The published numbers of these studies for which `fits`, if comparable with the run.

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
    beside = tuple(pair for pair in found if _place(pair[1]) in places)
    used = {machine.name for machine, _ in beside}
    sources = _sources([machine for machine in machines() if machine.name in used], studies)
    if beside or not found or without:
        return Published(beside, sources)
    measured = [ranks for ranks, _ in places] or [1]

    def distance(pair: tuple[Machine, ReferencePoint]) -> float:
        return min(abs(math.log(pair[1].ranks / ranks)) for ranks in measured)

    machine, nearest = min(found, key=distance)
    return Published((), (), f"{job_of(nearest)} ({short_name(machine)})")


def comparable(*found: Published) -> str:
    """The sentence that names the nearest published number; empty if some can be shown."""
    if any(each.points for each in found):
        return ""
    nearest = dict.fromkeys(each.elsewhere for each in found if each.elsewhere)
    jobs = joined(list(nearest), "and")
    return f"Published numbers exist for {jobs}." if jobs else ""


def _place(point: ReferencePoint) -> Place:
    return point.ranks, point.nodes == 1


def job_of(point: ReferencePoint) -> str:
    """`1,536 ranks on 384 nodes`."""
    return f"{counted(point.ranks, 'rank')} on {counted(point.nodes, 'node')}"


@dataclass(frozen=True, slots=True)
class Lines:
    """Curves by the title of their panel, their sources, and the nearest comparable numbers."""

    by_title: Mapping[str, tuple[Curve, ...]]
    sources: tuple[Source, ...]
    comparable: str


def published_lines(
    palette: Palette, groups: Sequence[CurveGroup], without: Collection[str] = ()
) -> Lines:
    """Curves of every machine with published numbers for the contents of these panels."""
    by_title: dict[str, tuple[Curve, ...]] = {}
    every: list[Published] = []
    for group in groups:
        found = published(
            (group.example.study,),
            group.places,
            lambda point, example=group.example: _is_of(point, example),  # type: ignore[misc]
            without,
        )
        if curves := _curves(palette, found.points):
            by_title[group.title] = tuple(curves)
        every.append(found)
    sources = dict.fromkeys(source for found in every for source in found.sources)
    return Lines(by_title, tuple(sources), comparable(*every))


def published_store_times(
    without: Collection[str] = (),
) -> tuple[list[tuple[int, float]], tuple[Source, ...]]:
    """Ranks and seconds of the published creation of redistribution routes, and their sources."""
    study = "plan-scaling"
    used = [
        machine for machine in machines() if machine.of_study(study) and machine.name not in without
    ]
    times = [(point.ranks, point.seconds) for machine in used for point in machine.of_study(study)]
    return sorted(times), _sources(used, (study,))


def published_launches(
    palette: Palette, places: Collection[Place], without: Collection[str] = ()
) -> tuple[list[Line], Published]:
    """First and last rank of published job starts, medians over their repetitions."""
    found = published(("launch",), places, lambda point: point.fastest_seconds is not None, without)
    by_line: dict[str, dict[int, list[tuple[float, float]]]] = {}
    for machine, point in found.points:
        assert point.fastest_seconds is not None
        label = f"{short_name(machine)}, {_per_node(point)}"
        times = by_line.setdefault(label, {}).setdefault(point.ranks, [])
        times.append((point.fastest_seconds, point.seconds))
    lines = []
    for label, by_ranks in by_line.items():
        ends = {ranks: np.median(by_ranks[ranks], axis=0).tolist() for ranks in sorted(by_ranks)}
        marks = tuple(Mark(ranks, slow, fast, slow) for ranks, (fast, slow) in ends.items())
        lines.append(Line(label, palette.published(label), marks))
    return lines, found


def _per_node(point: ReferencePoint) -> str:
    """`1 rank per node`."""
    return f"{counted(-(-point.ranks // point.nodes), 'rank')} per node"


def short_name(machine: Machine) -> str:
    """The name in front of the title's commas."""
    return machine.title.split(",")[0]


def _is_of(point: ReferencePoint, result: CaseResult) -> bool:
    """Whether a published point measures the same as this result, on any placement."""
    if point.bytes is None or point.seconds <= 0:
        return False
    axes = {name: value for name, value in point.axes.items() if name != "bytes"}
    # Another datatype, root or form is another question.
    if any(result.axes.get(name, value) != value for name, value in axes.items()):
        return False
    operation = str(result.axes.get("operation", ""))
    # Without bytes there is nothing to do, except for the v-variants, which cannot know that.
    return point.bytes > 0 or not operation or operation.endswith("v")


def _curves(palette: Palette, points: Iterable[tuple[Machine, ReferencePoint]]) -> list[Curve]:
    by_label: dict[str, list[Point]] = {}
    for machine, point in points:
        assert point.bytes is not None
        by_label.setdefault(f"{short_name(machine)}, {job_of(point)}", []).append(
            Point(point.bytes, point.seconds, point.seconds, point.seconds, point.rate)
        )
    return [
        Curve(
            label,
            label,
            palette.published(label),
            tuple(sorted(found, key=lambda point: point.bytes)),
            published=True,
        )
        for label, found in by_label.items()
    ]


def _sources(used: Iterable[Machine], studies: Sequence[str]) -> tuple[Source, ...]:
    return tuple(dict.fromkeys(source_of(machine, studies) for machine in used))


def source_of(machine: Machine, studies: Sequence[str]) -> Source:
    """The source of a machine's numbers, with the conditions and findings of these studies."""
    topics = {_TOPICS[study] for study in studies if study in _TOPICS}
    conditions = tuple(
        condition
        for condition in machine.conditions
        if (topic := condition.split(":")[0]) in topics or topic not in _TOPICS.values()
    )
    return Source(machine.title, machine.attribution, conditions, findings(machine, studies))
