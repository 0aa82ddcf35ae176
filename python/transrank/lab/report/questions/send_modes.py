# SPDX-License-Identifier: BSD-3-Clause
"""Which send routine is fastest? One ping-pong with each of MPI's send routines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from transrank.lab import units
from transrank.lab.findings.crossovers import Crossover, find_crossovers
from transrank.lab.findings.steps import find_steps
from transrank.lab.findings.values import curve_of
from transrank.lab.report.curves import CurveGroup, curves_of, intervals_of, places_of
from transrank.lab.report.figures.curve_figure import curve_figure
from transrank.lab.report.figures.quantity import TIME
from transrank.lab.report.measured import BETWEEN_NODES, SOMEWHERE, WITHIN_A_NODE, Measured
from transrank.lab.report.phrases import joined, kept_sentence, sentence, times
from transrank.lab.report.published import Published, published
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.report.tables import words
from transrank.lab.stats.compare import ratio_of
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.hockney import Piece, pieces
from transrank.lab.stats.summary import CaseResult
from transrank.lab.view.kinds import BYTES, FACTOR, INTERVAL, SHARE, VALUE, WORDS
from transrank.lab.view.table import NOTHING, Column, Row, Table

STUDY = "send-modes"
BOTH_WAYS = "sendrecv"
TABLE_BYTES = 100_000
# The places of the two ranks, in titles.
WHERE = {
    WITHIN_A_NODE: "on one node",
    BETWEEN_NODES: "over two nodes",
    SOMEWHERE: "between two ranks",
}

CAPTION = (
    "Half a round trip between two ranks, timed on rank 0, by send routine; Bsend's "
    "buffer is attached outside the timed region. Sendrecv sends both ways at once. Bands are "
    "95 % intervals over launches, small dots are outlying launches."
)


def ask(context: Context) -> Question | None:
    """Build the question; None when the study was not measured."""
    groups = [
        _group(context, _named(run, place, context.several), results)
        for run in context.runs
        for place, results in run.by_place(STUDY).items()
    ]
    figure = curve_figure("send-modes", groups, TIME, CAPTION)
    if figure is None:
        return None
    beside = published((STUDY,), places_of(context.all_of(STUDY)), without=context.machines)
    tables = [_rate_table(context, beside)]
    tables += [_crossover_table(context), _line_table(context)]
    return Question(
        "send-modes",
        "Which send routine is fastest?",
        tuple(text for run in context.runs for text in _answer(run, context.several)),
        (figure,),
        tuple(table for table in tables if table.rows),
        (STUDY,),
        beside.sources,
    )


def routine_name(routine: str) -> str:
    """The name as MPI spells it: `MPI_Bsend`, `persistent MPI_Send`."""
    if routine.startswith("persistent"):
        return "persistent MPI_Send"
    return f"MPI_{routine.capitalize()}"


def _routine(result: CaseResult) -> str:
    return result.text("routine")


def _by_routine(results: Sequence[CaseResult]) -> dict[str, list[CaseResult]]:
    routines: dict[str, list[CaseResult]] = {}
    for result in results:
        routines.setdefault(_routine(result), []).append(result)
    return routines


def _named(run: Measured, place: str, several: bool) -> str:
    return f"{run.name}, {WHERE[place]}" if several else WHERE[place]


def _group(context: Context, title: str, results: Sequence[CaseResult]) -> CurveGroup:
    named = {routine_name(routine): found for routine, found in _by_routine(results).items()}
    return CurveGroup(title, curves_of(named, context.palette, "routine"), results[0])


def _at_table_size(results: Sequence[CaseResult]) -> CaseResult | None:
    return next((result for result in results if result.bytes == TABLE_BYTES), None)


def _rate_table(context: Context, beside: Published) -> Table:
    """GB/s at 100,000 bytes: one direction's bytes, and all bytes as the source counted them."""
    rows = [
        Row(
            (
                *(_named(run, place, context.several), routine_name(routine)),
                units.format_seconds(result.seconds)
                + (" (wide)" if result.status == "wide" else ""),
                *_rates(routine, TABLE_BYTES / result.seconds),
                result.kept_share,
            ),
            result.status,
        )
        for run in context.runs
        for place, results in run.by_place(STUDY).items()
        for routine, found in _by_routine(results).items()
        if (result := _at_table_size(found)) is not None
    ]
    for machine, point in beside.points if rows else ():
        assert point.rate is not None
        routine = str(point.axes["routine"])
        rates = _rates(routine, point.rate / _directions(routine))
        texts = (f"{rate:.3g}" for rate in rates)
        cells = (beside.label(machine, point), routine_name(routine), None, *texts, None)
        rows.append(Row(cells, "published"))
    columns = (
        *words("where", "routine"),
        *(Column("time"), Column("GB/s per direction", FACTOR)),
        *(Column("GB/s as published", FACTOR), Column("kept", SHARE)),
    )
    caption = (
        "GB/s (10⁹) at 100,000 bytes. Per direction: the bytes that one rank sends, over the time. "
        "As published: the source halves every time, so MPI_Sendrecv, which is one "
        "exchange instead of a round trip, counts the bytes of both directions."
    )
    return Table(caption, columns, rows)


