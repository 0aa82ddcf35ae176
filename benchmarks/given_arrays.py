# SPDX-License-Identifier: BSD-3-Clause
"""What does it cost that a start is told which arrays it moves?

Runs programs/given_arrays.cpp at two ranks, launch after launch. Two arrays are updated in turns by
two bound exchanges, by one that has both as its sets (in shared memory), and by one that is given
any memory (beside exchanges bound to private memory).
"""

from __future__ import annotations

import argparse
import json
import sys

from bars import add_check_option, pairs, report
from native import build, printed_at_two_ranks
from ratios import ratio_figure

CASES = ("16 rows of 8 B", "4612 rows of 8 B", "4612 rows of 40 B", "halo of 32^3")
MOST = {("sets", "bound shared"): 1.05, ("any", "bound private"): 1.10}
ROUNDS = 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_check_option(parser)
    parser.add_argument("--launches", type=pairs, default=10, help="(default: 10)")
    options = parser.parse_args()
    program = str(build("given_arrays"))
    found = []
    for number in range(options.launches):
        found.append(json.loads(printed_at_two_ranks([program, str(ROUNDS)])))
        print(f"launch {number + 1} of {options.launches} done", file=sys.stderr)
    figures = [
        ratio_figure(
            f"{case}: {way} / {beside}",
            [each[f"{case} {beside}"] for each in found],
            [each[f"{case} {way}"] for each in found],
            bar,
        )
        for case in CASES
        for (way, beside), bar in MOST.items()
    ]
    return report(figures, options.check)


if __name__ == "__main__":
    sys.exit(main())
