# SPDX-License-Identifier: BSD-3-Clause
"""The published profile of an advected sine, computed and analytic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from transrank.lab.reference import triton
from transrank.lab.reference.machine import read_table


@dataclass(frozen=True, slots=True)
class Profile:
    """Values along x after the last step, as printed."""

    title: str
    attribution: str
    computed: tuple[float, ...]
    analytic: tuple[float, ...]


@cache
def published_profile() -> Profile:
    """The 50 points that were printed."""
    rows = list(read_table("advection_profile.csv"))
    machine = triton.machine()
    return Profile(
        title=machine.title,
        attribution=machine.attribution,
        computed=tuple(float(row["c_numeric"]) for row in rows),
        analytic=tuple(float(row["c_analytic"]) for row in rows),
    )