def _directions(routine: str) -> int:
    return 2 if routine == BOTH_WAYS else 1


def _rates(routine: str, rate: float) -> tuple[float, float]:
    """GB/s of one direction, and as published, of `rate` bytes per second in one direction."""
    return rate / 1e9, _directions(routine) * rate / 1e9


def _crossings(results: Sequence[CaseResult]) -> list[Crossover]:
    return find_crossovers(
        {
            routine_name(routine): intervals_of(found)
            for routine, found in _by_routine(results).items()
        }
    )


def _crossover_table(context: Context) -> Table:
    columns = (
        *(Column("where", WORDS), Column("faster up to", BYTES), Column("", WORDS)),
        *(Column("faster from", BYTES), Column("", WORDS)),
    )
    rows = [
        (
            _named(run, place, context.several),
            *(crossing.lower, crossing.small, crossing.upper, crossing.large),
        )
        for run in context.runs
        for place, results in run.by_place(STUDY).items()
        for crossing in _crossings(results)
    ]
    caption = (
        "Sizes at which one routine overtakes another, if their 95 % intervals do not overlap at "
        f"two sizes or more on either side. {kept_sentence(context.all_of(STUDY))}"
    )
    return Table(caption.rstrip(), columns, rows)


def _pieces(results: Sequence[CaseResult]) -> list[Piece]:
    return pieces(results, [step.upper for step in find_steps(curve_of(results))])


def _line_table(context: Context) -> Table:
    """Latency and rate of each routine, between its steps."""
    columns = (
        *words("where", "routine"),
        *(Column("from", BYTES), Column("to", BYTES), Column("latency", VALUE)),
        *(Column("interval", INTERVAL), Column("GB/s"), Column("interval")),
        Column("off by", SHARE),
    )
    rows = [
        (
            *(_named(run, place, context.several), routine_name(routine)),
            *(piece.first, piece.last, piece.latency, piece.latency),
            *(*_rate_cells(piece.per_byte), piece.misfit),
        )
        for run in context.runs
        for place, results in run.by_place(STUDY).items()
        for routine, found in _by_routine(results).items()
        for piece in _pieces(found)
    ]
    caption = (
        "Latency and bytes per second of each routine (Hockney's model), between the sizes at "
        "which its time steps, with 95 % intervals over launches; off by: how far "
        f"the sizes lie from that line, in the median. {kept_sentence(context.all_of(STUDY))}"
    )
    return Table(caption, columns, rows)


def _rate_cells(per_byte: Estimate) -> tuple[str, str]:
    """GB/s and their interval; none where bytes cost nothing that could be measured."""
    low, high = per_byte.low, per_byte.high
    if low is None or high is None or low <= 0:
        return NOTHING, NOTHING
    value, least, most = (units.three_digits(1e-9 / each) for each in (per_byte.value, high, low))
    return value, f"{least} to {most}"


def _answer(run: Measured, several: bool) -> list[str]:
    sentences = []
    for place, results in run.by_place(STUDY).items():
        at_size = {
            routine: result
            for routine, found in _by_routine(results).items()
            if routine != BOTH_WAYS and (result := _at_table_size(found)) is not None
        }
        if len(at_size) > 1 and (ranking := _ranking(at_size)):
            where = _named(run, place, several)
            sentences.append(sentence(f"{where}, 100,000 bytes: {ranking}."))
    return sentences


def _ranking(results: Mapping[str, CaseResult]) -> str:
    """The fastest, those not clearly slower, and the slowest; empty for a single launch."""
    ordered = sorted(results, key=lambda routine: results[routine].seconds)
    best, *others = ordered
    ratios = {routine: ratio_of(results[best], results[routine]) for routine in others}
    known = {routine: ratio for routine, ratio in ratios.items() if ratio is not None}
    if not known:
        return ""
    level = [routine for routine, ratio in known.items() if ratio.low is None or ratio.low <= 1]
    text = f"{routine_name(best)} is fastest"
    if level:
        slower = joined([routine_name(each) for each in level])
        text += f", but not clearly faster than {slower}"
    slowest = ordered[-1]
    if slowest in known and slowest not in level:
        text += f"; {routine_name(slowest)} takes {times(known[slowest])} as long"
    return text
