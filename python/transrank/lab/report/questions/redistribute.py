# SPDX-License-Identifier: BSD-3-Clause
"""What does a redistribution cost? Every method, copies of as many bytes, and ESMF's options."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from transrank.lab import units
from transrank.lab.report.figures.category_panel import Value, times_figure
from transrank.lab.report.figures.figure import Figure
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import (
    joined,
    kept_sentence,
    time_with_interval,
    times,
    times_as_long,
)
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.report.tables import ENDS, KEPT, TIME, of_axis
from transrank.lab.stats.compare import ratio_of
from transrank.lab.stats.summary import CaseResult
from transrank.lab.store.records import Shape
from transrank.lab.view.kinds import RATE, SECONDS, WORDS
from transrank.lab.view.table import Column, Table

STUDY = "redistribute"
AUTO = "auto"
BLOCKS = "blocks"
FLOORS = ("memcpy-once", "memcpy-per-field", "nontemporal")
MPI_ALONE = "mpi-"
# ESMF's default, and the combinations that differ from it in one option.
DEFAULT = "async-per-peer-together"
OPTIONS = {
    "sync-per-peer-together": "one pair of peers at a time (sync)",
    "async-per-run-together": "a message for each box of cells, or run of a list (per-run)",
    "async-none-together": "a message for each contiguous run of a field (none)",
    "async-per-peer-per-field": "one field at a time (per-field)",
}
MODES = {
    "": "",
    "unmodified": "",
    "rewritten": ", fields rewritten before each run",
    "used": ", fields rewritten before each run and read after it",
    "cycle": ", fields rewritten before each run and read after it, both timed",
}
# From the published benchmark to programs, which write and read the fields in between.
NEARNESS = ("unmodified", "rewritten", "used")

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
    Column("where", WORDS, lambda result: _title(_place(result))),
    *(of_axis("phase"), of_axis("way"), TIME, ENDS),
    Column("smallest mean", SECONDS, lambda result: min(result.launch_imb, default=None)),
    KEPT,
    Column("per rank", RATE, lambda result: result.rate),
)

# Shape, grid, scale, layouts, parts, mode.
Place = tuple[Shape, str, int, str, str, str]


def ask(context: Context) -> Question | None:
    """Build the question; None when nothing was redistributed."""
    if not context.all_of(STUDY):
        return None
    return Question(
        "redistribution",
        "What does a redistribution cost?",
        context.said(_answer),
        tuple(figure for run in context.runs if (figure := _figure(context, run)) is not None),
        tuple(_table(context, run) for run in context.runs if run.of_study(STUDY)),
        studies=(STUDY,),
    )


def _place(result: CaseResult) -> Place:
    return (
        result.shape,
        result.text("grid"),
        int(result.axes.get("scale", 1)),
        result.text("layouts") or BLOCKS,
        result.text("parts"),
        result.text("mode"),
    )


def _title(place: Place) -> str:
    shape, grid, scale, _, parts, mode = place
    smaller = f", scaled down to 1/{scale} of its cells to fit the memory" if scale > 1 else ""
    source, _, destination = parts.partition("-")
    between = f" from {_side(source)} to {_side(destination)}" if parts else ""
    return f"{shape}, {grid}{smaller}{between}{MODES.get(mode, '')}"


def _side(parts: str) -> str:
    return "lists of cells" if parts == "lists" else f"{parts} blocks"


def _of_lists(place: Place) -> bool:
    return place[3] != BLOCKS


def _figure(context: Context, run: Measured) -> Figure | None:
    results = run.of_study(STUDY)
    panels = {}
    for place in sorted({_place(result) for result in results}):
        here = [result for result in results if _place(result) == place and result.headline]
        here.sort(key=lambda result: (result.text("phase"), result.seconds))
        panels[_title(place)] = [
            Value.of(each, each.text("way"), each.text("phase"), context.palette, "phase")
            for each in here
        ]
    name, caption = context.name("redistribution", run), context.about(run, CAPTION)
    return times_figure(name, panels, "Times of redistributions", caption, kept_sentence(results))


def _table(context: Context, run: Measured) -> Table:
    results = sorted(
        run.of_study(STUDY),
        key=lambda result: (_place(result), result.text("phase"), result.seconds),
    )
    return Table(context.about(run, TABLE_CAPTION), COLUMNS, results)


def _answer(run: Measured) -> list[str]:
    results = run.of_study(STUDY)
    answers = []
    for place in _reported(results):
        here = {
            (result.text("phase"), result.text("way")): result
            for result in results
            if _place(result) == place
        }
        runs = {way: result for (phase, way), result in here.items() if phase == "run"}
        answers += [*_of_auto(place, runs), *_of_options(place, runs)]
    return [*answers, *_of_grids(results), *_of_store(results)]


def telling(results: Sequence[CaseResult]) -> tuple[CaseResult | None, CaseResult | None]:
    """The library's choice between blocks in the widest shape, and its memory floor."""
    results = [result for result in results if result.headline is not None]
    for place in sorted(_reported(results), key=lambda place: -place[0].ranks):
        runs = {
            result.text("way"): result
            for result in results
            if _place(result) == place and result.text("phase") == "run"
        }
        if AUTO in runs and not _of_lists(place):
            return runs[AUTO], _floor(runs)
    return None, None


