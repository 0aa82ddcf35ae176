# SPDX-License-Identifier: BSD-3-Clause
"""What do collective operations cost? A small panel per operation, a curve per shape."""

from __future__ import annotations

from collections.abc import Iterator

from transrank.lab import units
from transrank.lab.reference.tables import machines
from transrank.lab.report.measured import Measured, telling_shape
from transrank.lab.report.phrases import joined, nearest, time_with_interval
from transrank.lab.report.published import BLOCKING, job_of, short_name
from transrank.lab.report.questions.question import Context
from transrank.lab.report.questions.study import Study
from transrank.lab.report.tables import words
from transrank.lab.stats.summary import CaseResult
from transrank.lab.view.kinds import INTERVAL, SECONDS, SHARE
from transrank.lab.view.table import Column, Row, Table

NAMED = ("allreduce", "alltoall", "bcast")
SMALL_BYTES = 8

CAPTION = (
    "Time of the slowest rank from a common start, with the same axes in all panels. The size is "
    "that of a reduction's vector, of a broadcast's message, or of the block from one rank to "
    "another; there is a curve per number of ranks and of ranks per node. Bands are 95 % intervals "
    "over launches, small dots are outlying launches. Published curves are cut at the edge of the "
    "panel."
)
FORMS_CAPTION = (
    "The forms of each operation with {shape}: a non-blocking call is followed at once by "
    "MPI_Wait; for a persistent one MPI_Start and MPI_Wait are timed, its creation is not."
)


def operation(result: CaseResult) -> str:
    """MPI's name of the operation, in lower case."""
    return result.text("operation") or STUDY.name


def form_of(result: CaseResult) -> str:
    """Blocking, nonblocking or persistent."""
    return result.text("form") or BLOCKING


def _sizeless(context: Context) -> Iterator[Table]:
    """Operations without a message, such as Barrier: numbers instead of a curve."""
    found = [
        (run, result)
        for run in context.runs
        for result in run.of_study(STUDY.name)
        if result.bytes is None
    ]
    columns = (
        *words("run", "operation", "form", "ranks"),
        *(Column("median", SECONDS), Column("95 % interval", INTERVAL), Column("kept", SHARE)),
    )
    rows = [
        Row(
            (
                *(run.name, operation(result), form_of(result), str(result.shape)),
                *(result.seconds, result.headline, result.kept_share),
            ),
            result.status,
        )
        for run, result in found
    ]
    measured = {operation(result) for _, result in found}
    rows += [
        Row(
            (
                *(short_name(machine), point.axes["operation"], point.axes["form"]),
                f"{job_of(point)} ({short_name(machine)})",
                f"{units.format_seconds(point.seconds)}, published",
                *(None, None),
            ),
            "published",
        )
        for machine in machines()
        for point in machine.of_study(STUDY.name)
        if point.bytes is None and point.axes["operation"] in measured
    ]
    first = 0 if context.several else 1
    shown = [Row(row.cells[first:], row.state) for row in rows]
    yield Table("Operations without a message", columns[first:], shown)


def _answer(run: Measured) -> list[str]:
    results = run.of_study(STUDY.name)
    shape = telling_shape(results, run)
    parts = []
    for name in NAMED:
        candidates = [
            result
            for result in results
            if result.shape == shape and operation(result) == name and form_of(result) == BLOCKING
        ]
        one = nearest(candidates, SMALL_BYTES)
        if one is not None and one.bytes is not None:
            parts.append(
                f"{name} of {units.format_bytes(one.bytes)} takes {time_with_interval(one)}"
            )
    if not parts:
        return []
    return [f"with {shape}, {joined(parts)}."]


STUDY = Study(
    "collectives",
    "What do collective operations cost?",
    CAPTION,
    way=("form",),
    where=operation,
    over_shapes=True,
    ways_caption=FORMS_CAPTION,
    baseline=(BLOCKING,),
    said=_answer,
    tables=_sizeless,
    only=("form", BLOCKING),
)
