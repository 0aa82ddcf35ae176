# SPDX-License-Identifier: BSD-3-Clause
"""Which launches a run takes beyond those that it began with: more of what is still wide.

The spread of a case lies between launches (Hunold & Carpen-Amarie, TPDS 27(12), 2016), so that is
where measuring goes on: until the interval that will be printed is as narrow as the precision, or
the time is spent. The variance is that of the case's own launches.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from transrank.lab.stats.cores import CoreState, commonest_state, other_rounds
from transrank.lab.stats.estimate import LEAST_WIDTH
from transrank.lab.stats.result import CaseResult
from transrank.lab.stats.selection import MOST_SLOWED
from transrank.lab.stats.summary import summarise_case
from transrank.lab.store.records import Case, PlannedLaunch, Shape
from transrank.lab.store.settings import Settings
from transrank.lab.survey.estimate import OVERHEAD_SECONDS_PER_CASE

# A state of the cores is found anew when it differs by more.
SAME_STATE = 0.01

Key = tuple[Shape, str]


@dataclass
class Further:
    """Knows the cases of a run as they are measured, and plans the launches that follow.

    `plan` is what the run began with; `states` what was found out of the cores, by shape.
    """

    plan: Sequence[PlannedLaunch]
    options: Settings
    states: dict[Shape, CoreState] = field(default_factory=dict)
    _cases: dict[Key, list[Case]] = field(default_factory=dict)
    _launches: int = 0
    # What is known of a case, with the number of its launches and the state that it was judged by.
    _known: dict[Key, tuple[int, CoreState | None, CaseResult]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._launches = 1 + max(planned.launch for planned in self.plan)

    def take(self, cases: Iterable[Case]) -> None:
        """Learn what was measured."""
        for case in cases:
            self._cases.setdefault((case.shape, case.case), []).append(case)
            self._launches = max(self._launches, case.launch + 1)

    def new_states(self) -> Mapping[Shape, CoreState]:
        """Return the states of the cores that are not those known before, and keep them."""
        found = {}
        for shape in dict.fromkeys(shape for shape, _ in self._cases):
            known = self.states.get(shape)
            state = commonest_state(self._of(shape), known)
            if state != CoreState() and not _same(state, known):
                found[shape] = state
        self.states |= found
        return found

    def state_to_meet(self, shape: Shape) -> CoreState | None:
        """The state whose rounds count, for the runner; its speed only if most rounds have it."""
        state = self.states.get(shape)
        if state is None:
            return None
        if other_rounds(self._of(shape), state).slowed > MOST_SLOWED:
            return CoreState(state.latency_seconds)
        return state

    def launches(self, seconds_left: float | None) -> list[PlannedLaunch]:
        """Return one more launch of what needs it, for each row of the plan that has such cases.

        That is every case that has fewer than the usual number, then those that are wide. Where
        `seconds_left` are too few for all of these, the ones that need the fewest launches: first
        to be at most twice as wide as the precision, then to be as narrow; all that are wide where
        none can become so.
        """
        results = [result for result in map(self._result, self._cases) if result is not None]
        chosen = [result for result in results if self._made(result) < self._usual]
        needed = sum(map(self._launch_seconds, chosen))
        if not chosen or (seconds_left is not None and needed > seconds_left):
            wide = [result for result in results if result.status == "wide" and self._may(result)]
            precision = self.options.precision
            targets = (precision,) if seconds_left is None else (2 * precision, precision)
            reachable = (self._reachable(wide, target, seconds_left) for target in targets)
            chosen = next(filter(None, reachable), wide)
        keys = {(result.shape, result.case) for result in chosen}
        launches = []
        for row in self.rows:
            cases = tuple(case for case in row.cases if (row.shape, case) in keys)
            if cases:
                arguments = _reseeded(row.arguments, self._launches)
                one = replace(row, launch=self._launches, cases=cases, arguments=arguments)
                launches.append(replace(one, lines=()))
                self._launches += 1
        return launches

    @property
    def rows(self) -> Sequence[PlannedLaunch]:
        """The launches of the first repetition: every case of every shape once."""
        return self.plan[: len(self.plan) // self.options.launches]

    def _of(self, shape: Shape) -> list[Case]:
        return [case for (of, _), cases in self._cases.items() if of == shape for case in cases]

    def _result(self, key: Key) -> CaseResult | None:
        cases = self._cases[key]
        if all(case.status != "ok" for case in cases):
            return None
        state = self.states.get(key[0])
        known = self._known.get(key)
        if known is None or known[:2] != (len(cases), state):
            result = summarise_case(cases, state, self.options.precision)
            known = self._known[key] = (len(cases), state, result)
        return known[2]

    @property
    def _usual(self) -> int:
        return self.options.usual_launches or self.options.launches

    def _made(self, result: CaseResult) -> int:
        return len(self._cases[result.shape, result.case])

    def _may(self, result: CaseResult) -> bool:
        """Whether the options leave the case a further launch."""
        if self._made(result) >= (self.options.most_launches or self.options.launches):
            return False
        return (
            self.options.run_seconds is not None
            or result.measuring_seconds < self.options.max_time_seconds
        )

    def _reachable(
        self, wide: Sequence[CaseResult], target: float, seconds: float | None
    ) -> list[CaseResult]:
        """The wider cases that can become as narrow in the time left, the nearest first."""
        if seconds is None:
            return list(wide)
        wider = [r for r in wide if (width := _width(r)) is None or width > target]
        pairs = [(self._seconds_needed(result, target), result) for result in wider]
        chosen = []
        for needed, result in sorted(pairs, key=lambda pair: pair[0]):
            seconds -= needed
            if seconds < 0:
                break
            chosen.append(result)
        return chosen

    def _launch_seconds(self, result: CaseResult) -> float:
        return result.measuring_seconds / self._made(result) + OVERHEAD_SECONDS_PER_CASE

    def _seconds_needed(self, result: CaseResult, target: float) -> float:
        """The width falls with the root of the number of launches, but not below LEAST_WIDTH."""
        width = _width(result)
        share = 1.0
        if width is not None:
            variance, wanted = (one**2 - LEAST_WIDTH**2 for one in (width, target))
            share = max(variance / wanted - 1, 0.0) if wanted > 0 else math.inf
        return max(self._made(result) * share, 1.0) * self._launch_seconds(result)


def _width(result: CaseResult) -> float | None:
    return result.headline.relative_width if result.headline else None


def _same(one: CoreState, other: CoreState | None) -> bool:
    if other is None:
        return False
    pairs = ((one.latency_seconds, other.latency_seconds), (one.work_seconds, other.work_seconds))
    return all(
        a == b or (a is not None and b is not None and abs(a - b) <= SAME_STATE * b)
        for a, b in pairs
    )


def _reseeded(arguments: Sequence[str], number: int) -> tuple[str, ...]:
    """The arguments with another seed: orders and payloads differ from launch to launch."""
    changed = list(arguments)
    place = changed.index("--seed") + 1
    changed[place] = str((int(changed[place]) + number) % 2**63)
    return tuple(changed)
