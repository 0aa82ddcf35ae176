# SPDX-License-Identifier: BSD-3-Clause
"""What does a ghost update cost where ranks have no core for themselves?

Runs programs/crowded.cpp, launch after launch, with eight ranks on two cores, and with two ranks
beside two processes that compute all the time: the library's transports and messages of MPI alone,
one update after the other, in turns within each launch. A rank that waits in vain should leave its
core to the one that it waits for. Set-up is compared with that of MPI's neighborhood collectives,
which communicates, too: that of messages by hand does not.
"""

from __future__ import annotations

import argparse
import json
import sys

from bars import Figure, add_check_option, pairs, report
from busy import busy_loops
from native import build, printed_at
from ratios import ratio_figure

VDIM, ROUNDS = 6, 9
# Ranks and the processes beside them; and the most that the times may be of those by rows packed by
# hand and sent by persistent messages.
SITUATIONS = {"8 ranks": (8, 0), "2 ranks beside 8 processes": (2, 8)}
MOST = {"message": 1.15, "shared-staged": 1.0, "auto": 1.0, "set-up of auto": 1.5}


def figures(name: str, launches: list[dict[str, float]]) -> list[Figure]:
    """Hold each way against messages by hand, launch by launch."""
    made = []
    for way, bar in MOST.items():
        beside = "set-up of mpi-packed-neighborhood" if "set-up" in way else "mpi-packed"
        made.append(
            ratio_figure(
                f"{name}: {way} / {beside}",
                [each[beside] for each in launches],
                [each[way] for each in launches],
                bar,
            )
        )
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_check_option(parser)
    parser.add_argument("--launches", type=pairs, default=5, help="(default: 5)")
    options = parser.parse_args()
    command = [str(build("crowded")), str(VDIM), str(ROUNDS)]
    found: dict[str, list[dict[str, float]]] = {name: [] for name in SITUATIONS}
    for number in range(options.launches):
        for name, (ranks, others) in SITUATIONS.items():
            with busy_loops(others):
                found[name].append(json.loads(printed_at(ranks, command)))
        print(f"round {number + 1} of {options.launches} done", file=sys.stderr)
    made = [figure for name, launches in found.items() for figure in figures(name, launches)]
    return report(made, options.check)


if __name__ == "__main__":
    sys.exit(main())
