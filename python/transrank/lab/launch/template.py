# SPDX-License-Identifier: BSD-3-Clause
"""A launcher that is any command line, with placeholders for what differs between launches."""

from __future__ import annotations

import shlex
import string
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from transrank.errors import UsageError
from transrank.lab.launch.launcher import Launcher, Shape

PLACEHOLDERS = frozenset({"ranks", "ranks_per_node", "nodes", "output", "command"})


@dataclass(frozen=True)
class Template(Launcher):
    """Any command line with placeholders: those of `PLACEHOLDERS`, in braces.

    The program of the ranks is appended, or takes the place of ``{command}`` as one shell word.
    ``{output}`` is for launchers that write the ranks' stdout to files: a path of which every file
    name begins.
    """

    words: tuple[str, ...] = ()
    text: str = ""

    @property
    def name(self) -> str:  # type: ignore[override]
        """The template itself."""
        return self.text

    @property
    def writes_files(self) -> bool:
        return "output" in _placeholders(self.words)

    @property
    def places_ranks(self) -> bool:
        return bool(_placeholders(self.words) & {"ranks_per_node", "nodes"})

    def command(self, shape: Shape, argv: Sequence[str], output: Path | None = None) -> list[str]:
        used = _placeholders(self.words)
        if shape.ranks_per_node and not self.places_ranks:
            raise UsageError(
                f"the launcher '{self.name}' cannot place {shape.ranks_per_node} ranks per node",
                "add {ranks_per_node} to it, e.g. --ntasks-per-node {ranks_per_node}",
            )
        values = {
            "ranks": str(shape.ranks),
            "ranks_per_node": str(self.capacity.ranks_per_node(shape)),
            "nodes": str(-(-shape.ranks // self.capacity.ranks_per_node(shape))),
            "output": str(output or "transrank-output"),
            "command": shlex.join(argv),
        }
        words = [word.format_map(values) for word in self.words]
        return words if "command" in used else [*words, *argv]


def split(text: str, named: Collection[str]) -> tuple[str, ...]:
    """Return the words of a template, and refuse what would fail or mislead when it is used.

    Raises UsageError: it cannot be read, has an unknown placeholder, or does not say how many
    ranks; `named` are the launchers that a name alone would mean.
    """
    known = ", ".join(sorted(named))
    try:
        words = tuple(shlex.split(text))
        used = _placeholders(words)
    except ValueError as cause:
        raise UsageError(f"the launcher '{text}' cannot be read: {cause}") from cause
    if used - PLACEHOLDERS:
        raise UsageError(
            f"the launcher '{text}' has an unknown placeholder {{{min(used - PLACEHOLDERS)}}}",
            "known: " + ", ".join(f"{{{name}}}" for name in sorted(PLACEHOLDERS)),
        )
    if not used & {"ranks", "nodes"}:
        raise UsageError(
            f"unknown launcher '{text}'; known: {known}, or a command line with {{ranks}}",
            "e.g. --launcher 'mpiexec -n {ranks}'",
        )
    return words


def _placeholders(words: Sequence[str]) -> set[str]:
    """Return the names in braces.

    Raises ValueError: braces that do not match, or conversions and attributes that no placeholder
    has.
    """
    names = set()
    for word in words:
        for _, name, specification, conversion in string.Formatter().parse(word):
            if specification or conversion:
                raise ValueError(f"'{word}' has more than a name in braces")
            if name is not None:
                names.add(name)
    return names
