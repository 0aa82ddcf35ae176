# SPDX-License-Identifier: BSD-3-Clause
"""Study `locality`: the cost of memory in other domains, and which differences are significant.

A rank's value is the median of its samples in a launch. Where its memory was is what the kernel
said, not what was meant: ranks whose pages lay elsewhere are left out of every comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from transrank.lab.reference.machine import ReferencePoint
from transrank.lab.stats.compare import paired_ratio
from transrank.lab.stats.discoveries import discoveries
from transrank.lab.stats.estimate import Estimate
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


@dataclass(frozen=True, slots=True)
class Penalty:
    """The cost of memory over the link `far` compared with memory over `near`.

    `share` is the difference of the means as a share of the nearer's; `real` whether it is
    believed.
    """

    near: str
    far: str
    share: float
    p_value: float
    real: bool


def ratio_over_launches(measured: Locality, near: str, far: str) -> Estimate | None:
    """The time of memory over `far` relative to `near`; None with a single launch."""
    means = [
        {
            launch: float(np.mean([w.seconds for w in workers if w.launch == launch]))
            for launch in {worker.launch for worker in workers}
        }
        for link in (near, far)
        for workers in [[worker for worker in measured.workers if worker.link == link]]
    ]
    both = sorted(means[0].keys() & means[1].keys())
    if len(both) < 2:
        return None
    return paired_ratio(*([mean[launch] for launch in both] for mean in means))


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


def penalties(values: Mapping[str, Values], seed: int = 1) -> list[Penalty]:
    """Compare every two links by a permutation test of the difference of means.

    Two-sided; exact where there are few enough permutations, else RESAMPLES random ones drawn with
    `seed`. Believed are those that survive among all of them (see `discoveries`).
    """
    pairs = list(combinations(values, 2))
    p_values = [_p_value(values[near], values[far], seed) for near, far in pairs]
    return [
        Penalty(near, far, float(values[far].mean() / values[near].mean() - 1), p_value, real)
        for (near, far), p_value, real in zip(pairs, p_values, discoveries(p_values), strict=True)
    ]


def _p_value(one: Values, other: Values, seed: int) -> float:
    from scipy import stats  # a second to load

    found = stats.permutation_test(
        (one, other),
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        vectorized=True,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(seed),
    )
    return float(found.pvalue)
