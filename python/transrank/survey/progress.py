# SPDX-License-Identifier: BSD-3-Clause
"""What is seen while a run goes on: the last line rewritten on a terminal, else a line per case."""

from __future__ import annotations

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

from transrank.stats.estimate import Estimate
from transrank.stats.median import median_interval
from transrank.store.records import Shape
from transrank.units import format_seconds, format_wait

REDRAW_SECONDS = 0.25
STUDY_WIDTH, CASE_WIDTH = 12, 20


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

    @property
    def samples(self) -> int:
        """How many samples the shown value rests on."""
        return int(self._kept.size)

    @cached_property
    def value(self) -> Estimate | None:
        """The median of this launch with its interval."""
        return median_interval(self._kept) if self._kept.size else None

    def words(self) -> tuple[str, ...]:
        """Return study, axis values, ranks and result, to be shown side by side."""
        place = self.case.removeprefix(f"{self.study}/").replace("/", "  ")
        ranks = "1 rank" if self.ranks == 1 else f"{self.ranks} ranks"
        if self.status != "ok" or self.value is None:
            return self.study, place, ranks, f"{self.status}: {self.reason or 'no reason given'}"
        error = self.value.relative_error
        shown_error = f" ±{100 * error:.1f} %" if error is not None else ""
        result = f"{format_seconds(self.value.value)}{shown_error}"
        return self.study, place, ranks, result, f"{self.samples} samples"

    def in_columns(self) -> str:
        """Return the words below those of other cases."""
        widths = (STUDY_WIDTH, CASE_WIDTH, 8, 18, 0)
        return "  ".join(
            f"{word:<{width}}" for word, width in zip(self.words(), widths, strict=False)
        ).rstrip()


class Progress:
    """Collects what happens; by itself it shows nothing (-q)."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.seconds_left: float | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def more(self, cases: int) -> None:
        """So many cases more will be measured than was known."""
        self.total += cases

    def launch_begins(self, place: int, launches: int, shape: Shape) -> None:
        """A launch starts."""

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
        """Return how many cases are finished: ``[ 7/24]``."""
        return f"[{self.done:>{len(str(self.total))}}/{self.total}]"

    def left(self) -> str:
        """Return the time left in words."""
        if self.seconds_left is None or self.done >= self.total:
            return ""
        return f"{format_wait(self.seconds_left)} left"


class Lines(Progress):
    """One line per finished case, for logs and pipes."""

    def __init__(self, total: int, console: Console) -> None:
        super().__init__(total)
        self._console = console

    def show(self, case: Finished) -> None:
        line = f"{self.counter()} {case.in_columns()}  {self.left()}"
        self._console.print(Text(line.rstrip()), soft_wrap=True)


class LastLine(Progress):
    """The last line of a terminal, rewritten; skipped and failed cases stay above it."""

    def __init__(self, total: int, console: Console) -> None:
        super().__init__(total)
        self._console = console
        # No refresh thread: it would take a core from the ranks for nothing.
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._heading = ""
        self._last: Finished | None = None
        self._drawn = 0.0

    def __enter__(self) -> LastLine:
        self._live.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._live.__exit__(*exception)

    def launch_begins(self, place: int, launches: int, shape: Shape) -> None:
        self._heading = f"launch {place} of {launches} at {shape}"
        self._last = None
        self._draw(force=True)

    def advances(self, seconds_left: float) -> None:
        super().advances(seconds_left)
        self._draw()

    def show(self, case: Finished) -> None:
        self._last = case
        if case.status == "failed":
            self._live.console.print(Text(f"{self.counter()} {self._words()}"), soft_wrap=True)
        self._draw()

    def _words(self) -> str:
        return self._heading if self._last is None else "  ".join(self._last.words())

    def _draw(self, force: bool = False) -> None:
        now = time.monotonic()
        if force or now - self._drawn >= REDRAW_SECONDS:
            self._drawn = now
            line = f"{self.counter()} {self._words()}  {self.left()}"
            self._live.update(Text(line.rstrip(), no_wrap=True, overflow="ellipsis"), refresh=True)


def for_console(total: int, console: Console, quiet: bool) -> Progress:
    """Return the kind of progress that suits where it is shown."""
    if quiet:
        return Progress(total)
    return LastLine(total, console) if console.is_terminal else Lines(total, console)
