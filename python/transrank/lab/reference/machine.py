# SPDX-License-Identifier: BSD-3-Clause
"""A published machine and one published number."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

# The axis with the shape of the nodes of a published job, which no case of ours has.
JOB_SHAPE = "job_shape"


@dataclass(frozen=True, slots=True)
class ReferencePoint:
    """One published number. It has no interval: the sources print one value per point.

    Attributes
    ----------
    study, axes
        as in a case of ours; an axis missing in the source is left out, one of the source's
        own is added.
    ranks
        processes that took part, or threads where the source has these in their place.
    seconds
        time of one operation, or of the whole where `note` says so.
    bytes_counted
        bytes that one operation counts for `rate`, by the study's convention.
    fastest_seconds
        where `seconds` is the slowest rank's: the fastest rank's.
    """

    machine: str
    study: str
    axes: Mapping[str, str | int]
    nodes: int
    ranks: int
    seconds: float
    bytes_counted: float = 0.0
    fastest_seconds: float | None = None
    note: str = ""

    @property
    def bytes(self) -> int | None:
        """The message size, where the point has one."""
        size = self.axes.get("bytes")
        return size if isinstance(size, int) else None

    @property
    def rate(self) -> float | None:
        """Counted bytes per second."""
        return self.bytes_counted / self.seconds if self.bytes_counted and self.seconds else None


@dataclass(frozen=True, slots=True)
class Torus:
    """Links in a torus: the bytes per second of one in one direction, and how many a node drives.

    `shapes` are the extents of the jobs of so many nodes.
    """

    rate: float
    links: int
    shapes: Mapping[int, str]

    def across(self, nodes: int) -> int:
        """Links in one direction across the middle of the longest even extent, a ring cut twice."""
        return 2 * nodes // longest_even(self.shapes[nodes])


def longest_even(shape: str) -> int:
    """Of extents as in `4x6x16`."""
    return max(int(extent) for extent in shape.split("x") if int(extent) % 2 == 0)


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine whose measurements were published.

    Attributes
    ----------
    attribution
        who measured and published.
    conditions
        how it was measured, one sentence each: what to know before comparing.
    points
        none where the source only plotted its times.
    tables
        files with what the source says besides, read by `read_table`, and their captions.
    parts
        numbers of which some of the points are the sums.
    """

    name: str
    title: str
    attribution: str
    conditions: tuple[str, ...]
    points: tuple[ReferencePoint, ...]
    tables: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[ReferencePoint, ...] = ()
    torus: Torus | None = None

    def of_study(self, study: str) -> tuple[ReferencePoint, ...]:
        return tuple(point for point in self.points if point.study == study)

    @property
    def studies(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(point.study for point in self.points))


@cache
def read_table(name: str) -> tuple[Mapping[str, str], ...]:
    """The rows of a table in the package, as text by column."""
    content = resources.files(__package__).joinpath("data", name).read_text("utf-8")
    return tuple(csv.DictReader(content.splitlines()))
