# SPDX-License-Identifier: BSD-3-Clause
"""What does a ghost update cost? Every method, the memory floor, and published machines."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from transrank.lab import units
from transrank.lab.reference.machine import Machine, ReferencePoint
from transrank.lab.report.curves import places_of
from transrank.lab.report.figures.category_panel import Value, key_of, times_panel
from transrank.lab.report.figures.figure import Figure, KeyEntry, Panel
from transrank.lab.report.measured import Measured, shapes_of
from transrank.lab.report.palette import Palette
from transrank.lab.report.phrases import (
    counted,
    joined,
    kept_sentence,
    time_with_interval,
    times_as_long,
)
from transrank.lab.report.published import Published, comparable, published, short_name
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.report.tables import NOTHING, Column, Row, Table, interval_text
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.summary import CaseResult
from transrank.lab.store.records import Shape

STUDY = "ghost"
PUBLISHED_STUDY = STUDY
BLOCK_ROWS = 32**3
FACE_ROWS = 6 * 32**2
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


def ask(context: Context) -> Question | None:
    """Build the question; None when no ghosts were updated."""
    if not context.all_of(STUDY):
        return None
    like = _like_published(context)
    ours = [result for _, result in like] or context.all_of(STUDY)
    found = published((PUBLISHED_STUDY,), places_of(ours))
    like = [pair for pair in like if places_of([pair[1]]) & found.places]
    figures = [figure for run in context.runs if (figure := _ways(context, run)) is not None]
    tables = [_volumes(context.all_of(STUDY))]
    if like and found.points:
        figures.append(_beside_published(context, like, found))
        tables.append(_rates(context, like, found))
    return Question(
        "ghost-update",
        "What does a ghost update cost?",
        tuple(text for run in context.runs for text in _answer(run, context.several)),
        tuple(figures),
        tuple(tables),
        (STUDY,),
        found.sources if like else (),
        comparable(found),
    )


def _text(result: CaseResult, axis: str) -> str:
    return str(result.axes.get(axis, ""))


def _vdim(result: CaseResult) -> int:
    return int(result.axes.get("vdim", 0))


def _panel_of(result: CaseResult) -> tuple[Shape, str, int]:
    return result.shape, _text(result, "pattern"), _vdim(result)


def _ways(context: Context, run: Measured) -> Figure | None:
    """A panel for each shape, pattern and row width: all ways in all modes."""
    results = run.of_study(STUDY)
    panels: list[Panel] = []
    key: dict[str, KeyEntry] = {}
    for place in sorted({_panel_of(result) for result in results}):
        here = _fastest_way_first([result for result in results if _panel_of(result) == place])
        values = [
            value
            for result in here
            if (
                value := _value(
                    context.palette, _text(result, "transport"), _text(result, "mode"), result
                )
            )
        ]
        key |= key_of(values)
        if values:
            panels.append(times_panel(_title(place), SUBJECT, values))
    if not panels:
        return None
    name = f"ghost-update-{run.run.header.run}" if context.several else "ghost-update"
    caption = f"{run.name}: {CAPTION}" if context.several else CAPTION
    return Figure(name, tuple(panels), caption, tuple(key.values()), kept=kept_sentence(results))


def _title(place: tuple[Shape, str, int]) -> str:
    shape, pattern, vdim = place
    return f"{shape}, {pattern} pattern, vdim {vdim}"


def _fastest_way_first(results: Sequence[CaseResult]) -> list[CaseResult]:
    """Ways in the order of their times in the mode that flatters least."""
    times: dict[str, float] = {}
    for mode in reversed(MOST_TELLING):
        for result in results:
            if _text(result, "mode") == mode and result.headline is not None:
                times[_text(result, "transport")] = result.headline.value
    return sorted(results, key=lambda result: times.get(_text(result, "transport"), 0.0))


def _value(palette: Palette, label: str, series: str, result: CaseResult) -> Value | None:
    if result.headline is None or result.headline.value <= 0:
        return None
    return Value.at(label, series, palette.style("mode", series), result.headline)


def _volumes(results: Sequence[CaseResult]) -> Table:
    """Volume, faces and their share: the figures that the published benchmark prints first."""
    columns = (Column("vdim"), Column("block"), Column("faces"), Column("share of rows"))
    rows = tuple(
        Row(
            (
                str(vdim),
                f"{BLOCK_ROWS:,} rows, {units.format_bytes(BLOCK_ROWS * vdim * COMPONENT_BYTES)}",
                f"{FACE_ROWS:,} rows, {units.format_bytes(FACE_ROWS * vdim * COMPONENT_BYTES)}",
                f"{100 * FACE_ROWS / BLOCK_ROWS:.2f} %",
            )
        )
        for vdim in sorted({_vdim(result) for result in results})
    )
    return Table("What each rank owns and receives", columns, rows)


def _like_published(context: Context) -> list[Ours]:
    """The methods compared with published machines: auto and the ArrayTransformer's own."""
    return [
        (run, result)
        for run in context.runs
        for result in run.of_study(STUDY)
        if _text(result, "mode") == PUBLISHED_MODE
        and _text(result, "pattern") in ("corrected", "literal")
        and _text(result, "transport") in (AUTO, "mpi-datatype")
    ]


