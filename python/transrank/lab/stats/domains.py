# SPDX-License-Identifier: BSD-3-Clause
"""Mean and deviation over the ranks of a memory domain: studies `locality` and `contention`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from transrank.lab.stats import contention, locality
from transrank.lab.stats.contention import DomainTime
from transrank.lab.stats.result import CaseResult
from transrank.lab.stats.summary import counted_cases
from transrank.lab.store.lines import Case, Shape

STUDIES = (locality.STUDY, contention.STUDY)


@dataclass(frozen=True, slots=True, eq=False)
class DomainOfCase:
    """The times of one domain in one case; in `locality`, of its ranks on memory at `link`."""

    case: str
    shape: Shape
    link: str
    time: DomainTime

    @property
    def key(self) -> tuple[str, Shape, int, str]:
        """What the same domain has in another run."""
        return self.case, self.shape, self.time.domain, self.link


def domain_times(cases: Iterable[Case], results: Iterable[CaseResult]) -> list[DomainOfCase]:
    """Domain after domain of each of these results, over the launches that count for it."""
    results = [result for result in results if result.study in STUDIES]
    found: dict[tuple[str, Shape], dict[tuple[int, str], list[float]]] = {
        (result.case, result.shape): {} for result in results
    }
    for case in counted_cases(cases, results):
        of_case = found[case.case, case.shape]
        for domain, link, seconds in _by_rank(case):
            of_case.setdefault((domain, link), []).append(seconds)
    return [
        DomainOfCase(case, shape, link, DomainTime(domain, np.array(of_case[domain, link])))
        for (case, shape), of_case in found.items()
        for domain, link in sorted(of_case, key=_nearest_first)
    ]


def _by_rank(case: Case) -> Iterator[tuple[int, str, float]]:
    if case.study == locality.STUDY:
        for worker in locality.workers_of(case):
            if worker.placed is not False:
                yield worker.domain, worker.link, worker.seconds
    elif case.ranks is not None:
        for rank, seconds in enumerate(case.ranks.median.tolist()):
            yield rank // int(case.axes["domain_ranks"]), "", seconds


def _nearest_first(place: tuple[int, str]) -> tuple[int, int]:
    domain, link = place
    return domain, locality.LINKS.index(link) if link in locality.LINKS else len(locality.LINKS)
