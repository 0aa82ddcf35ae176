# SPDX-License-Identifier: BSD-3-Clause
"""Which run is faster? Verdicts of every run against the first."""

from __future__ import annotations

from collections.abc import Sequence

from transrank.lab import units
from transrank.lab.report.figures.category_panel import (
    Value,
    category_panel,
    deviations,
    in_words,
    key_of,
)
from transrank.lab.report.figures.figure import Figure, KeyEntry, Panel
from transrank.lab.report.machine_run import machine_of
from transrank.lab.report.measured import Measured
from transrank.lab.report.palette import Palette
from transrank.lab.report.phrases import joined, kept_share
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.stats.compare import VERDICTS, Verdict, summarise_family
from transrank.lab.stats.conditions import differences
from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.pairs import are_paired, variant_of
from transrank.lab.stats.trust import is_noise
from transrank.lab.stats.two_runs import compare_runs
from transrank.lab.view.kinds import VALUE, WORDS, Kind
from transrank.lab.view.table import Column, Table

THRESHOLD = 0.05
MOST_ROWS = 30
# The most that an axis of changes reaches for the sake of intervals; longer ones are cut.
WIDEST = 1.0


def ask(context: Context) -> Question | None:
    """Build the question; None with a single run, machines aside."""
    measured = [run for run in context.runs if machine_of(run.run) is None]
    if len(measured) < 2:
        return None
    baseline, *others = measured
    sentences, figures, tables = [], [], []
    for place, run in enumerate(others):
        verdicts = compare_runs(baseline.run, run.run, THRESHOLD).verdicts
        sentences.append(verdict_sentence(baseline, run, verdicts))
        paired = are_paired(baseline.run, run.run)
        unlike = [] if paired else differences(baseline.run, run.run)
        if unlike:
            sentences.append(f"The runs also differ otherwise: {'; '.join(unlike)}.")
        if drawn := _figure(f"comparison-{place}", baseline, run, verdicts, context.palette):
            figures.append(drawn)
        table = _table(baseline, run, verdicts)
        if table.rows:
            tables.append(table)
    return Question(
        "comparison", "Which run is faster?", tuple(sentences), tuple(figures), tuple(tables)
    )


def verdict_sentence(baseline: Measured, run: Measured, verdicts: Sequence[Verdict]) -> str:
    """Count the verdicts: `B against A: faster in 12 cases, slower in 3, ...`."""
    counts = summarise_family(verdicts, THRESHOLD).counts
    total = len(verdicts)
    names = [variant_of(one.run) or one.name for one in (run, baseline)]
    if counts["missing"] == total:
        return f"{run.name} and {baseline.name} have no case in common."
    parts = [f"{counts[name]} {name}" for name in VERDICTS if counts[name]]
    return (
        f"{names[0]} against {names[1]}, {units.counted(total, 'case')}: {joined(parts)}. Slower "
        f"or faster means that the whole 95 % interval of the ratio lies beyond "
        f"{units.format_percent(THRESHOLD)}, also after correction for the number of cases."
    )


def _figure(
    name: str,
    baseline: Measured,
    run: Measured,
    verdicts: Sequence[Verdict],
    palette: Palette,
) -> Figure | None:
    """The change of time in each case; of many cases, in those that changed most."""
    shown = [one for one in verdicts if one.ratio is not None and not is_noise(one.ratio)]
    left_out = len(shown) - MOST_ROWS
    if left_out > 0:
        most = sorted(shown, key=lambda one: -_factor(one))[:MOST_ROWS]
        shown = [one for one in shown if one in most]
    if not shown:
        return None
    panels: list[Panel] = []
    keys: dict[str, KeyEntry] = {}
    subject = f"Change of time from {baseline.name} to {run.name}, with 95 % intervals"
    edge = _edge(shown)
    for study in dict.fromkeys(one.case.split("/")[0] for one in shown):
        of_study = [one for one in shown if one.case.split("/")[0] == study]
        labels = _labels([[*one.case.split("/"), str(one.shape)] for one in of_study])
        values = [_value(*pair, palette) for pair in zip(labels, of_study, strict=True)]
        scale = deviations(edge, "change of time")
        description = f"{study}: {subject}: {in_words(values, scale)}."
        panels.append(Panel(study, description, category_panel(values, scale)))
        keys |= key_of(values)
    rest = f"; the {MOST_ROWS} of {len(shown) + left_out} that changed most" if left_out > 0 else ""
    caption = f"{subject}{rest}. Left of zero {run.name} is faster."
    return Figure(name, tuple(panels), caption, tuple(keys.values()), "wide")


def _edge(shown: Sequence[Verdict]) -> float:
    """How far the axis reaches to either side: all values, and intervals within reason."""
    values = [abs(one.ratio.value - 1) for one in shown if one.ratio]
    ends = [abs((one.ratio.high or 1) - 1) for one in shown if one.ratio]
    return max(1.1 * max(values), min(1.1 * max(ends), WIDEST), THRESHOLD)


def _labels(words: Sequence[Sequence[str]]) -> list[str]:
    """What distinguishes cases from each other: the words that not all of them have."""
    if len({len(each) for each in words}) > 1:
        return ["/".join(each) for each in words]
    telling = [place for place, column in enumerate(zip(*words, strict=True)) if len({*column}) > 1]
    return [" ".join(each[place] for place in telling or [-2]) for each in words]


def _value(label: str, verdict: Verdict, palette: Palette) -> Value:
    ratio = verdict.ratio
    assert ratio is not None
    low = ratio.value if ratio.low is None else ratio.low
    high = ratio.value if ratio.high is None else ratio.high
    style = palette.style("verdict", verdict.verdict)
    return Value(label, verdict.verdict, style, ratio.value - 1, low - 1, high - 1, "change")


def _table(baseline: Measured, run: Measured, verdicts: Sequence[Verdict]) -> Table:
    clear = [v for v in verdicts if v.verdict in ("faster", "slower") and v.ratio is not None]
    clear.sort(key=lambda v: -_factor(v))
    more = f"; the {MOST_ROWS} largest of {len(clear)}" if len(clear) > MOST_ROWS else ""
    return Table(
        f"Cases in which {run.name} is clearly faster or slower{more}; samples: "
        f"{kept_share(baseline.results)} in {baseline.name}, {kept_share(run.results)} in "
        f"{run.name}",
        (
            Column("case", WORDS, lambda verdict: verdict.case),
            Column("ranks", WORDS, lambda verdict: str(verdict.shape)),
            Column(baseline.name, VALUE, lambda verdict: verdict.baseline),
            Column(run.name, VALUE, lambda verdict: verdict.candidate),
            Column("change of time (95 %)", CHANGE, lambda verdict: verdict.ratio),
            Column("verdict", WORDS, lambda verdict: verdict.verdict),
        ),
        clear[:MOST_ROWS],
    )


def _factor(verdict: Verdict) -> float:
    assert verdict.ratio is not None
    ratio = verdict.ratio.value
    return max(ratio, 1 / ratio) if ratio > 0 else 0.0


def _change(ratio: Estimate) -> str | None:
    if ratio.low is None or ratio.high is None:
        return None
    return f"{100 * (ratio.low - 1):+.1f} to {100 * (ratio.high - 1):+.1f} %"


CHANGE = Kind(_change)