def _label(context: Context, run: Measured, result: CaseResult) -> str:
    who = run.name if context.several else "here"
    return f"{who}, {result.shape}: {_text(result, 'transport')}, {_text(result, 'pattern')}"


def _beside_published(context: Context, like: Sequence[Ours], found: Published) -> Figure:
    theirs = [
        Value.at(
            _job(machine, point),
            series := f"vdim {point.axes['vdim']}",
            context.palette.style("mode", series),
            Estimate(point.seconds),
        )
        for machine, point in found.points
    ]
    vdims = {point.axes["vdim"] for _, point in found.points}
    measured = [pair for pair in like if _vdim(pair[1]) in vdims]
    own = [
        value
        for run, result in measured
        if (
            value := _value(
                context.palette, _label(context, run, result), f"vdim {_vdim(result)}", result
            )
        )
    ]
    values = [*own, *theirs]
    key = key_of(values)
    panel = times_panel("", SUBJECT, values, "wide")
    return Figure(
        "ghost-update-published",
        (panel,),
        PUBLISHED_CAPTION,
        tuple(key.values()),
        "wide",
        kept_sentence([result for _, result in measured]),
    )


def _job(machine: Machine, point: ReferencePoint) -> str:
    nodes = counted(point.nodes, "node")
    return f"{short_name(machine)}, {point.ranks:,} ranks on {nodes}"


def _rates(context: Context, like: Sequence[Ours], found: Published) -> Table:
    """Bytes per second received per rank and by all ranks; the best total is marked."""
    columns = (
        Column("machine", number=False),
        Column("vdim"),
        Column("one update"),
        Column("95 % interval"),
        Column("kept"),
        Column("received per rank"),
        Column("all ranks"),
    )
    entries = [
        (
            _label(context, run, result),
            _vdim(result),
            result.headline.value,
            interval_text(result.headline),
            units.format_percent(result.kept) if result.samples else NOTHING,
            result.rate,
            result.rate * result.shape.ranks,
        )
        for run, result in like
        if result.headline is not None and result.rate is not None
    ]
    entries += [
        (
            _job(machine, point),
            int(point.axes["vdim"]),
            point.seconds,
            NOTHING,
            NOTHING,
            point.rate,
            point.rate * point.ranks,
        )
        for machine, point in found.points
        if point.rate is not None
    ]
    best = max(entry[-1] for entry in entries)
    rows = tuple(
        Row(
            (
                place,
                str(vdim),
                units.format_seconds(seconds),
                interval,
                kept,
                units.format_rate(rate),
                units.format_rate(total) + (" (best)" if total == best else ""),
            )
        )
        for place, vdim, seconds, interval, kept, rate, total in entries
    )
    return Table("Ghost updates here and on published machines", columns, rows)


def _answer(run: Measured, several: bool) -> list[str]:
    results = run.of_study(STUDY)
    chosen, floor = telling(results)
    if chosen is None:
        return []
    comparisons = []
    if floor is not None and (ratio := times_as_long(floor, chosen)):
        comparisons.append(f"{ratio} its memory floor, a local gather of as many rows")
    beside = _beside(chosen, results)
    alone = [r for r in beside if _text(r, "transport").startswith(MPI_ALONE)]
    best = min(alone, key=lambda r: r.headline.value if r.headline else inf, default=None)
    if best is not None and (ratio := times_as_long(chosen, best)):
        way = _text(best, "transport")
        comparisons.append(f"the fastest method with MPI alone ({way}) takes {ratio} as long")
    prefix = f"{run.name}: with" if several else "With"
    text = (
        f"{prefix} {chosen.shape}, updating {FACE_ROWS:,} ghost rows of {_vdim(chosen)} doubles "
        f"(mode {_text(chosen, 'mode')}, {_text(chosen, 'pattern')} pattern) takes "
        f"{time_with_interval(chosen)}"
    )
    return [f"{text}: {joined(comparisons)}." if comparisons else f"{text}."]


def telling(results: Sequence[CaseResult]) -> tuple[CaseResult | None, CaseResult | None]:
    """The engine's own choice in the most realistic mode and the widest shape; and its floor."""
    own = [result for result in results if _text(result, "transport") == AUTO]
    if not own:
        return None, None
    mode = next(mode for mode in MOST_TELLING if any(_text(r, "mode") == mode for r in own))
    shape = shapes_of(own)[-1]
    chosen = next(r for r in own if _text(r, "mode") == mode and r.shape == shape)
    beside = _beside(chosen, results)
    return chosen, next((r for r in beside if _text(r, "transport") == FLOOR), None)


def _beside(chosen: CaseResult, results: Sequence[CaseResult]) -> list[CaseResult]:
    """All methods of the same update."""
    return [
        result
        for result in results
        if _panel_of(result) == _panel_of(chosen) and _text(result, "mode") == _text(chosen, "mode")
    ]
