# SPDX-License-Identifier: BSD-3-Clause
"""What does a piece cost that lies apart? Derived datatypes beside packing by hand."""

from __future__ import annotations

from collections.abc import Iterator

from transrank.lab import units
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import ends, joined
from transrank.lab.report.questions.question import Context
from transrank.lab.report.questions.study import Study
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.launches import mean_over
from transrank.lab.stats.summary import CaseResult
from transrank.lab.view.kinds import BYTES, NUMBER, VALUE, WORDS
from transrank.lab.view.table import Column, Table

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

# Of pairs: the largest message of pieces, and the cost of a piece in it.
COLUMNS = (
    Column("layout", WORDS, lambda pair: pair[0].text("layout")),
    Column("way", WORDS, lambda pair: pair[0].text("way")),
    Column("piece", BYTES, lambda pair: int(pair[0].axes["piece"])),
    Column("bytes", BYTES, lambda pair: pair[0].bytes or 0),
    Column("pieces", NUMBER, lambda pair: _pieces(pair[0])),
    Column("per piece", VALUE, lambda pair: pair[1]),
    Column("95 % interval", NUMBER, lambda pair: ends(pair[1], units.format_seconds)),
)


def _costs(run: Measured) -> list[tuple[CaseResult, Estimate]]:
    """Of each layout, way and length of a piece the largest message, and the cost of a piece."""
    results = run.of_study(STUDY.name)
    floors = {(r.bytes, r.shape): r for r in results if r.axes["layout"] == CONTIGUOUS}
    largest: dict[tuple[str, str, int], CaseResult] = {}
    for result in results:
        if result.axes["layout"] != CONTIGUOUS and (result.bytes, result.shape) in floors:
            key = (*_curve(result), int(result.axes["piece"]))
            known = largest.get(key)
            if known is None or (result.bytes or 0) > (known.bytes or 0):
                largest[key] = result
    return [
        (result, cost)
        for result in largest.values()
        if (cost := _per_piece(result, floors[result.bytes, result.shape])) is not None
    ]


def _per_piece(result: CaseResult, floor: CaseResult) -> Estimate | None:
    ours, theirs = result.by_launch, floor.by_launch
    return mean_over(
        [(ours[each] - theirs[each]) / _pieces(result) for each in sorted(ours.keys() & theirs)]
    )


def _pieces(result: CaseResult) -> int:
    return (result.bytes or 0) // int(result.axes["piece"])


def _curve(result: CaseResult) -> tuple[str, str]:
    return result.text("layout"), result.text("way")


def _said(run: Measured) -> list[str]:
    """A sentence per layout about its smallest pieces."""
    costs, texts = _costs(run), []
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


def _tables(context: Context) -> Iterator[Table]:
    costs = [(run.name, found) for run in context.runs for found in _costs(run)]
    yield context.table(TABLE_CAPTION, COLUMNS, costs)


STUDY = Study(
    "datatypes", "What does a piece cost that lies apart?", CAPTION, said=_said, tables=_tables
)
