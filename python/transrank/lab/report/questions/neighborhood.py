# SPDX-License-Identifier: BSD-3-Clause
"""What does an exchange with neighbors cost? A panel per topology, a curve per way."""

from __future__ import annotations

from transrank.lab import units
from transrank.lab.report.curves import Curve, CurveGroup, arrange, namer, points_of
from transrank.lab.report.figures.curve_figure import curve_figure
from transrank.lab.report.figures.quantity import TIME
from transrank.lab.report.measured import Measured, telling_shape
from transrank.lab.report.phrases import joined, nearest, time_with_interval, times_as_long
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.stats.summary import CaseResult

STUDY = "neighborhood"
TOLD_BYTES = 4096
# What the others are held against: what solvers call.
BASELINE = "neighbor_alltoallv, blocking"
TOLD = ("neighbor_alltoallv, persistent", "messages, persistent", "exchange, persistent")

CAPTION = (
    "Time of the slowest rank from a common start over the block for one neighbor, with {shape}. "
    "Bands are 95 % intervals over launches, small dots are outlying launches."
)


def ask(context: Context) -> Question | None:
    """Build the question; None when no exchange with neighbors was measured."""
    results = [result for result in context.all_of(STUDY) if result.headline is not None]
    if not results:
        return None
    shape = telling_shape(results, *context.runs)
    groups = (
        arrange(context.results_of(STUDY), context.palette, namer(results))
        if context.several
        else _by_topology(context, [result for result in results if result.shape == shape])
    )
    figure = curve_figure("neighborhood", groups, TIME, CAPTION.format(shape=shape))
    return Question(
        "neighborhood",
        "What does an exchange with neighbors cost?",
        tuple(text for run in context.runs for text in _answer(run, context.several)),
        () if figure is None else (figure,),
        studies=(STUDY,),
    )


def _by_topology(context: Context, results: list[CaseResult]) -> list[CurveGroup]:
    panels: dict[str, dict[str, list[CaseResult]]] = {}
    for result in results:
        topology = str(result.axes["topology"])
        panels.setdefault(topology, {}).setdefault(_way(result), []).append(result)
    return [
        CurveGroup(
            topology,
            tuple(
                Curve(way, way, context.palette.style("neighbors", way), points_of(found))
                for way, found in ways.items()
            ),
            next(iter(ways.values()))[0],
        )
        for topology, ways in panels.items()
    ]


def _answer(run: Measured, several: bool) -> list[str]:
    """A sentence per topology: the collective that solvers call, and what others take of it."""
    results = [result for result in run.of_study(STUDY) if result.headline is not None]
    if not results:
        return []
    shape = telling_shape(results, run)
    texts = []
    for topology in dict.fromkeys(str(result.axes["topology"]) for result in results):
        ways: dict[str, list[CaseResult]] = {}
        for result in results:
            if (result.axes["topology"], result.shape) == (topology, shape):
                ways.setdefault(_way(result), []).append(result)
        base = nearest(ways.get(BASELINE, []), TOLD_BYTES)
        if base is None or base.bytes is None:
            continue
        size = base.bytes
        others = [
            f"{way} {ratio}"
            for way in TOLD
            for result in ways.get(way, [])
            if result.bytes == size and (ratio := times_as_long(base, result))
        ]
        said = (
            f"{run.name}: with" if several else "With"
        ) + f" {shape} on {topology}, {BASELINE}, takes {time_with_interval(base)} for blocks of "
        said += units.format_bytes(size)
        texts.append(f"{said}; as long as that take {joined(others)}." if others else f"{said}.")
    return texts


def _way(result: CaseResult) -> str:
    return f"{result.axes['operation']}, {result.axes['form']}"
