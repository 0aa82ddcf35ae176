# SPDX-License-Identifier: BSD-3-Clause
"""Findings in sentences, of each rule the largest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from transrank.lab import units
from transrank.lab.findings.evidence import factor
from transrank.lab.findings.rule import Finding
from transrank.lab.findings.table import Findings
from transrank.lab.findings.values import PRINTED_ERROR
from transrank.lab.view.kinds import FACTOR, NUMBER, WORDS, ends
from transrank.lab.view.table import Column, Table, field

ASSUMED = (
    "What these numbers say of each other. They have no interval: 95 % are taken to be "
    f"within {units.format_percent(PRINTED_ERROR)}, at most one finding in twenty is chance."
)
# A sentence names no more, those with the largest numbers.
MOST = 3


COLUMNS = (
    Column("rule", WORDS, lambda one: one.worst.said, "said"),
    field("rule", lambda one: one.rule.name),
    field("statement", lambda one: one.rule.statement),
    field("rival", lambda one: one.rule.rival),
    Column("of", WORDS, lambda one: one.worst.subject, "subject"),
    Column("with", WORDS, lambda one: str(one.worst.shape)),
    field("ranks", lambda one: one.worst.shape.ranks),
    field("ranks_per_node", lambda one: one.worst.shape.ranks_per_node),
    Column("sizes", WORDS, lambda one: sizes(one) or None),
    field("first_bytes", lambda one: one.first),
    field("last_bytes", lambda one: one.last),
    field("bytes", lambda one: one.worst.bytes),
    Column("times", FACTOR, lambda one: one.worst.number.value, "factor"),
    Column("interval", NUMBER, lambda one: ends(one.worst.number)),
    field("factor_low", lambda one: one.worst.number.low),
    field("factor_high", lambda one: one.worst.number.high),
)


def sentences(findings: Findings) -> list[str]:
    """One for each thing that rules and models say, one for what is open; first what is assumed."""
    told = sorted(findings.broken, key=lambda one: one.worst.said)
    groups = {said: list(group) for said, group in groupby(told, lambda one: one.worst.said)}
    order = dict.fromkeys(one.worst.said for one in findings.broken)
    undecided = [f"{t.subject} {factor(t.number)}, p = {t.p_value:.2g}" for t in findings.open]
    found = [
        *(_sentence(said, groups[said]) for said in order),
        *findings.told,
        *([f"Open: {'; '.join(undecided)}."] if undecided else []),
    ]
    return [ASSUMED, *found] if found and findings.assumed else found


def as_json(findings: Findings) -> dict[str, Any]:
    """The sentences, and every rule that is broken with its number."""
    broken = Table("", COLUMNS, findings.broken)
    return {"sentences": sentences(findings), "broken": broken.records()}


def _sentence(said: str, found: Sequence[Finding]) -> str:
    worst = sorted(found, key=lambda one: -one.worst.number.value)[:MOST]
    more = f"; {len(found) - MOST} more" if len(found) > MOST else ""
    return f"{said}: {'; '.join(map(_phrase, worst))}{more}."


def _phrase(found: Finding) -> str:
    trial = found.worst
    of = [trial.subject, units.format_bytes(trial.bytes) if trial.bytes else ""]
    what = " of ".join(part for part in of if part)
    more = f" ({sizes(found)})" if found.first < found.last else ""
    return f"{factor(trial.number)} for {what} with {trial.shape}{more}"


def sizes(found: Finding) -> str:
    """`8 to 64 KiB`, of a finding at several sizes; empty where it has none."""
    first, last = units.format_bytes(found.first), units.format_bytes(found.last)
    if found.first == found.last:
        return last if found.last else ""
    return f"{first} to {last}"
