# SPDX-License-Identifier: BSD-3-Clause
"""A published machine as a run of means, so that its numbers are drawn as those of any run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from transrank.lab.reference.machine import Machine, ReferencePoint
from transrank.lab.reference.tables import machines
from transrank.lab.store.records import (
    Case,
    Header,
    ImportedFile,
    Run,
    Shape,
    from_json,
)
from transrank.lab.units import format_size

# Of the header of such a run, in place of a command that has measured it.
PUBLISHED = ("published",)


def run_of(machine: Machine) -> Run:
    """The machine's numbers; one that was published repeatedly has as many launches."""
    cases = tuple(_cases(machine))
    launches = 1 + max((case.launch for case in cases), default=0)
    source = ImportedFile(machine.attribution, machine.title, "")
    header = Header(
        run=machine.name,
        label=machine.title.split(",")[0],
        created="",
        transrank="",
        command=PUBLISHED,
        imported=(source,) * launches,
    )
    return Run(Path(machine.name), header, (), (), cases, ())


def machine_of(run: Run) -> Machine | None:
    """The machine that a run was made of; None if it was measured or imported."""
    if run.header.command != PUBLISHED:
        return None
    return next(machine for machine in machines() if machine.name == run.header.run)


def _cases(machine: Machine) -> Iterator[Case]:
    repeated: Counter[tuple[str, Shape]] = Counter()
    for point in filter(_is_told, machine.points):
        name = "/".join([point.study, *(_spelt(*axis) for axis in point.axes.items())])
        shape = Shape(point.ranks, -(-point.ranks // point.nodes))
        launch = repeated[name, shape]
        repeated[name, shape] += 1
        imported = {"mean": point.seconds, "benchmark": point.study}
        if point.fastest_seconds is not None:
            imported["minimum"] = point.fastest_seconds
        yield from_json(
            Case,
            {
                "kind": "case",
                "study": point.study,
                "case": name,
                "axes": dict(point.axes),
                "launch": launch,
                "shape": {"ranks": shape.ranks, "ranks_per_node": shape.ranks_per_node},
                "status": "ok",
                "timing": "imported",
                "bytes_counted": point.bytes_counted,
                "imported": imported,
            },
        )


def _is_told(point: ReferencePoint) -> bool:
    """Without bytes most operations have nothing to do, and a logarithmic axis has no place."""
    return point.seconds > 0 and point.bytes != 0


def _spelt(name: str, value: str | int) -> str:
    return format_size(value) if name == "bytes" and isinstance(value, int) else str(value)
