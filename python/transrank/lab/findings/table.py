# SPDX-License-Identifier: BSD-3-Clause
"""All rules, and what they find in the numbers of a run. A new rule is a file and a row here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from transrank.lab.findings import curves, groups, guidelines, models, neighbors, ranks
from transrank.lab.findings.rule import Finding, Rule, Trial
from transrank.lab.findings.values import Numbers
from transrank.lab.stats.discoveries import discoveries
from transrank.lab.store.lines import Shape

RULES: tuple[Rule, ...] = (
    guidelines.RULE,
    curves.MONOTONY,
    curves.SPLITTING,
    curves.STEP,
    neighbors.RULE,
    ranks.GROWTH,
    ranks.TOTAL,
    groups.SHAPES,
    groups.MEMORIES,
)
# What tells numbers of a model, and which of two models they are nearer to.
MODELS: tuple[Callable[[Numbers], Iterator[str]], ...] = (
    models.starts,
    models.squares,
    models.copies,
    models.bisection,
)


@dataclass(frozen=True, slots=True)
class Findings:
    """Rules that are broken, trials that should decide and do not, and what models say.

    `assumed` if they rest on errors that are assumed.
    """

    broken: Sequence[Finding]
    open: Sequence[Trial]
    told: Sequence[str]
    assumed: bool = False


def find(numbers: Numbers) -> Findings:
    """What is believed at a false discovery rate of 5 % over all rules, sizes and shapes.

    A step that takes longer than two of half its size is told of as that alone.
    """
    tried = [(rule, trial) for rule in RULES for trial in rule.trials(numbers)]
    real = discoveries([trial.p_value for _, trial in tried])
    believed = {trial: rule for (rule, trial), each in zip(tried, real, strict=True) if each}
    split = {_place(trial) for trial, rule in believed.items() if rule is curves.SPLITTING}
    by_curve: dict[object, list[Trial]] = {}
    for rule, trial in tried:
        by_curve.setdefault((rule, trial.said, *_place(trial)[:2]), []).append(trial)
    told = {
        trial: rule
        for trial, rule in believed.items()
        if rule is not curves.STEP or _place(trial) not in split
    }
    return Findings(
        [finding for curve in by_curve.values() for finding in _merged(curve, told)],
        [trial for _, trial in tried if trial.asked and trial not in believed],
        [text for model in MODELS for text in model(numbers)],
        numbers.assumed,
    )


def _place(trial: Trial) -> tuple[str, Shape, int]:
    return trial.subject, trial.shape, trial.bytes


def _merged(curve: Sequence[Trial], told: Mapping[Trial, Rule]) -> Iterator[Finding]:
    """One finding for neighboring sizes of a curve that break a rule."""
    by_size = sorted(curve, key=lambda trial: trial.bytes)
    for broken, group in groupby(by_size, lambda trial: trial in told):
        trials = list(group)
        if broken:
            worst = max(trials, key=lambda trial: trial.number.value)
            yield Finding(told[worst], worst, trials[0].bytes, trials[-1].bytes)
