# SPDX-License-Identifier: BSD-3-Clause
"""What does a ghost update cost? Every method, the memory floor, and published machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from transrank.lab import units
from transrank.lab.report.curves import places_of
from transrank.lab.report.figures.category_panel import Value, times_figure
from transrank.lab.report.figures.figure import Figure
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import kept_sentence
from transrank.lab.report.published import Published, Source, published
from transrank.lab.report.questions.question import Context
from transrank.lab.report.questions.study import Study
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.summary import CaseResult
from transrank.lab.view.kinds import INTERVAL, NUMBER, RATE, SECONDS, SHARE, WORDS, Kind
from transrank.lab.view.table import Column, Table

# Cases name their block only where it is not the published one.
PUBLISHED_BLOCK = "32x32x32"
COMPONENT_BYTES = 8
# The published program never changes its arrays.
PUBLISHED_MODE = "unmodified"

SUBJECT = "Times of ghost updates"
CAPTION = (
    "Time from a barrier until the slowest rank has its six faces. In mode unmodified the "
    "arrays never change, as in the published benchmark; in mode rewritten the owner writes its "
    "block before each update; in mode used, in addition, reading the ghosts is timed. The "
    "floor is a local gather of as many rows. Lines are 95 % intervals."
)
PUBLISHED_CAPTION = (
    "Time of one update here and on the published machines, in mode unmodified as published; each "
    "rank receives six faces of its 32×32×32 block of rows of vdim doubles."
)


Ours = tuple[Measured, CaseResult]


def _vdim(result: CaseResult) -> int:
    return int(result.axes.get("vdim", 0))


def _block(result: CaseResult) -> str:
    return str(result.axes.get("rows", PUBLISHED_BLOCK))


def _rows(block: str) -> tuple[int, int]:
    """The rows of a block, and of its six faces."""
    extents = [int(extent) for extent in block.split("x")]
    return prod(extents), sum(2 * prod(extents) // extent for extent in extents)


def _where(result: CaseResult) -> str:
    of_pattern = f"{pattern} pattern, " if (pattern := result.text("pattern")) else ""
    of_rows = f", {rows} rows" if (rows := result.text("rows")) else ""
    return f"{of_pattern}vdim {_vdim(result)}{of_rows}"


def _subject(result: CaseResult) -> str:
    _, ghosts = _rows(_block(result))
    return f"updating {ghosts:,} ghost rows of {_vdim(result)} doubles (mode {result.text('mode')})"


def _volumes(results: Sequence[CaseResult]) -> Table:
    """Volume, faces and their share: the figures that the published benchmark prints first."""
    blocks = sorted({(_block(result), _vdim(result)) for result in results})
    rows = [(vdim, *((count, vdim) for count in _rows(block))) for block, vdim in blocks]
    return Table("What each rank owns and receives", VOLUMES, rows)


def _volume(rows: tuple[int, int]) -> str:
    count, vdim = rows
    return f"{count:,} rows, {units.format_bytes(count * vdim * COMPONENT_BYTES)}"


VOLUMES = (
    Column("vdim"),
    *(Column("block", Kind(_volume)), Column("faces", Kind(_volume))),
    Column("share of rows", NUMBER, lambda row: f"{100 * row[2][0] / row[1][0]:.2f} %"),
)


def _like_published(context: Context) -> list[Ours]:
    """The methods compared with published machines: auto and the ArrayTransformer's own."""
    return [
        (run, result)
        for run in context.runs
        for result in run.of_study(STUDY.name)
        if result.text("mode") == PUBLISHED_MODE
        and _block(result) == PUBLISHED_BLOCK
        and result.text("pattern") in ("corrected", "literal")
        and result.text("transport") in ("auto", "mpi-datatype")
    ]


def _label(context: Context, run: Measured, result: CaseResult) -> str:
    who = run.name if context.several else "here"
    return f"{who}, {result.shape}: {result.text('transport')}, {result.text('pattern')}"


def _found(context: Context) -> tuple[list[Ours], Published]:
    """What is compared with published machines, and these, of the same places if there are such."""
    like = _like_published(context)
    ours = [result for _, result in like] or context.all_of(STUDY.name)
    found = published((STUDY.name,), places_of(ours), without=context.machines)
    if found.comparable:
        like = [pair for pair in like if places_of([pair[1]]) & found.places]
    return like, found


def _beside_published(context: Context) -> Iterator[Figure | None]:
    like, found = _found(context)
    if not like or not found.points:
        return
    theirs = [
        Value.at(
            found.label(machine, point),
            series := f"vdim {point.axes['vdim']}",
            context.palette.style("mode", series),
            Estimate(point.seconds),
        )
        for machine, point in found.points
    ]
    vdims = {point.axes["vdim"] for _, point in found.points}
    measured = [pair for pair in like if _vdim(pair[1]) in vdims]
    own = [
        Value.of(
            *(result, _label(context, run, result), f"vdim {_vdim(result)}"),
            *(context.palette, "mode"),
        )
        for run, result in measured
    ]
    kept = kept_sentence([result for _, result in measured])
    panels = {"": [*own, *theirs]}
    yield times_figure("ghost-update-published", panels, SUBJECT, PUBLISHED_CAPTION, kept)


def _tables(context: Context) -> Iterator[Table]:
    yield _volumes(context.all_of(STUDY.name))
    like, found = _found(context)
    if like and found.points:
        yield _rates(context, like, found)


def _rates(context: Context, like: Sequence[Ours], found: Published) -> Table:
    """Bytes per second received per rank and by all ranks; the best total is marked."""
    rows: list[tuple[Any, ...]] = [
        (
            *(_label(context, run, result), _vdim(result), result.seconds),
            *(result.headline, result.kept_share, result.rate, result.rate * result.shape.ranks),
        )
        for run, result in like
        if result.rate is not None
    ]
    rows += [
        (
            *(found.label(machine, point), int(point.axes["vdim"]), point.seconds),
            *(None, None, point.rate, point.rate * point.ranks),
        )
        for machine, point in found.points
        if point.rate is not None
    ]
    best = max(row[-1] for row in rows)

    def total(rate: float) -> str:
        return units.format_rate(rate) + (" (best)" if rate == best else "")

    columns = (
        *(Column("machine", WORDS), Column("vdim"), Column("one update", SECONDS)),
        *(Column("95 % interval", INTERVAL), Column("kept", SHARE)),
        *(Column("received per rank", RATE), Column("all ranks", Kind(total))),
    )
    return Table("Ghost updates here and on published machines", columns, rows)


def _sources(context: Context) -> tuple[Source, ...]:
    like, found = _found(context)
    return found.sources if like else ()


STUDY = Study(
    "ghost",
    "What does a ghost update cost?",
    CAPTION,
    "ghost-update",
    way=("transport",),
    where=_where,
    marks=("mode", "used", "rewritten", PUBLISHED_MODE),
    baseline=("auto",),
    floors=("floor",),
    rivals={"mpi-*": "MPI alone"},
    subject=_subject,
    most=1,
    figures=_beside_published,
    tables=_tables,
    sources=_sources,
    work="each",
)