def _floor(runs: Mapping[str, CaseResult]) -> CaseResult | None:
    return min(
        (runs[name] for name in FLOORS if name in runs),
        key=lambda result: result.seconds,
        default=None,
    )


def _reported(results: Sequence[CaseResult]) -> list[Place]:
    """The places that sentences report, each in the mode closest to real programs."""
    places = sorted({_place(result) for result in results})
    nearest: dict[tuple[object, ...], int] = {}
    for *where, mode in places:
        if mode in NEARNESS:
            key = tuple(where)
            nearest[key] = max(nearest.get(key, 0), NEARNESS.index(mode))
    return [
        place
        for place in places
        if place[5] not in NEARNESS or NEARNESS.index(place[5]) == nearest[place[:5]]
    ]


def _of_auto(place: Place, runs: dict[str, CaseResult]) -> list[str]:
    auto = runs.get(AUTO)
    if auto is None:
        return []
    comparisons = []
    floor = _floor(runs)
    if floor is not None and (ratio := times_as_long(floor, auto)):
        comparisons.append(
            f"{ratio} its memory floor, the fastest copy of as many bytes ({floor.text('way')})"
        )
    alone = [result for way, result in runs.items() if way.startswith(MPI_ALONE)]
    best = min(alone, key=lambda result: result.seconds, default=None)
    if best is not None and (ratio := times_as_long(auto, best)):
        comparisons.append(
            f"the fastest method with MPI alone ({best.text('way')}) takes {ratio} as long"
        )
    text = f"with {_title(place)}, a bundle of 8 fields takes {time_with_interval(auto)}"
    return [f"{text}: {joined(comparisons)}." if comparisons else f"{text}."]


def _of_options(place: Place, runs: dict[str, CaseResult]) -> list[str]:
    """The cost of each option compared with ESMF's default, in words."""
    default = runs.get(DEFAULT)
    texts = [
        f"{words} takes {ratio} as long"
        for way, words in OPTIONS.items()
        if default is not None and way in runs and (ratio := times_as_long(default, runs[way]))
    ]
    if not texts:
        return []
    where = f"with {_title(place)}, " if _of_lists(place) or place[5] else ""
    text = f"{where}compared with ESMF's default, one message per peer with all fields, "
    return [f"{text}{joined(texts)}."]


def _of_grids(results: Sequence[CaseResult]) -> list[str]:
    """The largest grid against the smallest, by the library's choice."""
    texts = []
    for found in _autos(results, leave_out=(1, 2, 4)):
        least, most = min(found, key=_cells), max(found, key=_cells)
        cells = _cells(most) / _cells(least)
        ratio = ratio_of(least, most)
        if cells > 1 and ratio is not None:
            texts.append(
                f"with {most.shape}{_mode(most)} the larger grid ({most.text('grid')}) has "
                f"{units.three_digits(cells)} times the cells of the smaller "
                f"({least.text('grid')}) and takes {times(ratio)} as long: "
                f"{times(ratio.scaled(1 / cells))} as long per cell."
            )
    return texts


def _autos(results: Sequence[CaseResult], leave_out: Sequence[int]) -> list[list[CaseResult]]:
    """Runs between blocks by the library's choice whose places differ only in `leave_out`."""
    found: dict[tuple[object, ...], list[CaseResult]] = {}
    for result in results:
        place = _place(result)
        if (result.text("phase"), result.text("way"), place[3]) == ("run", AUTO, BLOCKS):
            key = tuple(None if i in leave_out else word for i, word in enumerate(place))
            found.setdefault(key, []).append(result)
    return list(found.values())


def _mode(result: CaseResult) -> str:
    return MODES.get(result.text("mode"), "")


def _cells(result: CaseResult) -> float:
    extents = [int(extent) for extent in result.text("grid").split("x")]
    return math.prod(extents) / int(result.axes.get("scale", 1))


def _of_store(results: Sequence[CaseResult]) -> list[str]:
    """The fastest and the slowest store between blocks."""
    stored = [
        result
        for result in results
        if result.text("phase") == "store" and not _of_lists(_place(result))
    ]
    if len(stored) < 2:
        return []
    least, most = (
        f"{result.text('way')} on {result.text('grid')}, {time_with_interval(result)}"
        for result in (
            min(stored, key=lambda result: result.seconds),
            max(stored, key=lambda result: result.seconds),
        )
    )
    return [f"the fastest store is {least}; the slowest is {most}."]
