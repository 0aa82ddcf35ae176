# SPDX-License-Identifier: BSD-3-Clause
"""What does an exchange with neighbors cost? A panel per topology, a curve per way."""

from __future__ import annotations

from transrank.lab.report.questions.study import Study

STUDY = Study(
    "neighborhood",
    "What does an exchange with neighbors cost?",
    "Time of the slowest rank from a common start over the block for one neighbor, with {shape}. "
    "Bands are 95 % intervals over launches, small dots are outlying launches.",
    way=("form", "operation"),
    where=lambda result: f"neighbors as on {result.text('topology')}",
    # What solvers call.
    baseline=("blocking neighbor_alltoallv",),
    rivals={
        name: name
        for name in ("persistent neighbor_alltoallv", "persistent messages", "persistent exchange")
    },
    told=4096,
)
