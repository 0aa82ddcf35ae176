# SPDX-License-Identifier: BSD-3-Clause
"""Which samples of a case count.

One rule applies to each case separately: a sample counts if no flag disqualifies it and its round
was measured with the cores in the state of the run. If that leaves too few launches, the rule is
relaxed for the whole case, step by step, and the case says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from transrank.lab.stats.cores import CoreState
from transrank.lab.stats.launches import LEAST_LAUNCHES
from transrank.lab.stats.segments import Segments, joined
from transrank.lab.store.lines import DISTURBED, LATE, STOLEN, WARM_UP, Samples

# A launch with fewer samples that count has no meaningful median ...
LEAST_SAMPLES = 3
# ... nor has one with a smaller share of them: if ranks share cores all the time, the few
# undisturbed samples are not representative.
LEAST_SHARE = 0.05

# If cores were slower for a larger share of the undisturbed samples, that is usual here: the rest
# is of few launches, and differs more from run to run.
MOST_SLOWED = 0.5

# The requirements on samples that count, the strictest first.
BASES = ("clean", "any speed", "any cores", "all")

Mask = NDArray[np.bool_]
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The samples of a case that count: a mask for each launch, empty if the launch does not.

    Attributes
    ----------
    counted
        for each launch a mask over all of its samples.
    taken
        samples after warm-up, all launches.
    basis
        of BASES: `clean`, undisturbed and in the state of the run's cores; `any speed`,
        undisturbed, with the cores at that distance; `any cores`, undisturbed, with the cores in
        any state; `all` except warm-up.
    """

    counted: tuple[Mask, ...]
    taken: int
    basis: str

    @property
    def kept(self) -> float:
        """The share of the samples after warm-up that count."""
        counted = sum(int(np.count_nonzero(mask)) for mask in self.counted)
        return counted / self.taken if self.taken else 0.0


def select(
    launches: Sequence[Samples], state: CoreState | None = None, strictest: str = BASES[0]
) -> Selection:
    """Choose the samples of a case, launch by launch; `strictest` is the first basis to try.

    Warm-up never counts, unless there is nothing else. Samples during which a rank lost its core, a
    hypervisor took time, or a rank started late do not count, nor do those of rounds in another
    state of the cores. A launch with too few samples that count is left out. If fewer than
    LEAST_LAUNCHES launches are left (or fewer than all, if there are fewer), or if cores were
    slower for most of the samples, their speed is ignored; then their distance; and if that does
    not help either, all samples count.
    """
    return select_each([Asked(launches, state, strictest)])[0]


class Asked(NamedTuple):
    """What `select` is asked of a case."""

    launches: Sequence[Samples]
    state: CoreState | None = None
    strictest: str = BASES[0]


def select_each(asked: Sequence[Asked]) -> list[Selection]:
    """Choose the samples of many cases at once."""
    launches = [samples for case in asked for samples in case.launches]
    cases = Segments(len(case.launches) for case in asked)
    flags, after, segments = after_warm_up(launches)
    undisturbed = after & ((flags & (DISTURBED | STOLEN | LATE)) == 0)
    bounds = np.array([(case.state or CoreState()).bounds() for case in asked]).reshape(-1, 3)
    least, most, work = cases.spread(bounds).T
    at_distance = undisturbed & _met(launches, "core_latency_seconds", least, most)
    in_state = at_distance & _met(launches, "core_work_seconds", np.zeros(len(launches)), work)
    masks = np.stack([in_state, at_distance, undisturbed, after])
    counts = np.array([segments.sums(mask) for mask in masks])
    least_counts = np.maximum(np.minimum(LEAST_SAMPLES, counts[-1]), LEAST_SHARE * counts[-1])
    enough = counts >= least_counts
    serves = np.array([cases.sums(row) for row in enough]) >= np.minimum(
        LEAST_LAUNCHES, cases.lengths
    )
    serves[0] &= cases.sums(counts[0]) >= (1 - MOST_SLOWED) * cases.sums(counts[1])
    first = np.array([BASES.index(case.strictest) for case in asked])
    serves &= first <= np.arange(len(BASES))[:, None]
    serves[-1] = True
    basis = serves.argmax(axis=0)
    of_launch = cases.spread(basis)
    counted = masks[segments.spread(of_launch), np.arange(flags.size)]
    enough[-1] = True
    counted &= segments.spread(enough[of_launch, np.arange(len(launches))])
    parts = iter(segments.parts(counted))
    return [
        Selection(tuple(islice(parts, len(case.launches))), taken, BASES[number])
        for case, taken, number in zip(
            asked, cases.sums(counts[-1]).tolist(), basis.tolist(), strict=True
        )
    ]


def _met(launches: Sequence[Samples], name: str, least: Floats, most: Floats) -> Mask:
    """Which samples are of rounds of which a probe found this much, or has no answer."""
    rounds = Segments(samples.rounds.size for samples in launches)
    probes = [getattr(samples, name) for samples in launches]
    unknown = np.array([probe is None for probe in probes], dtype=bool) | np.isinf(most)
    found = joined(
        [
            np.zeros(samples.rounds.size) if probe is None else probe
            for samples, probe in zip(launches, probes, strict=True)
        ]
    )
    met = (rounds.spread(least) <= found) & (found <= rounds.spread(most)) | rounds.spread(unknown)
    return np.repeat(met, joined([samples.rounds for samples in launches], np.int64))


def after_warm_up(launches: Sequence[Samples]) -> tuple[Integers, Mask, Segments]:
    """The flags of all samples, which of them are not warm-up, and each launch's part of both.

    All samples of a launch that has no others count as such.
    """
    flags = joined([samples.flags for samples in launches], np.int64)
    segments = Segments(samples.flags.size for samples in launches)
    mask = (flags & WARM_UP) == 0
    return flags, mask | segments.spread(segments.sums(mask) == 0), segments
