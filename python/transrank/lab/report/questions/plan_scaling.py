# SPDX-License-Identifier: BSD-3-Clause
"""Does making a route cost more on more ranks? Compared with ESMF's published times."""

from __future__ import annotations

from transrank.lab import units
from transrank.lab.report.measured import Measured
from transrank.lab.report.phrases import joined
from transrank.lab.report.questions.study import Study


def _answer(run: Measured) -> list[str]:
    """The time of the largest route, and the size of one with the fewest and the most ranks."""
    one = {
        (int(result.axes["plan_ranks"]), result.headline.value)
        for result in run.of_study(STUDY.name)
        if result.axes.get("routes") == "one" and result.headline is not None
    }
    answers = []
    if one:
        ranks, seconds = max(one)
        time = units.format_seconds(seconds)
        answers.append(f"the route of one of {ranks:,} ranks takes {time} at most.")
    if kept := _memory(run):
        answers.append(f"the route of one rank occupies {joined(kept)}.")
    return answers


def _memory(run: Measured) -> list[str]:
    """The size of a route with the fewest and with the most ranks."""
    found: dict[tuple[str, str], dict[int, float]] = {}
    for case in run.run.cases:
        if case.study == STUDY.name and case.outcome is not None:
            line = str(case.axes.get("blocks")), str(case.axes.get("dimensions"))
            ranks = int(case.axes.get("plan_ranks", 0))
            found.setdefault(line, {})[ranks] = case.outcome.values["route_bytes"]
    return [
        f"{by_ranks[min(by_ranks)]:.0f} bytes at {min(by_ranks):,} ranks and "
        f"{by_ranks[max(by_ranks)]:.0f} at {max(by_ranks):,} with {blocks} blocks in "
        f"{dimensions} dimensions"
        for (blocks, dimensions), by_ranks in sorted(found.items())
        if len(by_ranks) > 1
    ]


STUDY = Study(
    "plan-scaling",
    "Does planning a redistribution cost more on more ranks?",
    way=("dimensions", "blocks", "routes"),
    said=_answer,
    ranks="plan_ranks",
    always=True,
)
