# SPDX-License-Identifier: BSD-3-Clause
"""Four machines of the ArrayTransformer bench: updating the ghosts of a 3-D block."""

from __future__ import annotations

from collections.abc import Mapping

from transrank.lab.reference.machine import Machine, ReferencePoint, read_table

TABLE = "ghost_update_arraytransformer.csv"
# Name in the table, and what its source says of the machine.
MACHINES = {
    "GS": "gpu704, 2x Xeon Gold 6326 16-core",
    "THTJ": "thcp1, FT-2000 (the source is unsure)",
    "THTJ1": "cp6, 2x Xeon Gold 6348 2.60 GHz 28-core per node",
    "BSCC-A": "no description",
}
ROWS = "32x32x32"
# Six faces; on 32 ranks the printed times fit five.
GHOST_ROWS = 6 * 32**2


def machines() -> tuple[Machine, ...]:
    """One machine per name in the table."""
    return tuple(_machine(name, title) for name, title in MACHINES.items())


def _machine(name: str, title: str) -> Machine:
    return Machine(
        name=name.lower(),
        title=f"{name}: {title}",
        attribution="ArrayTransformer bench, 2025-03-13",
        conditions=(
            "Pull of the ghosts of 32x32x32 rows per rank, vdim doubles per row, from up to six "
            "neighbors; called from Python.",
            "Seconds follow from the published bandwidth received per rank, counting six faces; "
            "the printed times are truncated and the printed totals mix units.",
            "In the source's program every rank pulls from rank 0; on 32 ranks two of six "
            "neighbors are one, and five faces are pulled.",
        ),
        points=tuple(
            _point(name.lower(), row) for row in read_table(TABLE) if row["machine"] == name
        ),
    )


def _point(machine: str, row: Mapping[str, str]) -> ReferencePoint:
    vdim = int(row["vdim"])
    received = float(GHOST_ROWS * vdim * 8)
    rate = float(row["bandwidth_per_rank_bytes_per_s"])
    return ReferencePoint(
        machine=machine,
        study="ghost",
        # Its program never changes the arrays between two updates.
        axes={"rows": ROWS, "vdim": vdim, "mode": "unmodified"},
        nodes=int(row["nodes"]),
        ranks=int(row["ranks"]),
        seconds=received / rate,
        bytes_counted=received,
    )
