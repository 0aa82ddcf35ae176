# SPDX-License-Identifier: BSD-3-Clause
"""What does memory of another domain cost? Compared with the numbers of the HECToR guide."""

from __future__ import annotations

from collections.abc import Sequence

from transrank.lab import units
from transrank.lab.reference.tables import machine
from transrank.lab.report.curves import places_of
from transrank.lab.report.figures.category_panel import Value, category_panel, near_times
from transrank.lab.report.figures.figure import Figure, KeyEntry, Panel
from transrank.lab.report.figures.heat_panel import Cell, heat_panel
from transrank.lab.report.machine_run import machine_of
from transrank.lab.report.measured import Measured
from transrank.lab.report.palette import Palette
from transrank.lab.report.phrases import kept_sentence, time_with_interval
from transrank.lab.report.published import short_name, source_of
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.stats import locality
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.locality import STUDY, Locality, Worker

GUIDE = "xt6"
# Up to this number ranks are shown one by one; of more only the domains.
MOST_RANKS = 64
# Rows are many, and narrow.
ROW_PIXELS = 17
ARRANGEMENTS = {"own": "memory of its own", "exchanged": "half of the ranks on other memory"}
MATRIX_CAPTION = (
    "Time by the computing domain and the domain of the memory, as reported by the kernel: "
    "means over ranks of their medians over launches. All domains work at the same time."
)
DOT_CAPTION = (
    "Each rank's time, the fastest first, `rank ← rank that touched the memory first`, by the link "
    "between their domains."
)
GUIDE_CAPTION = (
    "The published times of threads with memory of their own, and with half of them on other "
    "memory. The guide's links are 24, 16 and 8 bits wide."
)


def ask(context: Context) -> Question | None:
    """Build the question; None when locality was not measured."""
    measured = [
        (run, one)
        for run in context.runs
        if machine_of(run.run) is None
        for one in locality.localities(run.counted_cases)
    ]
    shown = GUIDE in context.machines
    if not measured and not shown:
        return None
    figures = [
        figure
        for index, (run, one) in enumerate(measured)
        for figure in _figures(context, run, one, index)
    ]
    theirs = shown or any(one.kernel == "dgemm" for _, one in measured)
    if theirs:
        alike = shown or any(_like_guide(run, one) for run, one in measured)
        figures.append(_guide_figure(context.palette, alike))
    return Question(
        "locality",
        "What does memory of another domain cost?",
        tuple(text for run, one in measured for text in _answer(context, run, one)),
        tuple(figures),
        studies=(STUDY,),
        sources=(source_of(machine(GUIDE), (STUDY,)),) if theirs and not shown else (),
    )


def _figures(context: Context, run: Measured, one: Locality, index: int) -> list[Figure]:
    name, title = f"locality-{index}", _title(context, run, one)
    results = [r for r in run.of_study(STUDY) if r.axes.get("kernel") == one.kernel]
    kept = kept_sentence(results)
    figures = []
    cells = [
        Cell(str(domain), str(memory), seconds, *[units.format_seconds(seconds)] * 2)
        for (domain, memory), seconds in locality.matrix(one).items()
    ]
    if len(cells) > 1:
        reading = "; ".join(f"{cell.row} on memory of {cell.column}: {cell.text}" for cell in cells)
        panel = Panel(
            title,
            f"Time by computing domain and domain of the memory. {reading}.",
            heat_panel(cells, "computes in domain", "memory in domain", "var(--series-2)"),
        )
        figures.append(Figure(f"{name}-matrix", (panel,), MATRIX_CAPTION, (), "wide", kept))
    mine = [
        (words, locality.by_time(one.arrangements[arrangement]))
        for arrangement, words in ARRANGEMENTS.items()
        if one.arrangements.get(arrangement)
    ]
    if mine and one.kernel == "dgemm" and one.shape.ranks <= MOST_RANKS:
        panels = _side_by_side(context.palette, f"{title}: ", mine)
        key = _key(context.palette)
        figures.append(Figure(f"{name}-ranks", tuple(panels), DOT_CAPTION, key, "half", kept))
    return figures


def _guide_figure(palette: Palette, alike: bool) -> Figure:
    tables = list(zip(ARRANGEMENTS.values(), map(_of_guide, (2, 3)), strict=True))
    threads = units.counted(len(_of_guide(2)), "thread")
    reserve = "" if alike else ", not comparable"
    panels = _side_by_side(palette, f"{short_name(machine(GUIDE))}, {threads}{reserve}: ", tables)
    return Figure("locality-published", tuple(panels), GUIDE_CAPTION, _key(palette))


def _key(palette: Palette) -> tuple[KeyEntry, ...]:
    return tuple(KeyEntry(link, link, palette.style("link", link)) for link in locality.LINKS)


def _like_guide(run: Measured, one: Locality) -> bool:
    """Whether as many ranks were measured on one node as the guide had threads there."""
    here = [result for result in run.of_study(STUDY) if result.shape == one.shape]
    return (len(_of_guide(2)), True) in places_of(here)


def _title(context: Context, run: Measured, one: Locality) -> str:
    text = f"{one.kernel}, matrices of {one.order} rows, {one.shape}"
    return context.titled(run, text)


def _side_by_side(
    palette: Palette, prefix: str, tables: Sequence[tuple[str, Sequence[Worker]]]
) -> list[Panel]:
    """A panel per table, all on one axis."""
    # All links take their colours in the same order, whichever of them comes first.
    styles = {link: palette.style("link", link) for link in locality.LINKS}
    every = [worker.seconds for _, workers in tables for worker in workers]
    if not every:
        return []
    scale = near_times(every, "time per operation")
    panels = []
    for words, workers in tables:
        times = [
            Value.at(
                f"{worker.rank} ← {worker.toucher}",
                worker.link,
                styles[worker.link],
                Estimate(worker.seconds),
            )
            for worker in workers
        ]
        reading = "; ".join(f"{one.label} ({one.series}): {one.value:.5g} s" for one in times)
        spec = category_panel(times, scale, size="half", line_pixels=ROW_PIXELS)
        panels.append(Panel(prefix + words, f"{prefix}{words}. {reading}.", spec))
    return panels


def _of_guide(figure: int) -> list[Worker]:
    return locality.guide_workers([p for p in machine(GUIDE).points if p.axes["figure"] == figure])


def _answer(context: Context, run: Measured, one: Locality) -> list[str]:
    prefix = f"{_title(context, run, one)}: "
    links = locality.values_by_link(one)
    sentences = _one_domain(run, one) if len(links) < 2 else []
    if one.misplaced:
        sentences.append(
            f"For {units.counted(one.misplaced, 'measurement')} of a rank the kernel reported "
            "pages in another domain than the one that touched them first; these are left out."
        )
    if one.unverified:
        sentences.append(
            "The kernel did not report where all pages were; they are assumed to be in the domain "
            "that touched them first."
        )
    return [prefix + sentences[0], *sentences[1:]] if sentences else []


def _one_domain(run: Measured, one: Locality) -> list[str]:
    """The value of a domain's own memory, if no other memory was measured."""
    own = [
        result
        for result in run.of_study(STUDY)
        if (result.axes["kernel"], result.axes["order"], result.shape)
        == (one.kernel, one.order, one.shape)
    ]
    reason = next(iter(one.skipped.values()), "")
    why = f" ({reason})" if reason else ""
    return [
        f"only a domain's own memory was measured{why}; it takes {time_with_interval(result)}."
        for result in own
    ]
