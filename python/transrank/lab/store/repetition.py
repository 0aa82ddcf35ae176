# SPDX-License-Identifier: BSD-3-Clause
"""The commands that make a run again, from what its header says of how it was made."""

from __future__ import annotations

from collections.abc import Sequence

# The record file of launches that are made by hand, in the folder where that is done.
BY_HAND = "by-hand.jsonl"

_OUTPUT = ("-o", "--output")
_DROPPED = ("--dry-run", "--prepare")


def repeated(command: Sequence[str], seed: int | None) -> list[str]:
    """The words that measure the same cases in the same order, into a record file of their own."""
    words = _without_output(command)
    if seed is None or any(word.partition("=")[0] == "--seed" for word in words):
        return words
    return _with_options(words, ["--seed", str(seed)])


def prepared(
    command: Sequence[str],
    seed: int | None,
    launches: int,
    max_time_seconds: float,
    memory_bytes: int | None,
) -> list[str]:
    """The words that write the header of such a run to `BY_HAND`, and measure nothing.

    What was drawn or found out for the run is said: seed, launches, memory, and the time of a case
    where it is that which ends it.
    """
    counted = any(word.partition("=")[0] == "--count" for word in command)
    added = [] if counted else ["--max-time", f"{max_time_seconds:.9g}s"]
    added += ["--launches", str(launches)]
    if memory_bytes is not None:
        added += ["--memory", str(memory_bytes)]
    return _with_options(repeated(command, seed), [*added, "--prepare", "--output", BY_HAND])


def _with_options(words: Sequence[str], added: Sequence[str]) -> list[str]:
    """Add options behind those that are there, so that they win."""
    end = list(words).index("--") if "--" in words else len(words)
    return [*words[:end], *added, *words[end:]]


def _without_output(command: Sequence[str]) -> list[str]:
    kept: list[str] = []
    words = iter(command)
    for word in words:
        if word == "--":
            return [*kept, word, *words]
        if word in _OUTPUT:
            next(words, None)
        elif not (
            word in _DROPPED
            or word.startswith("--output=")
            or (word.startswith("-o") and not word.startswith("--"))
        ):
            kept.append(word)
    return kept
