# SPDX-License-Identifier: BSD-3-Clause
"""What does a ghost update cost? Every method, the memory floor, and published machines."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from transrank.lab import units
from transrank.lab.report.curves import places_of
from transrank.lab.report.figures.category_panel import Value, times_figure
from transrank.lab.report.figures.figure import Figure
from transrank.lab.report.measured import Measured, shapes_of
from transrank.lab.report.phrases import (
    joined,
    kept_sentence,
    time_with_interval,
    times_as_long,
)
from transrank.lab.report.published import Published, published
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.summary import CaseResult
from transrank.lab.store.records import Shape
from transrank.lab.view.kinds import INTERVAL, NUMBER, RATE, SECONDS, SHARE, WORDS, Kind
from transrank.lab.view.table import Column, Table

STUDY = "ghost"
PUBLISHED_STUDY = STUDY
# Cases name their block only where it is not the published one.
PUBLISHED_BLOCK = "32x32x32"
COMPONENT_BYTES = 8
AUTO, FLOOR = "auto", "floor"
# The prefix of methods that use MPI without transrank.
MPI_ALONE = "mpi-"
# The published program never changes its arrays.
PUBLISHED_MODE = "unmodified"
MOST_TELLING = ("used", "rewritten", PUBLISHED_MODE)

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
Place = tuple[Shape, str, int, str]


def ask(context: Context) -> Question | None:
    """Build the question; None when no ghosts were updated."""
    if not context.all_of(STUDY):
        return None
    like = _like_published(context)
    ours = [result for _, result in like] or context.all_of(STUDY)
    found = published((PUBLISHED_STUDY,), places_of(ours), without=context.machines)
    if found.comparable:
        like = [pair for pair in like if places_of([pair[1]]) & found.places]
    figures = [figure for run in context.runs if (figure := _ways(context, run)) is not None]
    tables = [_volumes(context.all_of(STUDY))]
    if like and found.points:
        figures += filter(None, [_beside_published(context, like, found)])
        tables.append(_rates(context, like, found))
    return Question(
        "ghost-update",
        "What does a ghost update cost?",
        context.said(_answer),
        tuple(figures),
        tuple(tables),
        (STUDY,),
        found.sources if like else (),
    )


def _vdim(result: CaseResult) -> int:
    return int(result.axes.get("vdim", 0))


def _block(result: CaseResult) -> str:
    return str(result.axes.get("rows", PUBLISHED_BLOCK))


def _rows(block: str) -> tuple[int, int]:
    """The rows of a block, and of its six faces."""
    extents = [int(extent) for extent in block.split("x")]
    return prod(extents), sum(2 * prod(extents) // extent for extent in extents)


def _panel_of(result: CaseResult) -> Place:
    return result.shape, result.text("pattern"), _vdim(result), _block(result)


def _ways(context: Context, run: Measured) -> Figure | None:
    """A panel for each shape, pattern and row width: all ways in all modes."""
    results = run.of_study(STUDY)
    panels = {}
    for place in sorted({_panel_of(result) for result in results}):
        here = _fastest_way_first([result for result in results if _panel_of(result) == place])
        panels[_title(place)] = [
            Value.of(each, each.text("transport"), each.text("mode"), context.palette, "mode")
            for each in here
        ]
    name, caption = context.name("ghost-update", run), context.about(run, CAPTION)
    return times_figure(name, panels, SUBJECT, caption, kept_sentence(results))


def _title(place: Place) -> str:
    shape, pattern, vdim, block = place
    of_pattern = f", {pattern} pattern" if pattern else ""
    of_rows = "" if block == PUBLISHED_BLOCK else f", {block} rows"
    return f"{shape}{of_pattern}, vdim {vdim}{of_rows}"


def _fastest_way_first(results: Sequence[CaseResult]) -> list[CaseResult]:
    """Ways in the order of their times in the mode that flatters least."""
    times: dict[str, float] = {}
    for mode in reversed(MOST_TELLING):
        for result in results:
            if result.text("mode") == mode and result.headline is not None:
                times[result.text("transport")] = result.headline.value
    return sorted(results, key=lambda result: times.get(result.text("transport"), 0.0))


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
        for result in run.of_study(STUDY)
        if result.text("mode") == PUBLISHED_MODE
        and _block(result) == PUBLISHED_BLOCK
        and result.text("pattern") in ("corrected", "literal")
        and result.text("transport") in (AUTO, "mpi-datatype")
    ]


def _label(context: Context, run: Measured, result: CaseResult) -> str:
    who = run.name if context.several else "here"
    return f"{who}, {result.shape}: {result.text('transport')}, {result.text('pattern')}"


def _beside_published(context: Context, like: Sequence[Ours], found: Published) -> Figure | None:
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
    return times_figure("ghost-update-published", panels, SUBJECT, PUBLISHED_CAPTION, kept)


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


def _answer(run: Measured) -> list[str]:
    results = run.of_study(STUDY)
    chosen, floor = telling(results)
    if chosen is None:
        return []
    comparisons = []
    if floor is not None and (ratio := times_as_long(floor, chosen)):
        comparisons.append(f"{ratio} its memory floor, a local gather of as many rows")
    beside = _beside(chosen, results)
    alone = [r for r in beside if r.text("transport").startswith(MPI_ALONE)]
    best = min(alone, key=lambda r: r.seconds, default=None)
    if best is not None and (ratio := times_as_long(chosen, best)):
        way = best.text("transport")
        comparisons.append(f"the fastest method with MPI alone ({way}) takes {ratio} as long")
    _, ghosts = _rows(_block(chosen))
    text = (
        f"with {chosen.shape}, updating {ghosts:,} ghost rows of {_vdim(chosen)} doubles "
        f"(mode {chosen.text('mode')}, {chosen.text('pattern')} pattern) takes "
        f"{time_with_interval(chosen)}"
    )
    return [f"{text}: {joined(comparisons)}." if comparisons else f"{text}."]


def telling(results: Sequence[CaseResult]) -> tuple[CaseResult | None, CaseResult | None]:
    """The engine's own choice in the most realistic mode and the widest shape; and its floor."""
    own = [result for result in results if result.text("transport") == AUTO]
    if not own:
        return None, None
    mode = next(mode for mode in MOST_TELLING if any(r.text("mode") == mode for r in own))
    own = [result for result in own if result.text("mode") == mode]
    chosen = next(result for result in own if result.shape == shapes_of(own)[-1])
    beside = _beside(chosen, results)
    return chosen, next((r for r in beside if r.text("transport") == FLOOR), None)


def _beside(chosen: CaseResult, results: Sequence[CaseResult]) -> list[CaseResult]:
    """All methods of the same update."""
    return [
        result
        for result in results
        if _panel_of(result) == _panel_of(chosen) and result.text("mode") == chosen.text("mode")
    ]
