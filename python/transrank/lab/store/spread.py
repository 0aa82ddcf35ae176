# SPDX-License-Identifier: BSD-3-Clause
"""How times spread over ranks: what a case has where these are too many to list each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Of a spread's quantiles.
PROBABILITIES = (0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)
MOST_EXTREMES = 4
# Ranks of whose times a line has each; of more, how they spread.
MOST_LISTED = 256


def members(by_rank: Mapping[str, Floats], most_listed: int = MOST_LISTED) -> dict[str, Any]:
    """The member of a case line that has these columns: `ranks`, or `over_ranks` of many ranks.

    Columns are of one length; NaN stands for a rank that has no part in the case.
    """
    ranks = next(iter(by_rank.values())).size
    if ranks <= most_listed:
        return {"ranks": {name: _with_nulls(seconds) for name, seconds in by_rank.items()}}
    spreads = {name: spread(seconds) for name, seconds in by_rank.items()}
    return {"over_ranks": {"ranks": ranks, **spreads}}


def spread(by_rank: Floats) -> dict[str, Any]:
    """How the times of the ranks that have a part in a case spread; some rank has one."""
    ranks = np.flatnonzero(~np.isnan(by_rank))
    seconds = by_rank[ranks]
    return {
        "count": ranks.size,
        "first": _with_nulls(by_rank[:1])[0],
        "mean": float(seconds.mean()),
        "quantiles": np.quantile(seconds, PROBABILITIES).tolist(),
        "fastest": _extremes(ranks, seconds, np.argsort(seconds, kind="stable")),
        "slowest": _extremes(ranks, seconds, np.argsort(-seconds, kind="stable")),
    }


def _extremes(
    ranks: NDArray[np.intp], seconds: Floats, order: NDArray[np.intp]
) -> dict[str, list[Any]]:
    few = order[:MOST_EXTREMES]
    return {"ranks": ranks[few].tolist(), "seconds": seconds[few].tolist()}


def _with_nulls(seconds: Floats) -> list[float | None]:
    return [None if np.isnan(value) else value for value in seconds.tolist()]
