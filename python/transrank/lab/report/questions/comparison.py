# SPDX-License-Identifier: BSD-3-Clause
"""Which run is faster? Verdicts of every run against the first."""

from __future__ import annotations

from collections.abc import Sequence

from transrank.lab import units
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import joined, kept_share
from transrank.lab.report.questions.question import Context, Question
from transrank.lab.report.tables import NOTHING, Column, Row, Table
from transrank.lab.stats.compare import VERDICTS, Verdict, compare_results, summarise_family
from transrank.lab.stats.conditions import differences

THRESHOLD = 0.05
MOST_ROWS = 30


def ask(context: Context) -> Question | None:
    """Build the question; None with a single run."""
    if not context.several:
        return None
    baseline, *others = context.runs
    sentences, tables = [], []
    for run in others:
        verdicts = compare_results(baseline.results, run.results, THRESHOLD)
        sentences.append(verdict_sentence(baseline, run, verdicts))
        unlike = differences(baseline.run, run.run)
        if unlike:
            sentences.append(f"The runs also differ otherwise: {'; '.join(unlike)}.")
        table = _table(baseline, run, verdicts)
        if table.rows:
            tables.append(table)
    return Question("comparison", "Which run is faster?", tuple(sentences), tables=tuple(tables))


def verdict_sentence(baseline: Measured, run: Measured, verdicts: Sequence[Verdict]) -> str:
    """Count the verdicts: `B against A: faster in 12 cases, slower in 3, ...`."""
    counts = summarise_family(verdicts, THRESHOLD).counts
    total = len(verdicts)
    if counts["missing"] == total:
        return f"{run.name} and {baseline.name} have no case in common."
    parts = [f"{counts[name]} {name}" for name in VERDICTS if counts[name]]
    return (
        f"{run.name} against {baseline.name}, {total} cases: {joined(parts)}. Slower or faster "
        f"means that the whole 95 % interval of the ratio lies beyond "
        f"{units.format_percent(THRESHOLD)}, also after correction for the number of cases."
    )


def _table(baseline: Measured, run: Measured, verdicts: Sequence[Verdict]) -> Table:
    clear = [v for v in verdicts if v.verdict in ("faster", "slower") and v.ratio is not None]
    clear.sort(key=lambda v: -abs(_log_ratio(v)))
    more = f"; the {MOST_ROWS} largest of {len(clear)}" if len(clear) > MOST_ROWS else ""
    columns = (
        Column("case", number=False),
        Column("ranks", number=False),
        Column(baseline.name),
        Column(run.name),
        Column("change of time (95 %)"),
        Column("verdict", number=False),
    )
    return Table(
        f"Cases in which {run.name} is clearly faster or slower{more}; samples: "
        f"{kept_share(baseline.results)} in {baseline.name}, {kept_share(run.results)} in "
        f"{run.name}",
        columns,
        tuple(_row(verdict) for verdict in clear[:MOST_ROWS]),
    )


def _log_ratio(verdict: Verdict) -> float:
    assert verdict.ratio is not None
    ratio = verdict.ratio.value
    return max(ratio, 1 / ratio) if ratio > 0 else 0.0


def _row(verdict: Verdict) -> Row:
    assert verdict.baseline is not None
    assert verdict.candidate is not None
    return Row(
        (
            verdict.case,
            str(verdict.shape),
            units.format_seconds(verdict.baseline.value),
            units.format_seconds(verdict.candidate.value),
            _change(verdict),
            verdict.verdict,
        )
    )


def _change(verdict: Verdict) -> str:
    ratio = verdict.ratio
    if ratio is None or ratio.low is None or ratio.high is None:
        return NOTHING
    return f"{100 * (ratio.low - 1):+.1f} to {100 * (ratio.high - 1):+.1f} %"
