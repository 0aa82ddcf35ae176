# SPDX-License-Identifier: BSD-3-Clause
"""Jaguar and Columbia: an ESMF bundle redistribution, and the route that it makes before."""

from __future__ import annotations

from collections.abc import Iterator

from transrank.lab.reference.machine import Machine, ReferencePoint, read_table

NAME = "jaguar"
ATTRIBUTION = "P. Li, ESMF Bundle Redistribution Scalability Benchmark, 2007-07-01"


def machines() -> tuple[Machine, ...]:
    """The machine with printed times, and the one whose times were only plotted."""
    return _jaguar(), _columbia()


def _jaguar() -> Machine:
    """Route creation by number of processors, and the partitions that were redistributed."""
    return Machine(
        name=NAME,
        title="Jaguar, Cray XT3/XT4, Oak Ridge",
        attribution=ATTRIBUTION,
        conditions=(
            "UNICOS/lc 1.4.35, PGI 6.1.6, ESMF 3.0.1 snapshot 6; the fastest of 10 runs.",
            "Route pre-computation plus creation, 512x1024x16 points, 8 double fields, two "
            "processes per node; O(n) up to 128 processors, O(n^2) beyond, unexplained.",
            "The partitions of the table and the bytes that change processor are exact; the "
            "times of the redistribution itself, by packing and option, were only plotted, up to "
            "2,048 processors.",
            "2048x4096x8 points, 16 Gbytes as printed, ran out of memory on 4 and 8 processors.",
        ),
        points=tuple(_routes("total_ms")),
        parts=(*_routes("RoutePrecomputeRedist_ms"), *_routes("RouteCreate_ms")),
        tables={
            "esmf_store_times.csv": "The parts of store; ratio: to the total at 32 processors",
            "esmf_partitions.csv": "Partitions of 512x1024x16 cells, and bytes of 8 fields that "
            "change processor; `transrank plan redistribute --published` counts them, too",
        },
    )


def _routes(column: str) -> Iterator[ReferencePoint]:
    """Each processor made its own route, between partitions of two dimensions."""
    part = {} if column == "total_ms" else {"part": column.removesuffix("_ms")}
    for row in read_table("esmf_store_times.csv"):
        ranks = int(row["processors"])
        yield ReferencePoint(
            machine=NAME,
            study="plan-scaling",
            axes={"dimensions": 2, "routes": "one", "plan_ranks": ranks, **part},
            nodes=ranks // 2,
            ranks=ranks,
            seconds=1e-3 * float(row[column]),
        )


def _columbia() -> Machine:
    return Machine(
        name="columbia",
        title="Columbia, SGI Altix, NASA Ames",
        attribution=ATTRIBUTION,
        conditions=(
            "Linux 2.6.5-7.276-sn2, Intel compilers 9.1.039, SGI MPT 1.12.0, ESMF 3.0.1 "
            "snapshot 6; the fastest of 10 runs.",
            "Store and run of 8 double fields, 1024x512x16 and 2048x4096x8 points, on up to "
            "1,024 of 2,032 processors for computing; all times were only plotted.",
            "2048x4096x8 points ran out of memory on 4 processors.",
            "Jaguar was faster for both grids, in store and in run; the curves of the two have the "
            "same shape but for a discontinuity from 256 to 512 processors on Columbia.",
        ),
        points=(),
        tables={"columbia_systems.csv": "Where the processors were"},
    )
