# SPDX-License-Identifier: BSD-3-Clause
"""What does a redistribution cost? Every way beside copies of as many bytes, and ESMF's options."""

from __future__ import annotations

from collections.abc import Sequence

from transrank import units
from transrank.report.figures.dot_panel import Dot, dot_panel
from transrank.report.figures.figure import Figure, KeyEntry, Panel
from transrank.report.measured import Measured
from transrank.report.palette import Palette
from transrank.report.phrases import joined, kept_sentence, sentence, time_with_interval
from transrank.report.questions.question import Context, Question
from transrank.report.tables import NOTHING, Column, Row, Table, interval_text
from transrank.stats.summary import CaseResult
from transrank.store.records import Shape

STUDY = "redistribute"
AUTO = "auto"
FLOORS = ("memcpy-once", "memcpy-per-field", "nontemporal")
MPI_ALONE = "mpi-"
# ESMF's default, what differs from it in one option, and what the source found of it.
DEFAULT = "async-per-peer-together"
OPTIONS = {
    "sync-per-peer-together": "one pair of peers after the other (sync)",
    "async-per-run-together": "a message for each box of cells (per-run)",
    "async-none-together": "a message for each contiguous run (none)",
    "async-per-peer-per-field": "one field after the other (per-field)",
}

CAPTION = (
    "Time until the slowest rank has its 8 fields, from a barrier on, the part that stays on its "
    "rank included (run), and time to make the route and bind it (store). The copies write as many "
    "bytes from memory of the rank's own: no way is faster. Lines are 95 % intervals."
)
TABLE_CAPTION = (
    "Redistribution of a bundle. “Smallest mean” is the published statistic: the least over "
    "launches of the mean over the samples of a launch."
)

Place = tuple[Shape, str, int]


def ask(context: Context) -> Question | None:
    """Build the question; None when nothing was redistributed."""
    if not context.all_of(STUDY):
        return None
    return Question(
        "redistribution",
        "What does a redistribution cost?",
        tuple(text for run in context.runs for text in _answer(run, context.several)),
        tuple(figure for run in context.runs if (figure := _figure(context, run)) is not None),
        tuple(_table(run, context.several) for run in context.runs if run.of_study(STUDY)),
        studies=(STUDY,),
    )


def _text(result: CaseResult, axis: str) -> str:
    return str(result.axes.get(axis, ""))


def _place(result: CaseResult) -> Place:
    return result.shape, _text(result, "grid"), int(result.axes.get("scale", 1))


def _title(place: Place) -> str:
    shape, grid, scale = place
    smaller = f", scaled down to 1/{scale} of its cells for want of memory" if scale > 1 else ""
    return f"{shape}, {grid}{smaller}"


def _figure(context: Context, run: Measured) -> Figure | None:
    results = run.of_study(STUDY)
    panels: list[Panel] = []
    key: dict[str, KeyEntry] = {}
    for place in sorted({_place(result) for result in results}):
        here = [result for result in results if _place(result) == place and result.headline]
        here.sort(key=lambda result: (_text(result, "phase"), _value(result)))
        dots = [_dot(context.palette, result) for result in here]
        key |= {dot.series: KeyEntry(dot.series, dot.series, dot.style) for dot in dots}
        if dots:
            panels.append(Panel(_title(place), _described(dots), dot_panel(dots, "half")))
    if not panels:
        return None
    name = f"redistribution-{run.run.header.run}" if context.several else "redistribution"
    caption = f"{run.name}: {CAPTION}" if context.several else CAPTION
    return Figure(name, tuple(panels), caption, tuple(key.values()), kept=kept_sentence(results))


def _value(result: CaseResult) -> float:
    return result.headline.value if result.headline is not None else float("inf")


def _dot(palette: Palette, result: CaseResult) -> Dot:
    assert result.headline is not None
    phase = _text(result, "phase")
    return Dot.at(_text(result, "way"), phase, palette.style("phase", phase), result.headline)


