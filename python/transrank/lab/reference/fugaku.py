# SPDX-License-Identifier: BSD-3-Clause
"""Fugaku: point to point, collectives, job start and alltoall algorithms."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from transrank.lab.reference.machine import JOB_SHAPE, Machine, ReferencePoint, Torus, read_table

NAME = "fugaku"
# Messages of the counted size that one operation moves, by IMB's convention.
COUNTED = {"PingPong": 1, "PingPing": 1, "Sendrecv": 2, "Exchange": 4}
# Jobs of the collectives, on the Tofu interconnect D: Ajima & al., IEEE CLUSTER 2018.
TORUS = Torus(6.8e9, 6, {384: "4x6x16", 3072: "16x12x16", 27648: "48x12x48"})


def machine() -> Machine:
    """Every published Fugaku number that is comparable with a case of ours."""
    return Machine(
        name=NAME,
        title="Fugaku, A64FX, Tofu interconnect D",
        attribution="RIKEN Center for Computational Science, measurements of 2021 and 2022",
        conditions=(
            "Intel MPI Benchmarks v2021.2 (means), language environment tcsds 1.2.33, 3 GiB per "
            "process, at most 100 s per size, up to 4 MiB.",
            "Point to point: one process per node; PingPong and PingPing on 2 nodes, Sendrecv and "
            "Exchange on a 1-D torus of 384 nodes.",
            "Collectives: four processes per node, 3-D torus of 384 (4x6x16), 3,072 (16x12x16) or "
            "27,648 (48x12x48) nodes.",
            "Memory ends the sweeps: s(P + 1) <= 3 GiB for the rooted and gathering collectives, "
            "2sP <= 3 GiB for alltoall. 0-byte rows are no-ops but for the v-variants.",
            "Job start: from a time stamp before mpiexec to `date` on every rank, minimum and "
            "maximum over ranks.",
            "Alltoall algorithms: OSU 5.7.1, tcsds 1.2.31, one process per node, 12 to 12,288 "
            "nodes; the latencies were only plotted.",
        ),
        points=(*_point_to_point(), *_collectives(), *_launch()),
        tables={
            "fugaku_process_launch.csv": "Job start: seconds until the first and the last rank run",
            "fugaku_alltoall_forms.csv": "Jobs that alltoall was measured on, and their shapes",
            "fugaku_alltoall_algorithms.csv": "Algorithms of alltoall in Fujitsu MPI "
            "(coll_select_alltoall_algorithm); 1: the source compares it",
        },
        torus=TORUS,
    )


def _point_to_point() -> Iterator[ReferencePoint]:
    for row in read_table("fugaku_point_to_point.csv"):
        size = int(row["message_bytes"])
        yield ReferencePoint(
            machine=NAME,
            study=row["benchmark"].lower(),
            axes={"bytes": size},
            nodes=int(row["nodes"]),
            ranks=int(row["procs"]),
            seconds=float(row["seconds"]),
            bytes_counted=float(COUNTED[row["benchmark"]] * size),
        )


def _collectives() -> Iterator[ReferencePoint]:
    """By operation and job; a cell is empty where memory ended the sweep."""
    table = read_table("fugaku_collectives.csv")
    for collective, rows in groupby(table, itemgetter("collective")):
        operation, sizes = collective.lower(), list(rows)
        for nodes in TORUS.shapes:
            for row in sizes:
                if seconds := row[f"seconds_on_{nodes}_nodes"]:
                    yield ReferencePoint(
                        machine=NAME,
                        study="collectives",
                        axes=_collective_axes(operation, row["message_bytes"]),
                        nodes=nodes,
                        ranks=4 * nodes,
                        seconds=float(seconds),
                    )


def _collective_axes(operation: str, size: str) -> dict[str, str | int]:
    """The axes of a case of ours: IMB-MPI1 measures blocking calls, a fixed root, float sums."""
    axes: dict[str, str | int] = {"operation": operation, "form": "blocking"}
    if operation in ("allreduce", "reduce"):
        axes["datatype"] = "float"
    if operation in ("reduce", "gather", "gatherv", "scatter", "scatterv", "bcast"):
        axes["root"] = "fixed"
    if operation != "barrier":
        axes["bytes"] = int(size)
    return axes


def _launch() -> Iterator[ReferencePoint]:
    for row in read_table("fugaku_process_launch.csv"):
        nodes = int(row["nodes"])
        yield ReferencePoint(
            machine=NAME,
            study="launch",
            axes={"stamp": "plain", JOB_SHAPE: row["shape"]},
            nodes=nodes,
            ranks=nodes,
            seconds=float(row["max_seconds"]),
            fastest_seconds=float(row["min_seconds"]),
            note="one repetition",
        )
