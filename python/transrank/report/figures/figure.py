# SPDX-License-Identifier: BSD-3-Clause
"""A figure: one or more panels side by side under one key and one caption."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from transrank.report.palette import Style

Spec = dict[str, Any]


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """One line of a figure's key. `key` is what the panels' rows call the series."""

    key: str
    label: str
    style: Style


@dataclass(frozen=True, slots=True)
class Panel:
    """One system of axes. `title` says what distinguishes it from the panels beside it."""

    title: str
    description: str
    spec: Spec


@dataclass(frozen=True, slots=True)
class Figure:
    """Panels that share a key. `wide` panels fill the page, the others stand in columns.

    `kept` says what share of the samples enters.
    """

    name: str
    panels: tuple[Panel, ...]
    caption: str
    key: tuple[KeyEntry, ...] = ()
    size: str = "half"
    kept: str = ""
