# SPDX-License-Identifier: BSD-3-Clause
"""What does a ghost update cost where eight ranks share two cores?

Runs programs/crowded.cpp, launch after launch: the library's transports and messages of MPI alone,
one update after the other, in turns within each launch. A rank that waits in vain should leave its
core to the one that it waits for.
"""

from __future__ import annotations

import argparse
import json
import sys

from bars import add_check_option, pairs, report
from native import build, printed_at
from ratios import ratio_figure

RANKS, VDIM, ROUNDS = 8, 6, 9
# Times an update by rows packed by hand and sent by persistent messages.
MOST = {"message": 1.15, "shared-staged": 1.0, "auto": 1.0}
BESIDE = "mpi-packed"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_check_option(parser)
    parser.add_argument("--launches", type=pairs, default=5, help="(default: 5)")
    options = parser.parse_args()
    command = [str(build("crowded")), str(VDIM), str(ROUNDS)]
    found: list[dict[str, float]] = []
    for number in range(options.launches):
        found.append(json.loads(printed_at(RANKS, command)))
        print(f"round {number + 1} of {options.launches} done", file=sys.stderr)
    figures = [
        ratio_figure(
            f"{RANKS} ranks: {way} / {BESIDE}",
            [each[BESIDE] for each in found],
            [each[way] for each in found],
            bar,
        )
        for way, bar in MOST.items()
    ]
    return report(figures, options.check)


if __name__ == "__main__":
    sys.exit(main())
