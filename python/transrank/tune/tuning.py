# SPDX-License-Identifier: BSD-3-Clause
"""From what an MPI library can be made to do to a file that is proved to be better."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from transrank.errors import LaunchError, RecordError, UsageError
from transrank.launch import installation
from transrank.stats.compare import paired_ratio
from transrank.stats.estimate import Estimate
from transrank.tune.campaign import Campaign, Seconds
from transrank.tune.choice import Range, Times, choose
from transrank.tune.library import Library

DEFAULT = "default"
# No block is longer; times the number of ranks it is a number that MPICH can read.
LARGEST = 1 << 24


@dataclass(frozen=True, slots=True)
class Proof:
    """One operation and size before and after, and how many times as long it takes after."""

    operation: str
    size: int
    before: float
    after: float
    ratio: Estimate
    algorithm: str | None

    @property
    def verdict(self) -> str:
        """`faster` or `slower` beyond the interval, else `same`."""
        if self.ratio.high is not None and self.ratio.high < 1:
            return "faster"
        return "slower" if self.ratio.low is not None and self.ratio.low > 1 else "same"


def forced(library: Library, campaign: Campaign) -> dict[str, dict[str, str]]:
    """Variants by name: the n-th algorithm of every operation, each through a file of its own."""
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
        path.write_text(library.text(choices, campaign.ranks), encoding="utf-8")
        variants[f"forced {number}"] = library.environment(path)
    return variants


def choices_of(
    library: Library, campaign: Campaign, measured: Mapping[str, Seconds]
) -> dict[str, tuple[Range, ...]]:
    """What each operation gains from; operations that gain nothing are left out."""
    chosen = {}
    for operation in campaign.operations:
        default = measured[DEFAULT].get(operation, {})
        times: Times = {
            name: measured[variant][operation]
            for number, name in enumerate(library.algorithms(operation, campaign.ranks))
            if (variant := f"forced {number}") in measured and operation in measured[variant]
        }
        ranges = choose(times, default)
        if any(each.algorithm is not None for each in ranges):
            chosen[operation] = ranges
    return chosen


def prove(
    campaign: Campaign, environment: Mapping[str, str], choices: Mapping[str, Sequence[Range]]
) -> list[Proof]:
    """Measure without and with the file, in turn, and compare round by round."""
    folder = campaign.folder / "proof"
    folder.mkdir()
    again = replace(campaign, folder=folder)
    measured = again.measure({DEFAULT: {}, "tuned": dict(environment)})
    if DEFAULT not in measured:
        raise LaunchError("the launches without the file failed", "transrank doctor")
    if "tuned" not in measured:
        raise RecordError("the library does not start with this file", "tune anew")
    proofs = []
    for operation in campaign.operations:
        for size, before in sorted(measured[DEFAULT].get(operation, {}).items()):
            after = measured["tuned"][operation][size]
            ratio = paired_ratio(before, after)
            algorithm = next(
                (
                    each.algorithm
                    for each in choices.get(operation, ())
                    if each.first <= size <= each.last
                ),
                None,
            )
            proofs.append(Proof(operation, size, _middle(before), _middle(after), ratio, algorithm))
    return proofs


def without_losers(
    choices: Mapping[str, Sequence[Range]], proofs: Sequence[Proof]
) -> dict[str, tuple[Range, ...]]:
    """The choices but those ranges in which the proof has a size that is not better somewhere.

    A range stays when at least one of its sizes is faster and none is slower.
    """
    kept = {}
    for operation, ranges in choices.items():
        verdicts = {proof.size: proof.verdict for proof in proofs if proof.operation == operation}
        left = tuple(
            each if each.algorithm is None or _is_better(each, verdicts) else _left_alone(each)
            for each in ranges
        )
        if any(each.algorithm is not None for each in left):
            kept[operation] = _merged(left)
    return kept


def _is_better(each: Range, verdicts: Mapping[int, str]) -> bool:
    inside = [verdict for size, verdict in verdicts.items() if each.first <= size <= each.last]
    return "faster" in inside and "slower" not in inside


def _left_alone(each: Range) -> Range:
    return Range(each.first, each.last, None)


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


def _note_of(path: Path) -> Path:
    return path.with_name(path.name + ".transrank.json")


def write(path: Path, library: Library, choices: Mapping[str, Sequence[Range]], ranks: int) -> None:
    """Write the library's file, and beside it transrank's own note of the choices."""
    text = library.text(choices, ranks)
    path.write_text(text, encoding="utf-8")
    note = {
        "mpi": installation.build().mpi,
        "ranks": ranks,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "choices": {
            operation: [[each.first, each.last, each.algorithm] for each in ranges]
            for operation, ranges in choices.items()
        },
    }
    _note_of(path).write_text(json.dumps(note, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> tuple[int, dict[str, tuple[Range, ...]]]:
    """Ranks and choices of a file that `write` has written for this MPI.

    Raises
    ------
    RecordError
        it is not there, was not written by transrank, or was changed since.
    UsageError
        it is for another MPI.
    """
    try:
        text = path.read_bytes()
        note = json.loads(_note_of(path).read_text(encoding="utf-8"))
        if note["sha256"] != hashlib.sha256(text).hexdigest():
            raise RecordError(f"{path} was changed since transrank wrote it", "tune anew")
        choices = {
            operation: tuple(Range(first, last, name) for first, last, name in ranges)
            for operation, ranges in note["choices"].items()
        }
        ranks, mpi = int(note["ranks"]), str(note["mpi"])
    except OSError as error:
        raise RecordError(
            f"{error.filename}: {error.strerror}", "a tuning file has its note beside it"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"{_note_of(path)} is no note of transrank's", "tune anew") from error
    if mpi != installation.build().mpi:
        raise UsageError(
            f"{path} is for {mpi}, transrank here uses {installation.build().mpi}", "tune anew"
        )
    return ranks, choices
