# SPDX-License-Identifier: BSD-3-Clause
"""How long a run takes: at most, before it starts; and what is left of it, while it runs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from transrank.lab.store import spread
from transrank.lab.store.records import PlannedLaunch
from transrank.lab.study import launch as launch_study

# What a case takes beside its measuring time: set-up, calibration, checks, one slice too many.
OVERHEAD_SECONDS_PER_CASE = 0.02
# Job starts differ; the first one, which is timed, is not the slowest.
START_MARGIN = 1.3


@dataclass(frozen=True)
class Costs:
    """`start_seconds`: a launch that measures nothing; `case_seconds`: budget of a case in one."""

    start_seconds: float
    case_seconds: float


def is_launch_study(planned: PlannedLaunch) -> bool:
    """Whether transrank measures this launch itself, by starting jobs."""
    return planned.arguments[:2] == ("--study", launch_study.NAME)


def most_seconds(plan: Sequence[PlannedLaunch], costs: Costs) -> float:
    """Return how long these launches take when no case is precise before its time is spent."""
    return sum(_launch_seconds(planned, costs) for planned in plan)


def _launch_seconds(planned: PlannedLaunch, costs: Costs) -> float:
    start = costs.start_seconds * START_MARGIN
    if is_launch_study(planned):
        return len(planned.cases) * (samples_of(planned) + 1) * start
    return start + len(planned.cases) * (costs.case_seconds + OVERHEAD_SECONDS_PER_CASE)


def samples_of(planned: PlannedLaunch) -> int:
    """Return how many jobs a launch of the launch study starts per case, warm-up not counted."""
    return int(planned.arguments[planned.arguments.index("--count") + 1])


def most_listed_by(planned: PlannedLaunch) -> int:
    """Return of how many ranks at most a launch of the launch study lists times."""
    words = planned.arguments
    if "--list-ranks" not in words:
        return spread.MOST_LISTED
    return int(words[words.index("--list-ranks") + 1])


@dataclass
class TimeLeft:
    """What is left of a run: of this launch as the runner sees it, of others by experience."""

    costs: Costs
    waiting: list[PlannedLaunch]
    # By the monotonic clock; None: the run ends with its launches.
    deadline: float | None = None
    _spent_seconds: float = 0.0
    _expected_seconds: float = 0.0
    _current: PlannedLaunch | None = None
    _finished: int = 0
    _runner_seconds: float | None = None

    def add(self, planned: PlannedLaunch) -> None:
        """Learn of a launch that follows."""
        self.waiting.append(planned)

    def until_deadline(self) -> float | None:
        """Return the seconds until no further launch begins; None where there is no such time."""
        return None if self.deadline is None else max(self.deadline - time.monotonic(), 0.0)

    def is_enough_for(self, *planned: PlannedLaunch) -> bool:
        """Whether further launches are likely to end in time."""
        left = self.until_deadline()
        return left is None or left >= self._share() * most_seconds(planned, self.costs)

    def drop(self) -> list[PlannedLaunch]:
        """Forget the launches that wait, and return them."""
        dropped, self.waiting = self.waiting, []
        return dropped

    def begin(self) -> None:
        """Take the next launch."""
        self._current = self.waiting.pop(0)
        self._finished = 0
        self._runner_seconds = None

    def runner_says(self, seconds: float) -> None:
        """Take the runner's own estimate of its launch."""
        self._runner_seconds = seconds

    def finish_case(self) -> None:
        """One case of this launch is finished."""
        self._finished += 1

    def finish(self, seconds: float) -> None:
        """Learn from this launch, which took so long."""
        assert self._current is not None
        self._spent_seconds += seconds
        self._expected_seconds += _launch_seconds(self._current, self.costs)
        self._current = None
        self._runner_seconds = None

    def seconds(self) -> float:
        """Return what is left."""
        share = self._share()
        planned = self._of_this_launch(share) + share * most_seconds(self.waiting, self.costs)
        return max(planned, self.until_deadline() or 0.0)

    def _share(self) -> float:
        """How long launches take beside what was expected of them."""
        return self._spent_seconds / self._expected_seconds if self._expected_seconds else 1.0

    def _of_this_launch(self, share: float) -> float:
        if self._runner_seconds is not None:
            return self._runner_seconds
        if self._current is None:
            return 0.0
        cases = len(self._current.cases)
        missing = max(cases - self._finished, 0) / cases
        return share * missing * _launch_seconds(self._current, self.costs)
