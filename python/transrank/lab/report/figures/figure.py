# SPDX-License-Identifier: BSD-3-Clause
"""A figure: one or more panels side by side under one key and one caption."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from transrank.lab.report.palette import Style

Spec = dict[str, Any]


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """One line of a figure's key. `key` is what the panels' rows call the series."""

    key: str
    label: str
    style: Style


@dataclass(frozen=True, slots=True)
class Panel:
    """One system of axes. `title` says what distinguishes it from the panels beside it.

    Without a `spec` the description stands on the page: it says all that there is.
    """

    title: str
    description: str
    spec: Spec | None


@dataclass(frozen=True, slots=True)
class Figure:
    """Panels that share a key.

    `wide` panels fill their column of the page, `full` ones the page, others stand side by side.
    The first sentence of the `caption` stands below the figure, the others are notes on it, and
    so is `kept`, which says what share of the samples enters. Of `one_curve` the caption says what
    it is, and the key is not shown.
    """

    name: str
    panels: tuple[Panel, ...]
    caption: str
    key: tuple[KeyEntry, ...] = ()
    size: str = "half"
    kept: str = ""
    one_curve: bool = False

    @property
    def gist(self) -> str:
        """The first sentence of the caption: the contents of the figure."""
        return self.caption.partition(". ")[0].rstrip(".") + "."

    @property
    def notes(self) -> str:
        """How to read it."""
        return f"{self.caption.partition('. ')[2]} {self.kept}".strip()
