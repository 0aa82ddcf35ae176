# SPDX-License-Identifier: BSD-3-Clause
"""What the published numbers of an ESMF bundle redistribution say of Jaguar and Columbia."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from transrank.lab import units
from transrank.lab.reference.machine import Machine, read_table
from transrank.lab.report.findings.source_table import Sentences, source_table
from transrank.lab.report.tables import Table
from transrank.lab.stats.growth import exponent_of, exponent_text

# From this number of processors on ESMF's times grow faster.
ESMF_BEND = 128


def jaguar(machine: Machine) -> Sentences:
    """How the time to make a route grows with the processors."""
    found = [(point.ranks, point.seconds) for point in machine.of_study("plan-scaling")]
    for words, points in (
        (f"up to {ESMF_BEND} processors", [pair for pair in found if pair[0] <= ESMF_BEND]),
        (f"from {ESMF_BEND} processors on", [pair for pair in found if pair[0] >= ESMF_BEND]),
    ):
        yield (
            "plan-scaling",
            f"ESMF's published times grow {words} with an exponent of "
            f"{exponent_text(exponent_of(points))}.",
        )
    yield "plan-scaling", _polynomial(found)
    yield (
        "redistribute",
        "Why one would unset PACK_BUFFER or set PACK_NOPACK the source asks itself: the times of "
        "the options were only plotted, so its data do not tell. `transrank measure redistribute` "
        "measures what they cost.",
    )


def _polynomial(points: Sequence[tuple[int, float]]) -> str:
    """Relative least squares of a constant, a linear and a quadratic term."""
    ranks, seconds = np.array(points, float).T
    powers = ranks[:, None] ** np.arange(3)
    terms = np.linalg.lstsq(powers / seconds[:, None], np.ones_like(seconds))[0]
    error = float(np.abs(powers @ terms / seconds - 1).max())
    return (
        f"One polynomial of second degree fits all of them within {units.format_percent(error)}, "
        f"with no bend: its linear and its quadratic term are equal at "
        f"{terms[1] / terms[2]:.0f} processors, where the source sees O(n) become O(n^2)."
    )


def columbia(machine: Machine) -> Sentences:
    """What can be said of the discontinuity of its curves."""
    del machine
    before, after = read_table("columbia_systems.csv")
    clock, cache = (
        float(after[column]) / float(before[column]) for column in ("clock_GHz", "l3_cache_MB")
    )
    yield (
        "plan-scaling",
        f"From {before['last_processors']} to {after['first_processors']} processors the system "
        f"changed: its clock is {clock:.2f} times as fast, its cache {cache:.2g} times as large. "
        "The source explains the jump of its curves by that; they were only plotted, so the data "
        "do not tell whether it is enough.",
    )


def columbia_tables(machine: Machine) -> Iterator[Table]:
    """The two systems that it was measured on."""
    del machine
    yield source_table(
        "Where the processors were",
        "columbia_systems.csv",
        {
            "first_processors": "from",
            "last_processors": "to",
            "system": "system",
            "clock_GHz": "clock (GHz)",
            "l3_cache_MB": "L3 cache (MB)",
        },
    )


def jaguar_tables(machine: Machine) -> Iterator[Table]:
    """The parts of the time, and the partitions."""
    del machine
    yield source_table(
        "The parts of store in milliseconds, and their total over that at 32 processors",
        "esmf_store_times.csv",
        {
            "processors": "processors",
            "RoutePrecomputeRedist_ms": "precompute",
            "RouteCreate_ms": "create",
            "total_ms": "total",
            "ratio_printed": "ratio",
        },
    )
    yield source_table(
        "Partitions of 512x1024x16 cells, and the bytes of 8 fields that change processor; "
        "`transrank plan redistribute --published` counts them, too",
        "esmf_partitions.csv",
        {
            "processors": "processors",
            "src_partition": "from",
            "dst_partition": "to",
            "bytes_redistributed": "bytes",
        },
    )
