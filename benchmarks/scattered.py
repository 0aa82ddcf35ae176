# SPDX-License-Identifier: BSD-3-Clause
"""Does `auto` find the best way for very many ghosts that are rows chosen at random?

Runs programs/scattered.cpp at two ranks, launch after launch: the same update by `auto`, pulled,
pushed and staged, in turns within each launch; rows of 1 and of 6 doubles, asked for in their own
order and at random, of arrays that stay as they are and of arrays that are rewritten and read.
"""

from __future__ import annotations

import argparse
import json
import sys

import numpy as np
from bars import Figure, add_check_option, pairs, report
from native import build, printed_at_two_ranks
from ratios import ratio_figure

GHOSTS, ROUNDS = 1_000_000, 4
VDIMS = (1, 6)
ORDERS, MODES = ("ascending", "shuffled"), ("unmodified", "rewritten")
OTHERS = ("pulled", "pushed", "staged")
MOST = 1.07

Found = dict[str, float]


def against_best(vdim: int, case: str, found: list[Found]) -> Figure:
    """Hold auto against the way that is the best by the median of the launches."""
    times = {way: [each[f"{case} {way}"] for each in found] for way in (*OTHERS, "auto")}
    best = min(OTHERS, key=lambda way: float(np.median(times[way])))
    return ratio_figure(f"vdim {vdim} {case}: auto / {best}", times[best], times["auto"], MOST)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_check_option(parser)
    parser.add_argument("--launches", type=pairs, default=5, help="(default: 5)")
    options = parser.parse_args()
    program = str(build("scattered"))
    found: dict[int, list[Found]] = {vdim: [] for vdim in VDIMS}
    for number in range(options.launches):
        for vdim in VDIMS:
            words = [program, str(GHOSTS), str(vdim), str(ROUNDS)]
            found[vdim].append(json.loads(printed_at_two_ranks(words)))
        print(f"round {number + 1} of {options.launches} done", file=sys.stderr)
    for vdim in VDIMS:
        print(f"vdim {vdim}:\n{found[vdim][-1]['explain']}")
    figures = [
        against_best(vdim, f"{order} {mode}", found[vdim])
        for vdim in VDIMS
        for order in ORDERS
        for mode in MODES
    ]
    return report(figures, options.check)


if __name__ == "__main__":
    sys.exit(main())
