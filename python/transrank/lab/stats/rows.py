# SPDX-License-Identifier: BSD-3-Clause
"""Samples as flat rows, for CSV and Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from transrank.lab.stats.summary import counted_samples
from transrank.lab.store.records import Case, Run

Row = dict[str, Any]


def sample_rows(run: Run, cases: Iterable[Case]) -> Iterator[Row]:
    """One row per sample of `cases`, warm-up and disturbed ones included, in the order taken.

    `counted` says which of them the headline is made of: the median over launches of the medians
    of each launch's counted samples.
    """
    for case, counted in counted_samples(run, cases):
        samples = case.samples
        assert samples is not None
        rounds = np.repeat(np.arange(samples.rounds.size), samples.rounds).tolist()
        late = samples.late_seconds
        for i, seconds in enumerate(samples.seconds.tolist()):
            yield {
                "study": case.study,
                "case": case.case,
                "ranks": case.shape.ranks,
                "ranks_per_node": case.shape.ranks_per_node,
                "launch": case.launch,
                "round": rounds[i],
                "sample": i,
                "seconds": seconds,
                "fastest_seconds": float(samples.fastest[i]),
                "flags": int(samples.flags[i]),
                "counted": bool(counted[i]),
                "late_seconds": None if late is None else float(late[i]),
            }
