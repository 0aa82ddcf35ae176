# SPDX-License-Identifier: BSD-3-Clause
"""How fast is the ghost update beside raw MPI, and how far from what memory allows?

Runs the study `ghost` at two ranks, one per core, all 6144 rows remote: every way in random order
within each launch, per update the slowest rank, verified by position-dependent contents. Compared
are launch by launch

* in mode `used` (rewritten before, read after) the engine's choice and the best of what a program
  can do with MPI alone; the engine's own message transports stand in the table beside it;
* in the modes `unmodified` and `rewritten` the engine's choice and a local gather of the same rows.
  Beside it stands a gather straight from the owner's array that waits for nobody: what crossing
  between these two cores costs any program;
* arrays of the user's own (staged) and rows packed by hand and sent by persistent messages;
* four ranks on however many cores there are: the time of one update.

Where a hypervisor moves the two CPUs, figures are of the commonest distance between them; those of
the same run at other distances stand below each.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from bars import Figure, Part, add_check_option, report
from core_states import AtDistance, by_distance, judge
from ratios import excess, speedup
from rich.console import Console
from rich.table import Table
from survey import run

from transrank import installation
from transrank.lab.stats.summary import CaseResult
from transrank.lab.units import format_seconds

MPI_WAYS = (
    "mpi-packed",
    "mpi-datatype",
    "mpi-neighborhood",
    "mpi-packed-neighborhood",
    "mpi-put-fence",
    "mpi-put-post",
    "datatype",
    "neighborhood",
)
FLOOR, FLOOR_FROM_PEERS = "floor", "floor-from-peers"
OURS = ("auto", "shared-staged", "message")
VDIMS = (1, 2, 4, 6, 12, 20, 120)
FLOOR_VDIMS = (6, 20, 120)
# How many times as fast as the best way of MPI alone; of Open MPI's ways it must be faster at all.
AGAINST_MPI = {"mpich": 1.6, "openmpi": 1.0}
# Staged against packed by hand, by vdim.
STAGED_SMALL, STAGED_LARGE = 1.25, 1.1
# Times the floor in the modes unmodified and rewritten, by vdim.
FLOOR_BARS = {
    "unmodified": {6: 1.1, 20: 1.1, 120: 1.1},
    "rewritten": {120: 1.2},
}
CROWDED_RANKS, CROWDED_SECONDS = 4, 1e-3

Ways = Mapping[str, CaseResult]


def ways_of(results: Sequence[CaseResult]) -> Ways:
    """Find the results by `vdim/mode/transport`."""
    return {
        f"{result.axes['vdim']}/{result.axes['mode']}/{result.axes['transport']}": result
        for result in results
        if result.headline is not None
    }


def against_mpi(vdim: int, bar: float, results: Sequence[CaseResult]) -> Figure:
    """Compare what auto takes with the best of what MPI alone takes, mode `used`."""
    ways = ways_of(results)
    alone = {name: ways[key] for name in MPI_WAYS if (key := f"{vdim}/used/{name}") in ways}
    best = min(alone, key=lambda name: _value(alone[name]))
    return speedup(
        f"vdim {vdim}: best of MPI / auto",
        alone[best],
        ways[f"{vdim}/used/auto"],
        bar,
        f"best: {best}",
    )


def against_packing(vdim: int, results: Sequence[CaseResult]) -> Figure:
    """Compare arrays of the user's with rows packed by hand, mode `used`."""
    ways = ways_of(results)
    return speedup(
        f"vdim {vdim}: packed by hand / staged",
        ways[f"{vdim}/used/mpi-packed"],
        ways[f"{vdim}/used/shared-staged"],
        STAGED_LARGE if vdim > 20 else STAGED_SMALL,
    )


def against_floor(vdim: int, mode: str, results: Sequence[CaseResult]) -> Figure:
    """Compare auto with the local gather, and with the one from the owners, which has no bar."""
    ways = ways_of(results)
    bar = FLOOR_BARS[mode][vdim]
    auto, floor, from_peers = (
        ways[f"{vdim}/{mode}/{name}"] for name in ("auto", FLOOR, FLOOR_FROM_PEERS)
    )
    beside = excess("auto / floor-from-peers", auto, from_peers, bar)
    return replace(
        excess(f"vdim {vdim} {mode}: auto / floor", auto, floor, bar),
        parts=[Part(beside.name, beside.value, beside.low, beside.high)],
    )


def _value(result: CaseResult) -> float:
    assert result.headline is not None
    return result.headline.value


def print_ways(found: AtDistance) -> None:
    """Print every time, if one counts at this distance: the figures below are ratios of these."""
    rows: dict[str, dict[str, str]] = {}
    columns: list[str] = []
    for key, result in ways_of(found.results).items():
        vdim, mode, name = key.split("/")
        column = f"{vdim} {mode}"
        if column not in columns:
            columns.append(column)
        rows.setdefault(name, {})[column] = format_seconds(_value(result))
    if not rows:
        return
    table = Table("way", *columns, box=None, pad_edge=False, title=f"one update; {found.words}")
    for name, cells in rows.items():
        table.add_row(name, *(cells.get(column, "") for column in columns))
    Console(width=max(80, 24 + 18 * len(columns))).print(table)


def main() -> int:
    """Run and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--launches", type=int, default=5, help="(default: 5)")
    parser.add_argument("--max-time", default="500ms", help="per case (default: 500ms)")
    add_check_option(parser)
    arguments = parser.parse_args()
    options = [f"--launches={arguments.launches}", f"--max-time={arguments.max_time}"]
    mpi = installation.build().mpi
    with tempfile.TemporaryDirectory() as folder:

        def ghost(label: str, ranks: int, *axes: str) -> list[AtDistance]:
            selected = [f"--axis={axis}" for axis in axes]
            command = ["ghost", *selected, f"--ranks={ranks}", *options]
            return by_distance(run(Path(folder), label, command))

        used = ghost(
            "used",
            2,
            "pattern=remote",
            "mode=used",
            f"vdim={','.join(map(str, VDIMS))}",
            f"transport={','.join((FLOOR, FLOOR_FROM_PEERS, *OURS, *MPI_WAYS))}",
        )
        plain = ghost(
            "plain",
            2,
            "pattern=remote",
            f"mode={','.join(FLOOR_BARS)}",
            f"vdim={','.join(map(str, FLOOR_VDIMS))}",
            f"transport={FLOOR},{FLOOR_FROM_PEERS},auto",
        )
        crowded = ghost(
            "crowded",
            CROWDED_RANKS,
            "pattern=corrected",
            "mode=used",
            "vdim=6",
            "transport=auto",
        )
    for found in [*used, *plain]:
        print_ways(found)
    bar = AGAINST_MPI.get(mpi, 1.0)
    figures = []
    for vdim in VDIMS:
        figures += judge(used, [partial(against_mpi, vdim, bar), partial(against_packing, vdim)])
    for mode, vdims in FLOOR_BARS.items():
        figures += judge(plain, [partial(against_floor, vdim, mode) for vdim in vdims])
    seconds = _value(ways_of(crowded[0].results)["6/used/auto"])
    figures.append(
        Figure(
            f"{CROWDED_RANKS} ranks, vdim 6: one update", 1e3 * seconds, 1e3 * CROWDED_SECONDS, "ms"
        )
    )
    return report(figures, arguments.check)


if __name__ == "__main__":
    sys.exit(main())
