# SPDX-License-Identifier: BSD-3-Clause
"""Axes of studies that had other names in earlier records: read, they have their names of today.

The ids of cases hold the values of axes, not their names, and are the same as ever.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# By study: the name that an earlier record has, and today's.
RENAMED: Mapping[str, Mapping[str, str]] = {
    "alltoall-algorithms": {"memory": "arrays"},
    "locality": {"memory": "arrangement"},
    "plan-scaling": {"ranks": "plan_ranks"},
}


def axes(study: str, stored: Mapping[str, str | int]) -> Mapping[str, str | int]:
    """The axes of a case under today's names."""
    if study not in RENAMED:
        return stored
    names = RENAMED[study]
    return {names.get(name, name): value for name, value in stored.items()}


def arguments(words: Sequence[str]) -> tuple[str, ...]:
    """A command line, or the arguments of transrank-run, with today's names behind --axis."""
    studies = RENAMED.keys() & {name for word in words for name in word.split(",")}
    names = {old: new for study in studies for old, new in RENAMED[study].items()}
    found: list[str] = []
    for word in words:
        glued = word.startswith("--axis=")
        text = word.removeprefix("--axis=")
        old, equals, values = text.partition("=")
        if equals and old in names and (glued or found[-1:] == ["--axis"]):
            word = f"{'--axis=' if glued else ''}{names[old]}={values}"
        found.append(word)
    return tuple(found)


def lines(before: Sequence[str], now: Sequence[str], stored: Sequence[str]) -> tuple[str, ...]:
    """Lines of a shell in which the words `before` stand as what `arguments` made of them."""
    changed = [(old, new) for old, new in zip(before, now, strict=True) if old != new]
    found = []
    for line in stored:
        for old, new in changed:
            line = line.replace(f" {old}", f" {new}")
        found.append(line)
    return tuple(found)
