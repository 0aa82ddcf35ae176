# SPDX-License-Identifier: BSD-3-Clause
"""Published machines as comparison lines, with their sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from transrank.reference.tables import Machine, ReferencePoint, machines
from transrank.report.curves import Curve, CurveGroup, Point
from transrank.report.figures.range_panel import RangePoint, Ranges
from transrank.report.palette import Palette
from transrank.report.phrases import counted
from transrank.stats.summary import CaseResult

BLOCKING = "blocking"

# The word with which a machine's condition begins when it concerns some studies only.
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
    """Whom published numbers come from, and what to know before comparing."""

    title: str
    attribution: str
    conditions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """Curves by the title of their panel, with their sources."""

    by_title: Mapping[str, tuple[Curve, ...]]
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class PublishedRate:
    """A published rate of a send routine, bytes per second as the source counts."""

    place: str
    nodes: int
    routine: str
    rate: float
    source: Source


def published_lines(palette: Palette, groups: Sequence[CurveGroup]) -> Lines:
    """Curves of every machine that published something for what these panels show."""
    by_title: dict[str, tuple[Curve, ...]] = {}
    used: list[Machine] = []
    for group in groups:
        for machine in machines():
            points = [
                point
                for point in machine.of_study(group.example.study)
                if _is_comparable(point, group.example)
            ]
            if points:
                curves = _curves(palette, machine, points)
                by_title[group.title] = (*by_title.get(group.title, ()), *curves)
                used.append(machine)
    return Lines(by_title, _sources(used, [group.example.study for group in groups]))


def published_rates(study: str) -> list[PublishedRate]:
    """Published rates of the send routines."""
    return [
        PublishedRate(
            f"{short_name(machine)}, {counted(point.nodes, 'node')}",
            point.nodes,
            str(point.axes.get("routine", "")),
            point.rate,
            _source(machine, (study,)),
        )
        for machine in machines()
        for point in machine.of_study(study)
        if point.rate is not None
    ]


@dataclass(frozen=True, slots=True)
class PublishedUpdate:
    """A published ghost update: rows of `vdim` doubles, bytes per second received per rank."""

    place: str
    ranks: int
    vdim: int
    seconds: float
    rate: float
    source: Source


def published_updates(study: str) -> list[PublishedUpdate]:
    """Published ghost updates, machine after machine."""
    return [
        PublishedUpdate(
            f"{short_name(machine)}, {point.ranks:,} ranks on {counted(point.nodes, 'node')}",
            point.ranks,
            vdim,
            point.seconds,
            point.rate,
            _source(machine, (study,)),
        )
        for machine in machines()
        for point in machine.of_study(study)
        if point.rate is not None and isinstance(vdim := point.axes.get("vdim"), int)
    ]


def published_store_times() -> tuple[list[tuple[int, float]], tuple[Source, ...]]:
    """Ranks and seconds of the published making of redistribution routes, and who measured them."""
    study = "plan-scaling"
    used = [machine for machine in machines() if machine.of_study(study)]
    times = [(point.ranks, point.seconds) for machine in used for point in machine.of_study(study)]
    return sorted(times), _sources(used, (study,))


def published_launches(palette: Palette) -> tuple[list[Ranges], tuple[Source, ...]]:
    """First and last rank of published job starts, medians over their repetitions."""
    lines, used = [], []
    for machine in machines():
        by_ranks: dict[int, list[tuple[float, float]]] = {}
        for point in machine.of_study("launch"):
            if point.fastest_seconds is not None:
                by_ranks.setdefault(point.ranks, []).append((point.fastest_seconds, point.seconds))
        if by_ranks:
            points = tuple(
                RangePoint(ranks, *np.median(np.array(by_ranks[ranks]), axis=0).tolist())
                for ranks in sorted(by_ranks)
            )
            label = f"{short_name(machine)}, {_per_node(machine.of_study('launch'))}"
            lines.append(Ranges(label, label, palette.published(label), points, published=True))
            used.append(machine)
    return lines, _sources(used, ("launch",))


def _per_node(points: Iterable[ReferencePoint]) -> str:
    """`1 rank per node`, from the points themselves."""
    each = sorted({-(-point.ranks // point.nodes) for point in points})
    return f"{' or '.join(map(str, each))} {'rank' if each == [1] else 'ranks'} per node"


def short_name(machine: Machine) -> str:
    """The name in front of the title's commas."""
    return machine.title.split(",")[0]


def _is_comparable(point: ReferencePoint, result: CaseResult) -> bool:
    """Whether a published point belongs beside results such as this one."""
    if point.bytes is None or point.seconds <= 0:
        return False
    axes = {name: value for name, value in point.axes.items() if name != "bytes"}
    # Another datatype, root or form is another question.
    if any(result.axes.get(name, value) != value for name, value in axes.items()):
        return False
    operation = str(result.axes.get("operation", ""))
    # Without bytes there is nothing to do, but for the v-variants, which do not know that.
    return point.bytes > 0 or not operation or operation.endswith("v")


def _curves(palette: Palette, machine: Machine, points: Iterable[ReferencePoint]) -> list[Curve]:
    by_label: dict[str, list[Point]] = {}
    for point in points:
        assert point.bytes is not None
        where = counted(point.nodes, "node")
        label = f"{short_name(machine)}, {point.ranks:,} ranks on {where}"
        by_label.setdefault(label, []).append(
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
    return tuple(dict.fromkeys(_source(machine, studies) for machine in used))


def _source(machine: Machine, studies: Sequence[str]) -> Source:
    """Who published, and the conditions that concern these studies."""
    topics = {_TOPICS[study] for study in studies if study in _TOPICS}
    conditions = tuple(
        condition
        for condition in machine.conditions
        if (topic := condition.split(":")[0]) in topics or topic not in _TOPICS.values()
    )
    return Source(machine.title, machine.attribution, conditions)
