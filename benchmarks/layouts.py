# SPDX-License-Identifier: BSD-3-Clause
"""How fast is a redistribution whose fastest index differs on the two sides?

Runs programs/layouts.cpp at two ranks, launch after launch: a bundle of 8 fields of doubles from
2x1 to 1x2 parts of 512x1024x16 cells, the part that stays on its rank included. Owners rewrite
their fields before every move. The library's arrays are held against a loop over tiles of 8 by 8
cells that fetches them from their owners, the program's own against such tiles packed into
messages, all ways in turns.
"""

from __future__ import annotations

import argparse
import json
import sys

from bars import Figure, add_check_option, pairs, report
from native import build, printed_at_two_ranks
from ratios import ratio_figure

GRID = "512,1024,16"
LAYOUTS = ("transposed", "reversed", "blocks")
ROUNDS = 5
MOST_TIMES_THE_TILES, LEAST_SPEEDUP = 1.15, 1.1

Found = dict[str, float]


def ratio(
    name: str, found: list[Found], below: str, above: str, bar: float, *, at_least: bool
) -> Figure:
    """Hold one way against another, launch by launch."""
    ones, others = ([each[way] for each in found] for way in (below, above))
    return ratio_figure(f"{name}: {above} / {below}", ones, others, bar, at_least=at_least)


def figures(layout: str, found: list[Found]) -> list[Figure]:
    made = []
    for used in ("", ", used"):
        fetched, packed = f"tiles fetched{used}", f"tiles packed{used}"
        made.append(
            ratio(layout, found, fetched, f"library{used}", MOST_TIMES_THE_TILES, at_least=False)
        )
        own = f"library, own memory{used}"
        made.append(ratio(layout, found, own, packed, LEAST_SPEEDUP, at_least=True))
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_check_option(parser)
    parser.add_argument("--launches", type=pairs, default=5, help="of each layout (default: 5)")
    options = parser.parse_args()
    program = str(build("layouts"))
    found: dict[str, list[Found]] = {layout: [] for layout in LAYOUTS}
    for number in range(options.launches):
        for layout, launches in found.items():
            launches.append(json.loads(printed_at_two_ranks([program, GRID, layout, str(ROUNDS)])))
        print(f"round {number + 1} of {options.launches} done", file=sys.stderr)
    return report([each for name in LAYOUTS for each in figures(name, found[name])], options.check)


if __name__ == "__main__":
    sys.exit(main())
