# SPDX-License-Identifier: BSD-3-Clause
"""Jaguar: pre-computing the route of an ESMF bundle redistribution."""

from __future__ import annotations

from transrank.lab.reference.machine import Machine, ReferencePoint, read_table

NAME = "jaguar"


def machine() -> Machine:
    """Route creation by number of processors, and the partitions that were redistributed."""
    return Machine(
        name=NAME,
        title="Jaguar, Cray XT3/XT4, Oak Ridge",
        attribution="P. Li, ESMF Bundle Redistribution Scalability Benchmark, 2007-07-01",
        conditions=(
            "UNICOS/lc 1.4.35, PGI 6.1.6, ESMF 3.0.1 snapshot 6; the fastest of 10 runs.",
            "Route pre-computation plus creation, 512x1024x16 points, 8 double fields, two "
            "processes per node; O(n) up to 128 processors, O(n^2) beyond, unexplained.",
            "The partitions of the table and the bytes that change processor are exact; the "
            "times of the redistribution itself were only plotted.",
        ),
        points=tuple(
            ReferencePoint(
                machine=NAME,
                study="plan-scaling",
                # Each processor made its own route, between partitions of two dimensions.
                axes={"dimensions": 2, "routes": "one", "plan_ranks": int(row["processors"])},
                nodes=int(row["processors"]) // 2,
                ranks=int(row["processors"]),
                seconds=1e-3 * float(row["total_ms"]),
            )
            for row in read_table("esmf_store_times.csv")
        ),
        tables=("esmf_partitions.csv", "esmf_store_times.csv"),
    )
