# SPDX-License-Identifier: BSD-3-Clause
"""Figures beside the bars asked for: what every program of this folder prints and is judged by."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import lab_needed  # noqa: F401
from rich.console import Console
from rich.table import Table

# Of the table where it goes to a file.
WIDTH = 140

Verdict = Literal["ok", "short", "unclear"]


@dataclass(frozen=True)
class Part:
    """The same figure where the machine was in another state."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Figure:
    """One measured figure and the most (or, with `at_least`, the least) it may be.

    A figure with an interval falls short only when the whole interval lies beyond the bar; an
    interval that straddles the bar leaves it unclear. Its parts are printed, and not judged.
    """

    name: str
    value: float
    bar: float
    unit: str = ""
    low: float | None = None
    high: float | None = None
    at_least: bool = False
    note: str = ""
    parts: Sequence[Part] = ()

    @property
    def verdict(self) -> Verdict:
        """Judge the figure by its interval, or by its value when it has none."""
        low = self.value if self.low is None else self.low
        high = self.value if self.high is None else self.high
        best, worst = (high, low) if self.at_least else (low, high)
        if self._within(worst):
            return "ok"
        return "unclear" if self._within(best) else "short"

    def _within(self, value: float) -> bool:
        return value >= self.bar if self.at_least else value <= self.bar


def add_check_option(parser: argparse.ArgumentParser) -> None:
    """Add --check, the same for every benchmark."""
    parser.add_argument(
        "--check", action="store_true", help="exit with status 1 when a figure falls short"
    )


def pairs(text: str) -> int:
    """Return how many pairs of launches an option asks for."""
    count = int(text)
    if count < 2:
        raise argparse.ArgumentTypeError(f"{count} makes no interval: a ratio needs two pairs")
    return count


def report(figures: Sequence[Figure], check: bool) -> int:
    """Print the figures on stdout and return the exit status."""
    table = Table("figure", "measured", "bar", "verdict", "note", box=None, pad_edge=False)
    for figure in figures:
        sign = ">=" if figure.at_least else "<="
        table.add_row(
            figure.name,
            f"{_measured(figure)} {figure.unit}",
            f"{sign} {figure.bar:g} {figure.unit}",
            figure.verdict,
            figure.note,
        )
        for part in figure.parts:
            table.add_row(f"  {part.name}", f"{_measured(part)} {figure.unit}")
    wide = None if sys.stdout.isatty() else WIDTH
    Console(width=wide).print(table)
    short = [figure for figure in figures if figure.verdict == "short"]
    Console(stderr=True).print(f"{len(short)} of {len(figures)} figures fall short of their bar")
    return 1 if check and short else 0


def _measured(found: Figure | Part) -> str:
    if found.high == math.inf:
        return f"{found.value:.3g} [one launch]"
    interval = "" if found.low is None else f" [{found.low:.3g} .. {found.high:.3g}]"
    return f"{found.value:.3g}{interval}"
