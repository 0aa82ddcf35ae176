# SPDX-License-Identifier: BSD-3-Clause
"""How fast is the ghost update beside raw MPI, and how far from what memory allows?

Runs the study `ghost` at two ranks, one per core, all 6144 rows remote: every way in random order
within each launch, per update the slowest rank, verified by position-dependent contents. Compared
are launch by launch

* in mode `used` (rewritten before, read after) the engine's choice and the best of what a program
  can do with MPI alone; the engine's own message transports stand in the table beside it;
* in the modes `unmodified` and `rewritten` the engine's choice and a local gather of the same rows;
* arrays of the user's own (staged) and rows packed by hand and sent by persistent messages;
* four ranks on however many cores there are: the time of one update.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bars import Figure, add_check_option, report
from ratios import excess, speedup
from rich.console import Console
from rich.table import Table
from survey import measure

from transrank.launch import installation
from transrank.stats.summary import CaseResult
from transrank.units import format_seconds

MPI_WAYS = (
    "mpi-packed",
    "mpi-datatype",
    "mpi-neighborhood",
    "mpi-packed-neighborhood",
    "mpi-put-fence",
    "mpi-put-post",
)
OURS = ("auto", "shared-staged", "message", "datatype", "neighborhood")
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


def run_ghost(store: Path, label: str, axes: Sequence[str], options: Sequence[str]) -> Ways:
    """Measure the study with these axes; return the results by `vdim/mode/transport`."""
    selected = [f"--axis={axis}" for axis in axes]
    results = measure(store, label, ["ghost", *selected, *options])
    return {
        f"{result.axes['vdim']}/{result.axes['mode']}/{result.axes['transport']}": result
        for result in results
        if result.headline is not None
    }


def against_mpi(ways: Ways, bar: float) -> list[Figure]:
    """Compare what auto and staged take with what MPI alone takes, mode `used`."""
    figures = []
    for vdim in VDIMS:
        alone = {
            name: found
            for name in MPI_WAYS
            if (found := ways.get(f"{vdim}/used/{name}")) is not None
        }
        best = min(alone, key=lambda name: _value(alone[name]))
        figures.append(
            speedup(
                f"vdim {vdim}: best of MPI / auto",
                alone[best],
                ways[f"{vdim}/used/auto"],
                bar,
                f"best: {best}",
            )
        )
        figures.append(
            speedup(
                f"vdim {vdim}: packed by hand / staged",
                alone["mpi-packed"],
                ways[f"{vdim}/used/shared-staged"],
                STAGED_LARGE if vdim > 20 else STAGED_SMALL,
            )
        )
    return figures


def against_floor(ways: Ways) -> list[Figure]:
    """Compare auto with the local gather where the arrays stay or are rewritten."""
    return [
        excess(
            f"vdim {vdim} {mode}: auto / floor",
            ways[f"{vdim}/{mode}/auto"],
            ways[f"{vdim}/{mode}/floor"],
            bar,
        )
        for mode, bars in FLOOR_BARS.items()
        for vdim, bar in bars.items()
    ]


def _value(result: CaseResult) -> float:
    assert result.headline is not None
    return result.headline.value


def print_ways(ways: Ways) -> None:
    """Print every time: the figures below are ratios of these."""
    rows: dict[str, dict[str, str]] = {}
    columns: list[str] = []
    for key, result in ways.items():
        vdim, mode, name = key.split("/")
        column = f"{vdim} {mode}"
        if column not in columns:
            columns.append(column)
        rows.setdefault(name, {})[column] = format_seconds(_value(result))
    table = Table("way", *columns, box=None, pad_edge=False, title="one update, by vdim and mode")
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

        def run(label: str, ranks: int, *axes: str) -> Ways:
            return run_ghost(Path(folder), label, axes, [f"--ranks={ranks}", *options])

        used = run(
            "used",
            2,
            "pattern=remote",
            "mode=used",
            f"vdim={','.join(map(str, VDIMS))}",
            f"transport={','.join(('floor', *OURS, *MPI_WAYS))}",
        )
        plain = run(
            "plain",
            2,
            "pattern=remote",
            "mode=unmodified,rewritten",
            f"vdim={','.join(map(str, FLOOR_VDIMS))}",
            "transport=floor,auto",
        )
        crowded = run(
            "crowded",
            CROWDED_RANKS,
            "pattern=corrected",
            "mode=used",
            "vdim=6",
            "transport=auto",
        )
    print_ways(used)
    print_ways(plain)
    figures = against_mpi(used, AGAINST_MPI.get(mpi, 1.0)) + against_floor(plain)
    seconds = _value(crowded["6/used/auto"])
    figures.append(
        Figure(
            f"{CROWDED_RANKS} ranks, vdim 6: one update", 1e3 * seconds, 1e3 * CROWDED_SECONDS, "ms"
        )
    )
    return report(figures, arguments.check)


if __name__ == "__main__":
    sys.exit(main())
