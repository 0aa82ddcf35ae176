# SPDX-License-Identifier: BSD-3-Clause
"""Measure two variants in turns: each launch of a plan once with either, A B, then B A, and so on.

Each variant has a record of its own, and launch i of both is a pair. What is launched again, and
until when, is what `Further` says; what has to be narrow is the interval of the ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from transrank.errors import LaunchError
from transrank.lab.stats.cores import CoreState
from transrank.lab.stats.launches import combine
from transrank.lab.stats.pairs import paired_ratios, summarise_case_pair
from transrank.lab.stats.result import CaseResult
from transrank.lab.store import records
from transrank.lab.store.records import TIME_SPENT, PlannedLaunch, Shape
from transrank.lab.survey.driver import Driver
from transrank.lab.survey.estimate import Costs, TimeLeft
from transrank.lab.survey.further import Further, Key
from transrank.lab.survey.lines import cores_line, event_line, planned_line
from transrank.lab.survey.progress import Progress


@dataclass
class FurtherPairs(Further):
    """Knows the cases of variant A; `other`, with the same plan, knows those of B."""

    other: Further = field(kw_only=True)
    _ratios: dict[Key, tuple[int, int, CoreState | None, CaseResult]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        # Both are judged by one state of the cores.
        self.other.states = self.states

    def new_states(self) -> Mapping[Shape, CoreState]:
        """Return the states of the cores that are not those known before, and keep them."""
        both = Further(self.plan, self.options, self.states)
        for side in (self, self.other):
            for cases in side._cases.values():
                both.take(cases)
        return both.new_states()

    def _result(self, key: Key) -> CaseResult | None:
        """The case of either variant, with the ratio as its value."""
        ours, theirs = self._cases[key], self.other._cases.get(key, [])
        if not all(any(case.status == "ok" for case in cases) for cases in (ours, theirs)):
            return None
        state = self.states.get(key[0])
        known = self._ratios.get(key)
        if known is None or known[:3] != (len(ours), len(theirs), state):
            baseline, candidate = summarise_case_pair(ours, theirs, state)
            ratios = paired_ratios(baseline, candidate)
            ratio = combine(ratios) if ratios else None
            width = ratio.relative_width if ratio else None
            wide = width is None or width > self.options.precision
            result = replace(
                candidate,
                headline=ratio,
                status="wide" if wide else "ok",
                measuring_seconds=(baseline.measuring_seconds + candidate.measuring_seconds) / 2,
            )
            known = self._ratios[key] = (len(ours), len(theirs), state, result)
        return known[3]

    def _launch_seconds(self, result: CaseResult) -> float:
        return 2 * super()._launch_seconds(result)


@dataclass
class PairDriver(Driver):
    """Drives variant A, whose `further` knows both; `other` drives B by the same plan."""

    other: Driver = field(kw_only=True)

    def __post_init__(self) -> None:
        self.other.failed = self.failed

    def remaining(self) -> list[PlannedLaunch]:
        """Return the launches that have cases left in either variant, with only these cases."""
        done = self.finished & self.other.finished
        left = [replace(planned, cases=_without(planned, done), lines=()) for planned in self.plan]
        return [planned for planned in left if planned.cases]

    def _run(self, show: Callable[[int], Progress]) -> None:
        try:
            super()._run(lambda total: show(2 * total))
            records.append_line(self.other.record, event_line("finished"))
        finally:
            self.other._remove_empty_folder()

    def _launch(self, planned: PlannedLaunch, progress: Progress, left: TimeLeft) -> float:
        """Launch both variants, in the other order than the time before."""
        if all(one.launch != planned.launch for one in self.other.plan):
            records.append_line(self.other.record, planned_line(planned))
            self.other.plan = [*self.other.plan, planned]
            progress.more(len(planned.cases))
        sides = [
            ("a", super()._launch, self.finished),
            ("b", self.other._launch, self.other.finished),
        ]
        seconds = 0.0
        for name, launch, done in reversed(sides) if self._begins_with_b(planned) else sides:
            lacking = replace(planned, cases=_without(planned, done))
            progress.more(len(lacking.cases) - len(planned.cases))
            with naming(name):
                seconds += launch(lacking, progress, left) if lacking.cases else 0.0
        return seconds

    def _drop(self, left: TimeLeft, progress: Progress) -> None:
        before = progress.total
        super()._drop(left, progress)
        progress.more(progress.total - before)  # as many of B
        records.append_line(self.other.record, event_line(TIME_SPENT))

    def _begins_with_b(self, planned: PlannedLaunch) -> bool:
        """A B, then B A: what grows steadily is as much in favor of the one as of the other."""
        before = (
            one.launch < planned.launch
            and (one.shape, one.selection) == (planned.shape, planned.selection)
            for one in self.plan
        )
        return sum(before) % 2 == 1

    def _find_states(self) -> None:
        assert self.further is not None
        for shape, state in self.further.new_states().items():
            for record in (self.record, self.other.record):
                records.append_line(record, cores_line(shape, state))

    def _close(self, event: str, message: str) -> None:
        super()._close(event, message)
        self.other.further = None  # the states of the cores are written already
        self.other._close(event, message)

    def _kept_words(self) -> str:
        return f"{super()._kept_words()}; {self.other._kept_words()}"


@contextmanager
def naming(variant: str) -> Iterator[None]:
    """Let what goes wrong with launches say of which variant they are."""
    try:
        yield
    except LaunchError as error:
        raise LaunchError(f"variant {variant.upper()}: {error.message}", error.hint) from error


def _without(planned: PlannedLaunch, done: Collection[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(case for case in planned.cases if (planned.launch, case) not in done)


def taking_turns(a: Driver, b: Driver) -> PairDriver:
    """Return what drives both variants by the plan of A."""
    assert a.further is not None
    assert b.further is not None
    further = FurtherPairs(a.further.plan, a.further.options, a.further.states, other=b.further)
    for cases in a.further._cases.values():
        further.take(cases)
    costs = Costs(
        a.costs.start_seconds + b.costs.start_seconds, a.costs.case_seconds + b.costs.case_seconds
    )
    return PairDriver(**{**vars(a), "further": further, "costs": costs}, other=b)
