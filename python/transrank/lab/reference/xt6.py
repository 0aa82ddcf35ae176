# SPDX-License-Identifier: BSD-3-Clause
"""HECToR phase IIb, a Cray XT6 node: what memory of another die costs."""

from __future__ import annotations

from transrank.lab.reference.machine import Machine, ReferencePoint, read_table

NAME = "xt6"
# What the figures show, as an axis of ours; all threads of the node compute at once.
ARRANGEMENTS = {"2": "own", "3": "exchanged"}
THREADS = 24


def machine() -> Machine:
    """Both tables of matrix products."""
    return Machine(
        name=NAME,
        title="HECToR phase IIb, Cray XT6, 24 cores on four dies",
        attribution="Good Practice Guide, Preparing for HECToR Phase IIb (24-core), appendix",
        conditions=(
            "Seconds of one product of 3000x3000 matrices per thread, 24 OpenMP threads at once.",
            "Figure 2: every thread works on memory of its own die. Figure 3: half of them on "
            "memory of another die, over HyperTransport links of 24, 16 or 8 bits.",
            "The source calls the numbers no official benchmark. Messages between two nodes beside "
            "others' traffic, figures 4 and 5, were only plotted.",
        ),
        points=tuple(
            ReferencePoint(
                machine=NAME,
                study="locality",
                axes={
                    "kernel": "dgemm",
                    "arrangement": ARRANGEMENTS[row["figure"]],
                    "order": 3000,
                    "figure": int(row["figure"]),
                    "thread": int(row["thread"]),
                    "init_thread": int(row["init_thread"]),
                    "locality": row["locality"],
                    "link": row["link"],
                },
                nodes=1,
                ranks=THREADS,
                seconds=float(row["seconds"]),
            )
            for row in read_table("memory_locality_xt6.csv")
        ),
    )
