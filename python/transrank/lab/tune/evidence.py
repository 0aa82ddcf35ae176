# SPDX-License-Identifier: BSD-3-Clause
"""Whether a library really uses a tuning file: by its observed behaviour, or by its output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from transrank.errors import RecordError
from transrank.lab.tune.campaign import DEFAULT, Campaign, Seen, Sight
from transrank.lab.tune.choice import Range
from transrank.lab.tune.library import Choices

# The evidence at one size. BY_TIME: there is no other, as the algorithm sends the same messages as
# the default, or the library does not count them.
BY_TIME = "time"
NOT_USED = "not used"
TUNED = "tuned"

# By operation and bytes, of sizes for which something was chosen.
Evidence = dict[str, dict[int, str]]


def look(campaign: Campaign, path: Path, choices: Choices) -> Evidence:
    """Compare what is done with the file, without it, and when the same is asked for otherwise."""
    library = campaign.library
    if library.watching is None:
        return {}
    variants = {DEFAULT: {}, TUNED: library.environment(path), **_asked(campaign, choices)}
    seen = campaign.watch(variants)
    found: Evidence = {}
    for operation, ranges in choices.items():
        for size, after in seen[TUNED].get(operation, {}).items():
            algorithm = chosen_at(ranges, size)
            if algorithm is not None:
                before = seen[DEFAULT][operation][size]
                wanted = _wanted(seen, operation, size, ranges)
                found.setdefault(operation, {})[size] = judge(before, after, wanted)
    return found


def judge(before: Seen, after: Seen, wanted: Seen) -> str:
    """How what was seen without and with the file and of the algorithm itself shows its use."""
    if after is None or wanted is None:
        return BY_TIME
    if after != wanted:
        return NOT_USED
    if after == before:
        return BY_TIME
    if isinstance(after, str):
        return f"named: {before} before"
    assert isinstance(before, tuple)
    if before[0] != after[0]:
        return f"messages: {before[0]:.0f}, now {after[0]:.0f}"
    if before[1] != after[1]:
        return f"bytes sent: {before[1]:.0f}, now {after[1]:.0f}"
    return f"messages of a rank: at most {before[2]:.0f}, now {after[2]:.0f}"


def said(
    campaign: Campaign, path: Path, start: Callable[[Mapping[str, str]], Sequence[str]]
) -> str | None:
    """What the library itself says of the file when it starts; None when it prints nothing.

    Raises RecordError: it has read another one.
    """
    library = campaign.library
    if library.announcing is None:
        return None
    named = library.names(path, start({**library.environment(path), **library.announcing}))
    if named is False:
        raise RecordError(f"the library starts, but not with {path}", "transrank doctor")
    return "at its start the library names the file as its table of algorithms" if named else None


def chosen_at(ranges: Sequence[Range], size: int) -> str | None:
    """The algorithm for a size."""
    return next((each.algorithm for each in ranges if each.first <= size <= each.last), None)


def _asked(campaign: Campaign, choices: Choices) -> dict[str, dict[str, str]]:
    """As few variants as ask for every chosen algorithm: the n-th one of each operation."""
    variants: dict[str, dict[str, str]] = {}
    for operation, ranges in choices.items():
        for number, name in enumerate(_distinct(ranges)):
            asking = campaign.library.asking(operation, name)
            if asking:
                variants.setdefault(f"asked {number}", {}).update(asking)
    return variants


def _distinct(ranges: Sequence[Range]) -> list[str]:
    names = [each.algorithm for each in ranges if each.algorithm is not None]
    return list(dict.fromkeys(names))


def _wanted(seen: Mapping[str, Sight], operation: str, size: int, ranges: Sequence[Range]) -> Seen:
    algorithm = chosen_at(ranges, size)
    assert algorithm is not None
    variant = seen.get(f"asked {_distinct(ranges).index(algorithm)}")
    if variant is None:  # what names its algorithm need not be asked for it
        return algorithm
    return variant.get(operation, {}).get(size)
