# SPDX-License-Identifier: BSD-3-Clause
"""What does a piece cost that lies apart? Derived datatypes beside packing by hand."""

from __future__ import annotations

from transrank.lab import units
from transrank.lab.report.curves import arrange, namer
from transrank.lab.report.figures.curve_figure import curve_figure
from transrank.lab.report.figures.quantity import TIME
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import ends, joined
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.report.tables import Column, Row, Table
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.launches import mean_over
from transrank.lab.stats.summary import CaseResult

STUDY = "datatypes"
CONTIGUOUS = "contiguous"
BY = {"datatype": "by datatype", "by-hand": "by hand", "mpi-pack": "by MPI_Pack"}

CAPTION = (
    "Half a round trip over the bytes of the pieces, without their gaps. Bands are 95 % intervals "
    "over launches, small dots are outlying launches."
)
TABLE_CAPTION = (
    "What a message of pieces takes longer than one of as many bytes without gaps, divided by the "
    "pieces: the mean over launches with its 95 % interval. Of each size of pieces the largest "
    "message."
)


def ask(context: Context) -> Question | None:
    """Build the question; None when no pieces were measured."""
    results = context.all_of(STUDY)
    if not any(result.headline for result in results):
        return None
    figure = curve_figure(
        "datatypes",
        arrange(context.results_of(STUDY), context.palette, namer(results)),
        TIME,
        CAPTION,
    )
    rows, answers = [], []
    for run in context.runs:
        costs = [(result, cost) for result, cost in _costs(run) if cost is not None]
        rows += [
            Row((*((run.name,) if context.several else ()), *_cells(result, cost)))
            for result, cost in costs
        ]
        answers += [context.about(run, text) for text in _answer(costs)]
    headings = ("layout", "way", "piece", "bytes", "pieces", "per piece", "95 % interval")
    columns = tuple(Column(name, number=name not in headings[:2]) for name in headings)
    if context.several:
        columns = (Column("run", number=False), *columns)
    return Question(
        "datatypes",
        "What does a piece cost that lies apart?",
        tuple(answers),
        () if figure is None else (figure,),
        (Table(TABLE_CAPTION, columns, tuple(rows)),) if rows else (),
        (STUDY,),
    )


def _costs(run: Measured) -> list[tuple[CaseResult, Estimate | None]]:
    """Of each layout, way and length of a piece the largest message, and the cost of a piece."""
    results = [result for result in run.of_study(STUDY) if result.headline is not None]
    floors = {(r.bytes, r.shape): r for r in results if r.axes["layout"] == CONTIGUOUS}
    largest: dict[tuple[str, str, int], CaseResult] = {}
    for result in results:
        if result.axes["layout"] != CONTIGUOUS and (result.bytes, result.shape) in floors:
            key = (*_curve(result), int(result.axes["piece"]))
            known = largest.get(key)
            if known is None or (result.bytes or 0) > (known.bytes or 0):
                largest[key] = result
    return [
        (result, _per_piece(result, floors[result.bytes, result.shape]))
        for result in largest.values()
    ]


def _per_piece(result: CaseResult, floor: CaseResult) -> Estimate | None:
    ours, theirs = result.by_launch, floor.by_launch
    return mean_over(
        [(ours[each] - theirs[each]) / _pieces(result) for each in sorted(ours.keys() & theirs)]
    )


def _pieces(result: CaseResult) -> int:
    return (result.bytes or 0) // int(result.axes["piece"])


def _curve(result: CaseResult) -> tuple[str, str]:
    return str(result.axes["layout"]), str(result.axes["way"])


def _cells(result: CaseResult, cost: Estimate) -> tuple[str, ...]:
    return (
        *_curve(result),
        units.format_bytes(int(result.axes["piece"])),
        units.format_bytes(result.bytes or 0),
        str(_pieces(result)),
        units.format_seconds(cost.value),
        ends(cost, units.format_seconds),
    )


def _answer(costs: list[tuple[CaseResult, Estimate]]) -> list[str]:
    """A sentence per layout about its smallest pieces."""
    texts = []
    for layout in dict.fromkeys(_curve(result)[0] for result, _ in costs):
        here = [(result, cost) for result, cost in costs if _curve(result)[0] == layout]
        piece = min(int(result.axes["piece"]) for result, _ in here)
        said = [
            f"{units.format_seconds(cost.value)} {BY[_curve(result)[1]]} "
            f"({ends(cost, units.format_seconds)})"
            for result, cost in here
            if result.axes["piece"] == piece
        ]
        texts.append(
            f"a piece of {units.format_bytes(piece)} of {layout} layout costs {joined(said)}."
        )
    return texts
