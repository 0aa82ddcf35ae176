# SPDX-License-Identifier: BSD-3-Clause
"""The least time in which MPI's messages move what is planned, by what a run has measured of them.

Messages of a rank overlap, so each counts as long as one of a window takes. The latency counts for
one message, and for each of a chain in which every message waits for the one before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from transrank.lab.stats.result import CaseResult
from transrank.lab.units import format_bytes, format_rate, format_seconds

WHERE = {"within_nodes": "within a node", "between_nodes": "between nodes"}
# Bytes up to which messages take hardly longer, and from which on rates hardly grow.
SHORT, LONG = 64, 1 << 20
# What the bound needs, and a study that shows more than one pair can do.
NEEDED, FURTHER = ("pingpong", "bandwidth"), ("fan",)
LEFT_OUT = (
    "The bound leaves out packing, waiting for other ranks and what ranks share, such as the link "
    "of a node, and it is one of MPI's messages: copies in shared memory can be faster."
)


@dataclass(frozen=True)
class LeastTime:
    """At least so many seconds, and why; None where nothing is measured.

    `missing` has the studies that the run lacks ``within_nodes`` or ``between_nodes``.
    """

    seconds: float | None
    why: str
    missing: Mapping[str, Sequence[str]]


def least_time(plan: Mapping[str, Any], results: Sequence[CaseResult]) -> LeastTime:
    """The least time of a plan with ``within_nodes``, ``between_nodes`` and ``ranks``.

    That is the longest of some times, each of which the plan takes at least.
    """
    terms: list[tuple[float, str]] = []
    chain: list[tuple[float, str]] = []
    missing = {}
    for side, where in WHERE.items():
        if plan[side]["messages"] == 0:
            continue
        here = [result for result in results if _side(result) == side]
        short = [result for result in here if (result.bytes or 0) <= SHORT]
        latency = min(filter(None, map(_seconds_of_one, short)), default=None)
        each = min(filter(None, map(_seconds_of_each, short)), default=None)
        moved = max(max(row[side]["bytes_out"], row[side]["bytes_in"]) for row in plan["ranks"])
        messages = max(row[side]["messages"] for row in plan["ranks"])
        # No message is longer than what the rank moves.
        longest = min((r.bytes for r in here if r.bytes and r.bytes >= moved), default=math.inf)
        rate = max((r.rate or 0 for r in here if (r.bytes or 0) <= longest), default=0)
        if all((r.bytes or 0) < min(moved, LONG) for r in here if r.study == NEEDED[1]):
            rate = 0
        measured = (latency is not None, each is not None and rate > 0)
        missing[side] = [
            name for name, is_there in zip(NEEDED, measured, strict=True) if not is_there
        ]
        if rate:
            why = f"a rank moves {format_bytes(moved)} {where}, at {format_rate(rate)} at most"
            terms.append((moved / rate, why))
        if each is not None:
            why = f"a rank sends {messages} messages {where}, {format_seconds(each)} each at least"
            terms.append((messages * each, why))
        if latency is not None:
            terms.append((latency, f"the latency {where} is {format_seconds(latency)}"))
            if waiting := plan[side]["chain"]:
                chain.append((waiting * latency, f"{waiting} {where}"))
    if chain:
        seconds, counts = zip(*chain, strict=True)
        terms.append((sum(seconds), f"messages that wait for each other, {' and '.join(counts)}"))
    least, why = max(terms, default=(None, "nothing is measured"))
    return LeastTime(least, why, {side: studies for side, studies in missing.items() if studies})


def _side(result: CaseResult) -> str | None:
    """Where the messages of a result went; None of others, or where that is unknown or mixed."""
    if result.study not in NEEDED + FURTHER or result.headline is None or result.placed is None:
        return None
    if result.placed.nodes == 1:
        return "within_nodes"
    return "between_nodes" if result.placed.most_on_a_node == 1 else None


def _seconds_of_one(result: CaseResult) -> float | None:
    """The time of a message alone."""
    return result.headline.value if result.study == NEEDED[0] and result.headline else None


def _seconds_of_each(result: CaseResult) -> float | None:
    """The time of each message of a window."""
    if result.study == NEEDED[0] or not result.bytes or result.headline is None:
        return None
    return result.headline.value * result.bytes / result.bytes_counted
