# SPDX-License-Identifier: BSD-3-Clause
"""What a rule is, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from transrank.lab.findings.evidence import Of, weigh
from transrank.lab.findings.values import Numbers, Value
from transrank.lab.stats.estimate import Estimate
from transrank.lab.store.lines import Shape


@dataclass(frozen=True, slots=True)
class Trial:
    """One case of a rule: where it was tried, the number that decides, what chance explains of it.

    `said` is what the data say where the rule is broken; trials that say the same share a sentence.
    `beside` is the other size of a comparison within a curve. `asked`: of so few trials that what
    they do not decide is said, too.
    """

    said: str
    subject: str
    shape: Shape
    bytes: int
    beside: int
    number: Estimate
    p_value: float
    asked: bool = False


def tried(
    said: str, bound: float, of: Of, first: Value, *others: Value, subject: str | None = None
) -> Iterator[Trial]:
    """Whether `of` these values is more than `bound`, at the first one's place and by its name."""
    number = weigh(of, first, *others)
    if number is not None:
        name = first.name if subject is None else subject
        where = (name, first.shape, first.bytes, others[0].bytes)
        yield Trial(said, *where, number.estimate, number.chance(bound))


@dataclass(frozen=True, slots=True)
class Rule:
    """A statement about times, its rival, and the trials that decide between them.

    Where the statement holds, or the data do not decide, nothing is said.
    """

    name: str
    statement: str
    rival: str
    trials: Callable[[Numbers], Iterator[Trial]]


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that is broken from the size `first` to `last` of one operation, most at `worst`."""

    rule: Rule
    worst: Trial
    first: int
    last: int
