# SPDX-License-Identifier: BSD-3-Clause
"""What does a redistribution cost? Every method, copies of as many bytes, and ESMF's options."""

from __future__ import annotations

import math
from collections.abc import Iterator

from transrank.lab import units
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import times
from transrank.lab.report.questions.question import Context
from transrank.lab.report.questions.study import Study
from transrank.lab.report.tables import ENDS, KEPT, TIME, of_axis
from transrank.lab.stats.compare import ratio_of
from transrank.lab.stats.summary import CaseResult
from transrank.lab.view.kinds import RATE, SECONDS, WORDS
from transrank.lab.view.table import Column, Table

AUTO = "auto"
# ESMF's default: one message per peer with all fields; and what differs from it in one option.
DEFAULT = "async-per-peer-together"
OPTIONS = {
    "sync-per-peer-together": "one pair of peers at a time (sync)",
    "async-per-run-together": "a message for each box of cells, or run of a list (per-run)",
    "async-none-together": "a message for each contiguous run of a field (none)",
    "async-per-peer-per-field": "one field at a time (per-field)",
}
MODES = {
    "rewritten": ", fields rewritten before each run",
    "used": ", fields rewritten before each run and read after it",
    "cycle": ", fields rewritten before each run and read after it, both timed",
}

CAPTION = (
    "Run: time from a barrier until the slowest rank has its 8 fields, including the part that "
    "stays on its rank. Store: time to make the route and bind it. The copies write as many "
    "bytes from the rank's own memory. Lines are 95 % intervals."
)
TABLE_CAPTION = (
    "Redistribution of a bundle. “Smallest mean” is the published statistic: the smallest over "
    "launches of the mean over the samples of a launch; with --count 50 and --launches 10, as "
    "published, the smallest of 10 means of 50."
)

COLUMNS = (
    Column("where", WORDS, lambda result: STUDY.title(result)),
    *(of_axis("phase"), of_axis("way"), TIME, ENDS),
    Column("smallest mean", SECONDS, lambda result: min(result.launch_imb, default=None)),
    KEPT,
    Column("per rank", RATE, lambda result: result.rate),
)


def _where(result: CaseResult) -> str:
    scale = int(result.axes.get("scale", 1))
    smaller = f", scaled down to 1/{scale} of its cells to fit the memory" if scale > 1 else ""
    source, _, destination = result.text("parts").partition("-")
    between = f" from {_side(source)} to {_side(destination)}" if source else ""
    return f"{result.text('grid')}{smaller}{between}{MODES.get(result.text('mode'), '')}"


def _side(parts: str) -> str:
    return "lists of cells" if parts == "lists" else f"{parts} blocks"


def _tables(context: Context) -> Iterator[Table]:
    rows = [(run.name, result) for run in context.runs for result in run.of_study(STUDY.name)]
    rows.sort(key=lambda row: (row[0], STUDY.title(row[1]), row[1].text("phase"), row[1].seconds))
    yield context.table(TABLE_CAPTION, COLUMNS, rows)


def _grids(run: Measured) -> Iterator[str]:
    """The largest grid against the smallest, by the library's choice."""
    grids: dict[tuple[object, ...], list[CaseResult]] = {}
    for result in run.of_study(STUDY.name):
        if result.text("phase") == "run" and result.text("way") == AUTO:
            key = (result.shape, *map(result.text, ("mode", "layouts")))
            grids.setdefault(key, []).append(result)
    for found in grids.values():
        least, most = min(found, key=_cells), max(found, key=_cells)
        cells = _cells(most) / _cells(least)
        ratio = ratio_of(least, most)
        if cells > 1 and ratio is not None:
            yield (
                f"with {most.shape}{MODES.get(most.text('mode'), '')} the larger grid "
                f"({most.text('grid')}) has {units.three_digits(cells)} times the cells of the "
                f"smaller ({least.text('grid')}) and takes {times(ratio)} as long: "
                f"{times(ratio.scaled(1 / cells))} as long per cell."
            )


def _cells(result: CaseResult) -> float:
    extents = [int(extent) for extent in result.text("grid").split("x")]
    return math.prod(extents) / int(result.axes.get("scale", 1))


STUDY: Study = Study(
    "redistribute",
    "What does a redistribution cost?",
    CAPTION,
    "redistribution",
    way=("way",),
    where=_where,
    marks=("phase", "run", "store"),
    baseline=(AUTO, DEFAULT),
    floors=("memcpy-once", "memcpy-per-field", "nontemporal"),
    rivals={"mpi-*": "MPI alone", **OPTIONS},
    subject=lambda result: f"a bundle of 8 fields by {result.text('way')}",
    said=_grids,
    tables=_tables,
    follows=("parts", "from", "to"),
    work="all",
)
