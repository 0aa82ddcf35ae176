# SPDX-License-Identifier: BSD-3-Clause
"""Which colour and which mark a thing has: the same everywhere on the page.

Colours are names of style-sheet variables (``--series-1`` and on, templates/page.css), so that a
figure follows the page from light to dark without being drawn again. The values were chosen so
that any two stay apart under protanopia, deuteranopia and tritanopia; the marks differ as well.
"""

from __future__ import annotations

from dataclasses import dataclass

SLOTS = 8
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "triangle-down",
    "cross",
    "triangle-right",
    "triangle-left",
)
# Not a mark: the whole of a bar.
BLOCK = "block"
DASHES = ((7, 3), (2, 3), (9, 3, 2, 3), (4, 2, 1, 2))
PUBLISHED_COLOR = "var(--published)"

# The order in which a group of things takes its colours; what is not listed follows.
_FIRST = {
    "routine": ("MPI_Send", "MPI_Bsend", "MPI_Ssend", "MPI_Isend", "persistent MPI_Send"),
}


@dataclass(frozen=True, slots=True)
class Style:
    """How a curve is drawn: colour and mark, and dashes where it was not measured here."""

    color: str
    shape: str = "circle"
    dash: tuple[int, ...] = ()


class Palette:
    """Hands out the styles of one page. A group is a kind of thing: shape, run, routine."""

    def __init__(self) -> None:
        self._slots = {group: list(names) for group, names in _FIRST.items()}
        self._published: list[str] = []

    def style(self, group: str, name: str) -> Style:
        """Style of `name`; past eight things of a group the colours come again with other marks."""
        names = self._slots.setdefault(group, [])
        if name not in names:
            names.append(name)
        slot = names.index(name)
        turn = slot // SLOTS
        return Style(
            color=f"var(--series-{slot % SLOTS + 1})",
            shape=SHAPES[(slot + 3 * turn) % len(SHAPES)],
        )

    def published(self, name: str) -> Style:
        """Style of a published machine: grey, known by its dashes."""
        if name not in self._published:
            self._published.append(name)
        dash = DASHES[self._published.index(name) % len(DASHES)]
        return Style(color=PUBLISHED_COLOR, dash=dash)
