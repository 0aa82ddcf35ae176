# SPDX-License-Identifier: BSD-3-Clause
"""Families of tests: which findings to believe when many cases are judged at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RATE = 0.05


def discoveries(p_values: Sequence[float]) -> list[bool]:
    """Which of a family of tests to believe when a share RATE of false ones is tolerated.

    Of m ordered p-values the first i are believed, i the largest with p_i <= RATE * i / m.

    Source: Benjamini & Hochberg, J. R. Statist. Soc. B 57, 1995; it also holds for the positive
    dependence (Benjamini & Yekutieli, Annals of Statistics 29, 2001) of cases that share launches.
    """
    p = np.asarray(p_values, dtype=float)
    if p.size == 0:
        return []
    order = np.argsort(p)
    below = p[order] <= RATE * np.arange(1, p.size + 1) / p.size
    believed = np.zeros(p.size, dtype=bool)
    if below.any():
        believed[order[: int(np.flatnonzero(below)[-1]) + 1]] = True
    return [bool(one) for one in believed]
