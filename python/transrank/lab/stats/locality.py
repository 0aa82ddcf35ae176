# SPDX-License-Identifier: BSD-3-Clause
"""Study `locality`: the cost of memory in other domains, and how likely chance explains it.

A rank's value is the median of its samples in a launch. Where its memory was is what the kernel
said, not what was meant: ranks whose pages lay elsewhere are left out of every comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transrank.lab.reference.machine import ReferencePoint
from transrank.lab.store.lines import Case, Shape

STUDY = "locality"
# From the nearest to the farthest.
LINKS = ("own", "neighbor", "counterpart", "diagonal")
# Those of HECToR's guide.
GUIDE_LINKS = {
    "local": "own",
    "neighbour_die_same_processor": "neighbor",
    "counterpart_die_other_processor": "counterpart",
    "diagonal_die_other_processor": "diagonal",
}
RESAMPLES = 9999

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Worker:
    """One rank in one launch: seconds per operation on memory that `toucher` touched first.

    `placed` is False where the kernel says that pages are in another domain than the toucher's,
    None where it does not say.
    """

    rank: int
    toucher: int
    domain: int
    data_domain: int
    link: str
    seconds: float
    placed: bool | None
    launch: int = 0


@dataclass(frozen=True, slots=True)
class Locality:
    """One kernel on one size of matrices: the workers of each arrangement of memory."""

    kernel: str
    order: int
    shape: Shape
    arrangements: Mapping[str, tuple[Worker, ...]]
    # Why the others were not measured, by arrangement.
    skipped: Mapping[str, str]

    @property
    def workers(self) -> list[Worker]:
        """All workers whose memory was in the intended place, as far as known."""
        return [
            worker
            for workers in self.arrangements.values()
            for worker in workers
            if worker.placed is not False
        ]

    @property
    def misplaced(self) -> int:
        return sum(
            worker.placed is False for workers in self.arrangements.values() for worker in workers
        )

    @property
    def unverified(self) -> bool:
        """Whether the kernel did not report the location of all workers' pages."""
        return any(worker.placed is None for worker in self.workers)


def localities(cases: Sequence[Case]) -> list[Locality]:
    """Gather the study's cases of a run by kernel, size and shape."""
    found: dict[tuple[str, int, Shape], dict[str, list[Worker]]] = {}
    reasons: dict[tuple[str, int, Shape], dict[str, str]] = {}
    for case in cases:
        if case.study != STUDY:
            continue
        key = (str(case.axes["kernel"]), int(case.axes["order"]), case.shape)
        arrangement = str(case.axes["arrangement"])
        if case.status == "skipped":
            reasons.setdefault(key, {})[arrangement] = case.reason or ""
        elif case.status == "ok":
            found.setdefault(key, {}).setdefault(arrangement, []).extend(workers_of(case))
    return [
        Locality(
            *key,
            {name: tuple(workers) for name, workers in arrangements.items()},
            reasons.get(key, {}),
        )
        for key, arrangements in sorted(found.items())
    ]


def workers_of(case: Case) -> list[Worker]:
    """The ranks of one launch of a case; none where the record lacks them."""
    memory, ranks = case.memory, case.ranks
    if memory is None or ranks is None:
        return []
    return [
        Worker(
            rank,
            memory.toucher[rank],
            memory.domain[rank],
            memory.domain[memory.toucher[rank]],
            memory.link[rank],
            float(seconds),
            None if memory.pages_unknown[rank] else memory.pages_elsewhere[rank] == 0,
            case.launch,
        )
        for rank, seconds in enumerate(ranks.median)
    ]


def guide_workers(points: Sequence[ReferencePoint]) -> list[Worker]:
    """The threads of HECToR's guide as ranks, the fastest first."""
    found = [
        Worker(
            rank=(thread := int(point.axes["thread"])),
            toucher=(init := int(point.axes["init_thread"])),
            domain=thread // 6,
            data_domain=init // 6,
            link=GUIDE_LINKS[str(point.axes["locality"])],
            seconds=point.seconds,
            placed=None,
        )
        for point in points
    ]
    return sorted(found, key=lambda worker: worker.seconds)


def by_time(workers: Sequence[Worker]) -> list[Worker]:
    """Each rank once, with the median over its launches, the fastest first."""
    values: dict[tuple[int, int], list[Worker]] = {}
    for worker in workers:
        values.setdefault((worker.rank, worker.toucher), []).append(worker)
    once = [
        Worker(
            rank=first.rank,
            toucher=first.toucher,
            domain=first.domain,
            data_domain=first.data_domain,
            link=first.link,
            seconds=float(np.median([worker.seconds for worker in launches])),
            placed=first.placed,
        )
        for launches in values.values()
        for first in launches[:1]
    ]
    return sorted(once, key=lambda worker: worker.seconds)


def matrix(measured: Locality) -> dict[tuple[int, int], float]:
    """Mean over ranks by (computing domain, domain of the memory), for those that were measured."""
    cells: dict[tuple[int, int], list[float]] = {}
    for worker in by_time(measured.workers):
        cells.setdefault((worker.domain, worker.data_domain), []).append(worker.seconds)
    return {cell: float(np.mean(values)) for cell, values in sorted(cells.items())}


def values_by_link(measured: Locality) -> dict[str, Values]:
    """Seconds of all workers by the link to their memory, the nearest first."""
    return by_link(measured.workers)


def by_link(workers: Sequence[Worker]) -> dict[str, Values]:
    """Seconds of these workers by the link to their memory, the nearest first."""
    return {
        link: np.array([worker.seconds for worker in workers if worker.link == link])
        for link in LINKS
        if any(worker.link == link for worker in workers)
    }


def p_value(one: Values, other: Values) -> float:
    """How likely chance makes means so different: by a permutation test, two-sided.

    Exact where there are few enough permutations, else RESAMPLES random ones.
    """
    from scipy import stats  # a second to load

    found = stats.permutation_test(
        (one, other),
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        vectorized=True,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(1),
    )
    return float(found.pvalue)
