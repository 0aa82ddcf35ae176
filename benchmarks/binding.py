# SPDX-License-Identifier: BSD-3-Clause
"""What does it cost to set up a ghost update, beside setting it up by hand?

Runs programs/binding.cpp and programs/binding.py at two ranks, launch after launch. By hand means:
an all-to-all of the counts, one of the indices, lists, persistent requests; for a list that serves
once, two all-to-alls more in place of the requests. Rows that are ghosts lie apart from each other.
Collective calls are counted; where there are more ranks, they and letters to neighbors decide.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from bars import Figure, Part, add_check_option, pairs, report
from native import build, printed_at_two_ranks
from ratios import ratio_figure

from transrank.lab.stats.compare import paired_ratio

PYTHON_PROGRAM = Path(__file__).parent / "programs" / "binding.py"

# Rounds, by how many ghosts there are, and by the length of a list that serves once.
ROUNDS = {4_612: 200, 200_000: 10}
NEW_LISTS = {20: 500, 500: 500, 10_000: 100}
# Times the set-up by hand.
MOST_SET_UP = 3
MOST_NEW = {20: 2.5, 500: 1.5, 10_000: 1.5}
MOST_FIRST_MS = 5
MOST_CALLS, MOST_FIRST_CALLS = 4, 9
SET_UPS = ("mapping and bind", "mapping and bind, own arrays")

Found = dict[str, float]
Launch = Callable[[], Found]


def launches_of(words: list[str]) -> Launch:
    """Return what launches a program and reads its numbers."""
    return lambda: json.loads(printed_at_two_ranks(words))


def ratio(name: str, found: list[Found], way: str, bar: float, beside: str = "") -> Figure:
    """Hold a way against the set-up by hand; `beside` is one that is printed and not judged."""
    by_hand = [each["by hand"] for each in found]
    own = [each[way] for each in found]
    parts = []
    if beside:
        other = paired_ratio(by_hand, [each[beside] for each in found])
        parts.append(Part(f"{beside} / by hand", other.value, other.low, other.high))
    return ratio_figure(f"{name}: {way} / by hand", by_hand, own, bar, parts=parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_check_option(parser)
    parser.add_argument("--launches", type=pairs, default=5, help="of each program (default: 5)")
    options = parser.parse_args()
    native = str(build("binding"))
    python = [sys.executable, str(PYTHON_PROGRAM)]
    launches: dict[str, Launch] = {"first": launches_of([native, "first"])}
    for ghosts, rounds in ROUNDS.items():
        words = [str(ghosts), str(rounds)]
        launches[f"{ghosts:,} ghosts"] = launches_of([native, *words])
        launches[f"{ghosts:,} ghosts in Python"] = launches_of([*python, *words])
    for rows, rounds in NEW_LISTS.items():
        launches[f"list of {rows:,}"] = launches_of([*python, "new", str(rows), str(rounds)])
    found: dict[str, list[Found]] = {name: [] for name in launches}
    for number in range(options.launches):
        for name, launch in launches.items():
            found[name].append(launch())
        print(f"round {number + 1} of {options.launches} done", file=sys.stderr)
    first = [1e3 * each["bind"] for each in found["first"]]
    figures = [
        ratio(name, of_launches, way, MOST_SET_UP, "bind" if way == SET_UPS[0] else "")
        for name, of_launches in found.items()
        if "ghosts" in name
        for way in SET_UPS
    ]
    figures += [
        ratio(f"list of {rows:,}", found[f"list of {rows:,}"], "new list", most)
        for rows, most in MOST_NEW.items()
    ]
    calls = found[f"{min(ROUNDS):,} ghosts"][0]
    figures += [
        Figure("first bind", float(np.median(first)), MOST_FIRST_MS, "ms", min(first), max(first)),
        Figure("collective calls, first bind", found["first"][0]["calls"], MOST_FIRST_CALLS),
        Figure("collective calls, mapping and bind", calls["calls, mapping and bind"], MOST_CALLS),
    ]
    return report(figures, options.check)


if __name__ == "__main__":
    sys.exit(main())
