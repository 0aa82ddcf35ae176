# SPDX-License-Identifier: BSD-3-Clause
"""What the survey measures: everything, or in a quick one a little of everything."""

from __future__ import annotations

from transrank.survey import catalogue
from transrank.survey.catalogue import Study
from transrank.survey.plan import Selection, join, select

FULL_LAUNCHES = 5
QUICK_LAUNCHES = 3
# The promise is three minutes; the rest is for starting, checking and writing the report.
QUICK_SECONDS = 135.0
QUICK_JOB_STARTS = 3
# Measured time per case, all launches together.
MOST_SECONDS, LEAST_SECONDS = 1.0, 0.06

# Few sizes, chosen so that each step of the curves is still seen.
QUICK_SIZES = {
    "": "0,8,64,512,4KiB,32KiB,256KiB,4MiB",
    "send-modes": "1,100,1000,10000,100000",
    "collectives": "0,8,1KiB,32KiB,1MiB",
}
QUICK_AXES = {
    "collectives": {
        "operation": ("allreduce", "reduce", "allgather", "alltoall", "bcast", "barrier"),
    },
}


def full() -> tuple[Selection, ...]:
    """Return every case of every study."""
    return select(list(catalogue.studies()), None, {})


def quick() -> tuple[Selection, ...]:
    """Return few sizes of every study, and of the collectives those that programs live on."""
    return join(_quick(study) for study in catalogue.studies().values())


def _quick(study: Study) -> Selection:
    sizes = QUICK_SIZES.get(study.name, QUICK_SIZES[""]) if study.sizes else None
    axes = []
    for name, wanted in QUICK_AXES.get(study.name, {}).items():
        kept = [value for value in wanted if value in study.axes.get(name, ())]
        if kept:
            axes.append((name, ",".join(kept)))
    return Selection((study.name,), sizes, tuple(axes))


def budget_seconds(fixed_seconds: float, cases: int) -> float:
    """Return the measuring time of a case in one launch, so that a quick survey keeps its promise.

    `fixed_seconds` is what the launches take without measuring, `cases` how many (launch, case)
    pairs are measured.
    """
    free = max(QUICK_SECONDS - fixed_seconds, 0.0)
    return min(MOST_SECONDS / QUICK_LAUNCHES, max(LEAST_SECONDS, free / max(cases, 1)))
