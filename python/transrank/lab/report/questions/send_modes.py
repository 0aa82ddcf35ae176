# SPDX-License-Identifier: BSD-3-Clause
"""Which send routine is fastest? One ping-pong with each of MPI's send routines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from transrank.lab import units
from transrank.lab.findings.crossovers import find_crossovers
from transrank.lab.findings.steps import find_steps
from transrank.lab.findings.values import curve_of
from transrank.lab.report.curves import intervals_of, places_of
from transrank.lab.report.measured import (
    BETWEEN_NODES,
    SOMEWHERE,
    WITHIN_A_NODE,
    Measured,
    place_of,
)
from transrank.lab.report.phrases import kept_sentence
from transrank.lab.report.published import Published, Source, published
from transrank.lab.report.questions.question import Context
from transrank.lab.report.questions.study import Study
from transrank.lab.report.tables import words
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.hockney import Piece, pieces
from transrank.lab.stats.summary import CaseResult
from transrank.lab.view.kinds import BYTES, FACTOR, INTERVAL, SHARE, VALUE, WORDS
from transrank.lab.view.table import NOTHING, Column, Row, Table

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


def routine_name(routine: str) -> str:
    """The name as MPI spells it: `MPI_Bsend`, `persistent MPI_Send`."""
    if routine.startswith("persistent"):
        return "persistent MPI_Send"
    return f"MPI_{routine.capitalize()}"


# The results of a routine between two ranks, by the words for where.
Routines = dict[tuple[str, str], list[CaseResult]]


def _routines(context: Context, run: Measured) -> Routines:
    found: Routines = {}
    for result in STUDY.of(run):
        where = context.titled(run, WHERE[place_of(result)])
        found.setdefault((where, result.text("routine")), []).append(result)
    return found


def _every_routine(context: Context) -> Iterator[tuple[str, str, list[CaseResult]]]:
    for run in context.runs:
        for (where, routine), results in _routines(context, run).items():
            yield where, routine, results


def _tables(context: Context) -> Iterator[Table]:
    yield _rate_table(context, _published(context))
    yield _crossover_table(context)
    yield _line_table(context)


def _published(context: Context) -> Published:
    places = places_of(context.all_of(STUDY.name))
    return published((STUDY.name,), places, without=context.machines)


def _sources(context: Context) -> tuple[Source, ...]:
    return _published(context).sources


def _at_table_size(results: Sequence[CaseResult]) -> CaseResult | None:
    return next((result for result in results if result.bytes == TABLE_BYTES), None)


def _rate_table(context: Context, beside: Published) -> Table:
    """GB/s at 100,000 bytes: one direction's bytes, and all bytes as the source counted them."""
    rows = [
        Row(
            (
                *(where, routine_name(routine)),
                units.format_seconds(result.seconds)
                + (" (wide)" if result.status == "wide" else ""),
                *_rates(routine, TABLE_BYTES / result.seconds),
                result.kept_share,
            ),
            result.status,
        )
        for where, routine, found in _every_routine(context)
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


def _crossover_table(context: Context) -> Table:
    columns = (
        *(Column("where", WORDS), Column("faster up to", BYTES), Column("", WORDS)),
        *(Column("faster from", BYTES), Column("", WORDS)),
    )
    curves: dict[str, dict[str, dict[int, Estimate]]] = {}
    for where, routine, results in _every_routine(context):
        curves.setdefault(where, {})[routine_name(routine)] = intervals_of(results)
    rows = [
        (where, crossing.lower, crossing.small, crossing.upper, crossing.large)
        for where, of_place in curves.items()
        for crossing in find_crossovers(of_place)
    ]
    caption = (
        "Sizes at which one routine overtakes another, if their 95 % intervals do not overlap at "
        f"two sizes or more on either side. {kept_sentence(context.all_of(STUDY.name))}"
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
            *(where, routine_name(routine)),
            *(piece.first, piece.last, piece.latency, piece.latency),
            *(*_rate_cells(piece.per_byte), piece.misfit),
        )
        for where, routine, found in _every_routine(context)
        for piece in _pieces(found)
    ]
    caption = (
        "Latency and bytes per second of each routine (Hockney's model), between the sizes at "
        "which its time steps, with 95 % intervals over launches; off by: how far "
        f"the sizes lie from that line, in the median. {kept_sentence(context.all_of(STUDY.name))}"
    )
    return Table(caption, columns, rows)


def _rate_cells(per_byte: Estimate) -> tuple[str, str]:
    """GB/s and their interval; none where bytes cost nothing that could be measured."""
    low, high = per_byte.low, per_byte.high
    if low is None or high is None or low <= 0:
        return NOTHING, NOTHING
    value, least, most = (units.three_digits(1e-9 / each) for each in (per_byte.value, high, low))
    return value, f"{least} to {most}"


STUDY = Study(
    "send-modes",
    "Which send routine is fastest?",
    CAPTION,
    way=("routine",),
    label=routine_name,
    where=lambda result: WHERE[place_of(result)],
    chosen=lambda run: chain.from_iterable(run.by_place("send-modes").values()),
    baseline=("send",),
    rivals={name: routine_name(name) for name in ("bsend", "ssend", "isend", "persistent")},
    told=TABLE_BYTES,
    tables=_tables,
    sources=_sources,
)
