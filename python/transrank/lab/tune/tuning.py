# SPDX-License-Identifier: BSD-3-Clause
"""From what a library can be made to do to a file that is proved to be better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from transrank.errors import RecordError
from transrank.lab.stats.compare import paired_ratio
from transrank.lab.stats.estimate import Estimate
from transrank.lab.tune.campaign import DEFAULT, Campaign, NothingLeftError, Seconds
from transrank.lab.tune.choice import Range, Times, choose
from transrank.lab.tune.evidence import BY_TIME, NOT_USED, TUNED, Evidence, chosen_at
from transrank.lab.tune.library import Choices, write

# Launches come to a common start by MPI_Barrier, so that its algorithm shows in all other times.
_ALONE = "barrier"

# No block is longer; times the number of ranks it is a number that MPICH can read.
LARGEST = 1 << 24


@dataclass(frozen=True, slots=True)
class Proof:
    """One operation and size before and after, and how many times as long it takes after.

    `evidence` says how it shows that the algorithm is really used.
    """

    operation: str
    size: int
    before: float
    after: float
    ratio: Estimate
    algorithm: str | None
    evidence: str = ""

    @property
    def verdict(self) -> str:
        """`not used`, or `faster` or `slower` beyond the interval, else `same`."""
        if self.evidence == NOT_USED:
            return NOT_USED
        if self.ratio.high is not None and self.ratio.high < 1:
            return "faster"
        return "slower" if self.ratio.low is not None and self.ratio.low > 1 else "same"


def parts(campaign: Campaign) -> list[Campaign]:
    """What can be measured together: the barrier is changed where nothing else is measured."""
    groups = [
        [operation for operation in campaign.operations if (operation == _ALONE) is alone]
        for alone in (False, True)
    ]
    found = []
    for group in filter(None, groups):
        folder = campaign.folder / f"with-{group[0]}"
        folder.mkdir()
        found.append(replace(campaign, operations=tuple(group), folder=folder))
    return found


def forced(campaign: Campaign) -> dict[str, dict[str, str]]:
    """Variants by name: the n-th algorithm of every operation, each through a file of its own."""
    library = campaign.library
    by_operation = {
        operation: library.algorithms(operation, campaign.ranks)
        for operation in campaign.operations
    }
    variants: dict[str, dict[str, str]] = {DEFAULT: {}}
    for number in range(max(map(len, by_operation.values()))):
        choices = {
            operation: [Range(0, LARGEST, names[number])]
            for operation, names in by_operation.items()
            if number < len(names)
        }
        path = campaign.folder / f"forced-{number}{library.suffix}"
        write(path, library.files(choices, campaign.ranks))
        variants[f"forced {number}"] = library.environment(path)
    return variants


def choices_of(campaign: Campaign, measured: Mapping[str, Seconds]) -> dict[str, tuple[Range, ...]]:
    """What each operation gains from; operations that gain nothing are left out."""
    chosen = {}
    for operation in campaign.operations:
        default = measured[DEFAULT].get(operation, {})
        names = campaign.library.algorithms(operation, campaign.ranks)
        times: Times = {
            name: measured[variant][operation]
            for number, name in enumerate(names)
            if (variant := f"forced {number}") in measured and operation in measured[variant]
        }
        ranges = choose(times, default)
        if any(each.algorithm is not None for each in ranges):
            chosen[operation] = ranges
    return chosen


def prove(campaign: Campaign, choices: Choices, evidence: Evidence) -> list[Proof]:
    """Measure without and with the choices, in turn, and compare round by round."""
    folder = campaign.folder / "proof"
    folder.mkdir()
    return [
        proof
        for part in parts(replace(campaign, folder=folder))
        for proof in _proofs(part, choices, evidence)
    ]


def _proofs(campaign: Campaign, choices: Choices, evidence: Evidence) -> list[Proof]:
    library = campaign.library
    path = campaign.folder / f"proved{library.suffix}"
    here = {name: ranges for name, ranges in choices.items() if name in campaign.operations}
    write(path, library.files(here, campaign.ranks))
    try:
        measured = campaign.measure({DEFAULT: {}, TUNED: library.environment(path)})
    except NothingLeftError as error:
        raise RecordError("the library does not start with this file", "tune anew") from error
    proofs = []
    for operation in campaign.operations:
        for size, before in sorted(measured[DEFAULT].get(operation, {}).items()):
            after = measured[TUNED][operation][size]
            algorithm = chosen_at(choices.get(operation, ()), size)
            seen = evidence.get(operation, {}).get(size, BY_TIME if algorithm else "")
            proofs.append(
                Proof(
                    *(operation, size, _middle(before), _middle(after)),
                    *(paired_ratio(before, after), algorithm, seen),
                )
            )
    return proofs


def controls(proofs: Sequence[Proof]) -> tuple[list[Proof], list[Proof]]:
    """Of the sizes that were left alone those that take another time nevertheless, and all."""
    alone = [proof for proof in proofs if proof.algorithm is None]
    return [proof for proof in alone if proof.verdict != "same"], alone


def without_losers(choices: Choices, proofs: Sequence[Proof]) -> dict[str, tuple[Range, ...]]:
    """The choices but where the proof has a size that is slower or does not use them.

    What is left of a range stays when at least one of its sizes is faster.
    """
    kept = {}
    for operation, ranges in choices.items():
        verdicts = {proof.size: proof.verdict for proof in proofs if proof.operation == operation}
        left = [part for each in ranges for part in _kept_parts(each, verdicts)]
        if any(each.algorithm is not None for each in left):
            kept[operation] = _merged(left)
    return kept


def _kept_parts(each: Range, verdicts: Mapping[int, str]) -> list[Range]:
    """Cut a range where a size is a loss; what gains nowhere is left to the library."""
    inside = sorted(size for size in verdicts if each.first <= size <= each.last)
    if each.algorithm is None or not inside:
        return [Range(each.first, each.last, None)]
    parts: list[list[int]] = []
    for place, size in enumerate(inside):
        lost = _is_lost(verdicts[size])
        if place == 0 or lost != _is_lost(verdicts[inside[place - 1]]):
            parts.append([])
        parts[-1].append(size)
    return [
        Range(
            each.first if part is parts[0] else part[0],
            each.last if part is parts[-1] else part[-1],
            each.algorithm if any(verdicts[size] == "faster" for size in part) else None,
        )
        for part in parts
    ]


def _is_lost(verdict: str) -> bool:
    return verdict in ("slower", NOT_USED)


def _merged(ranges: Sequence[Range]) -> tuple[Range, ...]:
    merged: list[Range] = []
    for each in ranges:
        if merged and merged[-1].algorithm == each.algorithm:
            merged[-1] = Range(merged[-1].first, each.last, each.algorithm)
        else:
            merged.append(each)
    return tuple(merged)


def _middle(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]
