# SPDX-License-Identifier: BSD-3-Clause
"""Triton: three ways to send 100,000 bytes, inside a node and between two."""

from __future__ import annotations

from collections.abc import Iterator

from transrank.lab.reference.machine import Machine, ReferencePoint, read_table

NAME = "triton"


def machine() -> Machine:
    """The published bandwidths, and the facts of the same sheet."""
    return Machine(
        name=NAME,
        title="Triton, nodes pe*, InfiniBand FDR",
        attribution="course CS-E4690, sheet 1, 2024-10-10",
        conditions=(
            "Ping-pong of two ranks on one node or two, mean of 1000 repetitions per size; timed "
            "on rank 0 as half a round trip; the buffer of MPI_Bsend attached outside the clock.",
            "The source halves every time, also that of MPI_Sendrecv, which moves data both ways "
            "at once: its figures count both directions.",
            "Two figures as published; 47 sizes from 1 to 100,000 bytes were measured, the curves "
            "only plotted.",
        ),
        points=tuple(_points()),
        tables={
            "advection_parameters.csv": "What the source says of its advection and of its messages",
            "advection_profile.csv": "The advected field along x, as printed",
        },
    )


def _points() -> Iterator[ReferencePoint]:
    for row in read_table("send_modes_bandwidth.csv"):
        size = int(row["message_bytes"])
        directions = 2 if row["send_routine"] == "MPI_Sendrecv" else 1
        counted = float(directions * size)
        yield ReferencePoint(
            machine=NAME,
            study="send-modes",
            axes={"routine": row["send_routine"].removeprefix("MPI_").lower(), "bytes": size},
            nodes=int(row["nodes"]),
            ranks=2,
            seconds=counted / (float(row["bandwidth_GB_per_s"]) * 1e9),
            bytes_counted=counted,
        )