def _described(dots: Sequence[Dot]) -> str:
    told = [f"{dot.label} {dot.series} {units.format_seconds(dot.seconds)}" for dot in dots]
    return f"Times of redistributions. {'; '.join(told)}."


def _table(run: Measured, several: bool) -> Table:
    columns = (
        Column("where", number=False),
        Column("phase", number=False),
        Column("way", number=False),
        Column("time"),
        Column("95 % interval"),
        Column("smallest mean"),
        Column("kept"),
        Column("per rank"),
    )
    results = [result for result in run.of_study(STUDY) if result.headline is not None]
    results.sort(key=lambda result: (_place(result), _text(result, "phase"), _value(result)))
    rows = tuple(
        Row(
            (
                _title(_place(result)),
                _text(result, "phase"),
                _text(result, "way"),
                units.format_seconds(_value(result)),
                interval_text(result.headline),
                units.format_seconds(min(result.launch_imb)) if result.launch_imb else NOTHING,
                units.format_percent(result.kept) if result.samples else NOTHING,
                units.format_rate(result.rate) if result.rate is not None else NOTHING,
            )
        )
        for result in results
    )
    return Table(f"{run.name}: {TABLE_CAPTION}" if several else TABLE_CAPTION, columns, rows)


def _answer(run: Measured, several: bool) -> list[str]:
    results = [result for result in run.of_study(STUDY) if result.headline is not None]
    prefix = f"{run.name}: " if several else ""
    answers = []
    for place in sorted({_place(result) for result in results}):
        here = {
            (_text(result, "phase"), _text(result, "way")): result
            for result in results
            if _place(result) == place
        }
        runs = {way: result for (phase, way), result in here.items() if phase == "run"}
        answers += [f"{prefix}{text}" for text in (*_of_auto(place, runs), *_of_options(runs))]
    answers += [f"{prefix}{text}" for text in _of_store(results)]
    return [sentence(answer) for answer in answers]


def _of_auto(place: Place, runs: dict[str, CaseResult]) -> list[str]:
    auto = runs.get(AUTO)
    if auto is None:
        return []
    comparisons = []
    floors = [runs[name] for name in FLOORS if name in runs]
    if floors:
        floor = min(floors, key=_value)
        ratio = units.three_digits(_value(auto) / _value(floor))
        comparisons.append(f"{ratio} times the fastest copy of as many bytes ({_way(floor)})")
    alone = [result for way, result in runs.items() if way.startswith(MPI_ALONE)]
    if alone:
        best = min(alone, key=_value)
        ratio = units.three_digits(_value(best) / _value(auto))
        comparisons.append(
            f"the best way with MPI alone ({_way(best)}) takes {ratio} times as long"
        )
    text = f"with {_title(place)}, a bundle of 8 fields takes {time_with_interval(auto)}"
    return [f"{text}: {joined(comparisons)}." if comparisons else f"{text}."]


def _way(result: CaseResult) -> str:
    return _text(result, "way")


def _of_options(runs: dict[str, CaseResult]) -> list[str]:
    """What each option costs beside ESMF's default, in words."""
    default = runs.get(DEFAULT)
    told = [
        f"{words} takes {units.three_digits(_value(runs[way]) / _value(default))} times as long"
        for way, words in OPTIONS.items()
        if default is not None and way in runs
    ]
    if not told:
        return []
    return [f"beside ESMF's default, one message for each peer with all fields, {joined(told)}."]


def _of_store(results: Sequence[CaseResult]) -> list[str]:
    """Whether storing depends on the options or the grid."""
    stored = [result for result in results if _text(result, "phase") == "store"]
    if len(stored) < 2:
        return []
    least, most = min(stored, key=_value), max(stored, key=_value)
    return [
        f"to store takes from {units.format_seconds(_value(least))} ({_way(least)}, "
        f"{_text(least, 'grid')}) to {units.format_seconds(_value(most))} ({_way(most)}, "
        f"{_text(most, 'grid')}); the route in it is the same for all options, and the rest is "
        "buffers, and what ranks tell each other."
    ]
