# SPDX-License-Identifier: BSD-3-Clause
"""What is seen while a run goes on: the last line rewritten on a terminal, else a line per case."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.live import Live
from rich.text import Text

from transrank.lab.stats.estimate import Estimate
from transrank.lab.stats.median import median_interval
from transrank.lab.store.records import Shape
from transrank.lab.units import counted, format_seconds, format_spread, format_wait

REDRAW_SECONDS = 0.25
# Columns of a case's name: to line up the others in a log, and the fewest that it is cut to.
NAME_WIDTH, LEAST_NAME = 24, 12


@dataclass(frozen=True)
class Finished:
    """A case that a launch has finished, as its record line says.

    Its numbers are worked out when they are shown, and only then: the ranks of the next case are
    running on this machine.
    """

    study: str
    case: str
    launch: int
    ranks: int
    status: str
    reason: str | None = None
    measured: Mapping[str, Sequence[float]] = field(default_factory=dict, repr=False)

    @classmethod
    def from_line(cls, line: dict[str, Any]) -> Finished:
        """Take what a case line says."""
        return cls(
            study=line["study"],
            case=line["case"],
            launch=line["launch"],
            ranks=line["shape"]["ranks"],
            status=line["status"],
            reason=line.get("reason"),
            measured=line.get("samples") or {},
        )

    @cached_property
    def _kept(self) -> NDArray[np.float64]:
        """The samples to show: those without a flag unless there are no others."""
        seconds = np.array(self.measured.get("seconds", ()), dtype=float)
        flags = np.array(self.measured.get("flags", ()), dtype=int)
        clean = seconds[flags == 0] if flags.size == seconds.size else seconds
        return clean if clean.size else seconds

    @cached_property
    def value(self) -> Estimate | None:
        """The median of this launch with its interval."""
        return median_interval(self._kept) if self._kept.size else None

    def result(self) -> str:
        """Return the median and its interval, or why there is none."""
        if self.status != "ok" or self.value is None:
            return f"{self.status}: {self.reason or 'no reason given'}"
        error = self.value.relative_error
        shown_error = f" ±{format_spread(error)}" if error is not None else ""
        return f"{format_seconds(self.value.value)}{shown_error}"


def shortened(name: str, width: int) -> str:
    """Return `name` with its middle left out where it is longer than `width`."""
    if len(name) <= width:
        return name
    first = (width - 1) // 2
    return f"{name[:first]}…{name[first + 1 - width :]}"


class Progress:
    """Collects events and shows nothing (-q)."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.place = 0
        # How many cases were finished when the launches beyond the first ones began.
        self.before: int | None = None
        self.heading = ""
        self.seconds_left: float | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def more(self, cases: int) -> None:
        """So many cases more will be measured than was known."""
        self.total += cases

    def launch_begins(self, place: int, launches: int | None, shape: Shape) -> None:
        """A launch starts: one of so many, or beyond these, for cases that are still wide."""
        self.place = place
        if launches is not None:
            self.heading = f"launch {place} of {launches} at {shape}"
        else:
            self.heading = f"launch {place} at {shape}, for more precision"
            self.before = self.done if self.before is None else self.before

    def advances(self, seconds_left: float) -> None:
        """The runner is at work."""
        self.seconds_left = seconds_left

    def finishes(self, case: Finished, seconds_left: float) -> None:
        """A case is finished and in the record file."""
        self.done += 1
        self.seconds_left = seconds_left
        self.show(case)

    def show(self, case: Finished) -> None:
        """Show a finished case."""

    def counter(self) -> str:
        """Return how many cases are finished: ``[ 7/24]``; beyond the first launches ``[+2]``."""
        if self.before is not None:
            return f"[+{self.done - self.before}]"
        return f"[{self.done:>{len(str(self.total))}}/{self.total}]"

    def left(self) -> str:
        """Return the time left in words."""
        if self.seconds_left is None or self.done >= self.total:
            return ""
        return f"{format_wait(self.seconds_left)} left"

    def line(self, case: Finished, width: int, *others: str) -> str:
        """A finished case, and other words, in `width` columns: what gives way is its name.

        A median and its interval are those of one launch, the run's those of all: the line says so.
        Without a result it is as long as the reason needs.
        """
        if case.status != "ok":
            ranks = counted(case.ranks, "rank")
            return f"{self.counter()} {case.case} ({ranks})  {case.result()}"
        words = (f"{case.result()} in launch {self.place}", *filter(None, others))
        rest = "  ".join(words)
        room = max(width - len(self.counter()) - len(rest) - 3, LEAST_NAME)
        name = shortened(case.case, room)
        return f"{self.counter()} {name:<{min(room, NAME_WIDTH)}}  {rest}"


class Lines(Progress):
    """One line per launch and per finished case, for logs and pipes."""

    def __init__(self, total: int, console: Console) -> None:
        super().__init__(total)
        self._console = console

    def launch_begins(self, place: int, launches: int | None, shape: Shape) -> None:
        super().launch_begins(place, launches, shape)
        _print(self._console, "; ".join(filter(None, (self.heading, self.left()))))

    def show(self, case: Finished) -> None:
        _print(self._console, self.line(case, self._console.width))


class LastLine(Progress):
    """The last line of a terminal, rewritten; skipped and failed cases stay above it."""

    def __init__(self, total: int, console: Console) -> None:
        super().__init__(total)
        self._console = console
        # No refresh thread: it would take a core from the ranks for nothing.
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._last: Finished | None = None
        self._drawn = 0.0

    def __enter__(self) -> LastLine:
        self._live.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._live.__exit__(*exception)

    def launch_begins(self, place: int, launches: int | None, shape: Shape) -> None:
        super().launch_begins(place, launches, shape)
        self._last = None
        self._draw(force=True)

    def advances(self, seconds_left: float) -> None:
        super().advances(seconds_left)
        self._draw()

    def show(self, case: Finished) -> None:
        self._last = case
        if case.status == "failed":
            _print(self._live.console, self.line(case, self._console.width))
        self._draw()

    def _draw(self, force: bool = False) -> None:
        now = time.monotonic()
        if force or now - self._drawn >= REDRAW_SECONDS:
            self._drawn = now
            if self._last is None:
                line = f"{self.counter()} {self.heading}  {self.left()}".rstrip()
            else:
                line = self.line(self._last, self._console.width, self.left())
            self._live.update(Text(line, no_wrap=True, overflow="ellipsis"), refresh=True)


def _print(console: Console, line: str) -> None:
    """Print a line; one with a long reason goes on below."""
    for part in textwrap.wrap(
        line, console.width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    ):
        console.print(Text(part), soft_wrap=True)


def for_console(total: int, console: Console, quiet: bool) -> Progress:
    """Return the kind of progress that suits where it is shown."""
    if quiet:
        return Progress(total)
    return LastLine(total, console) if console.is_terminal else Lines(total, console)
