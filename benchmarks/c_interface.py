# SPDX-License-Identifier: BSD-3-Clause
"""Are the library for C and the Fortran module as fast as the library for C++?

Runs programs/c_interface.cpp at two ranks, launch after launch. It has the C++ library within, the
one for C as the shared library that is installed, and the Fortran module where there is a compiler
for it. In each launch runs of all take turns, bound alike to arrays of the same lengths in
node-shared memory. They are short, so that a call more would show: 100 ghost rows of 40 bytes, a
grid of 16 KiB from rows to columns, blocks of 1 KiB to every rank. Where in memory arrays lie
differs from launch to launch, and so does which of them is bound first; that takes many launches.
"""

from __future__ import annotations

import argparse
import json
import math
import sys

from bars import Figure, add_check_option, pairs, report
from native import build, printed_at_two_ranks
from ratios import ratio_figure

CASES = ("ghost update", "redistribution", "alltoall")
OTHERS = ("C", "Fortran")
MOST_TIMES, WIDEST = 1.02, 0.05
ROUNDS = 100


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_check_option(parser)
    parser.add_argument("--launches", type=pairs, default=60, help="of the program (default: 60)")
    options = parser.parse_args()
    program = str(build("c_interface"))
    found = []
    for number in range(options.launches):
        found.append(json.loads(printed_at_two_ranks([program, str(ROUNDS), str(number)])))
        if number % 10 == 9:
            print(f"launch {number + 1} of {options.launches} done", file=sys.stderr)
    figures = []
    for case in CASES:
        for other in OTHERS:
            if f"{case}, {other}" not in found[0]:
                print(f"{other}: no compiler was found for it", file=sys.stderr)
                continue
            ours, others = ([each[f"{case}, {way}"] for each in found] for way in ("C++", other))
            times = ratio_figure(f"{case}: {other} / C++", ours, others, MOST_TIMES)
            width = (times.high or math.inf) - (times.low or 0)
            figures += [times, Figure(f"{case}: width of that interval", width, WIDEST, "x")]
    return report(figures, options.check)


if __name__ == "__main__":
    sys.exit(main())
