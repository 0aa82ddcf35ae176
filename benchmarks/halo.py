# SPDX-License-Identifier: BSD-3-Clause
"""What does a halo cost a Python program: by mpi4py as programs do it, and by transrank?

Runs programs/halo.py at two ranks, launch after launch, for four periodic grids, or with --plates
for square blocks of seven sizes on each rank. By mpi4py it is updated with persistent messages of
subarrays, or with strips packed by NumPy and MPI_Sendrecv; by transrank in the program's own
arrays, or in arrays that transrank allocated. Halos must be equal.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from bars import Figure, add_check_option, pairs, report
from native import printed_at_two_ranks
from ratios import ratio_figure

PROGRAM = Path(__file__).parent / "programs" / "halo.py"
# Extents, width of the halo, fields, rounds.
GRIDS = (
    ("512x512", 1, 1, 500),
    ("230x417", 2, 4, 500),
    ("32x32x64", 2, 5, 200),
    ("64x64x128", 2, 5, 100),
)
ROUNDS = {32: 1000, 64: 1000, 128: 1000, 256: 500, 512: 200, 1024: 60, 2048: 30}
PLATES = tuple((f"{2 * side}x{side}", 1, 1, rounds) for side, rounds in ROUNDS.items())
BY_MPI, BY_TRANSRANK = ("subarrays", "packed"), ("own arrays", "shared arrays")
# Times as fast as either way by mpi4py.
LEAST = 1.5

Found = dict[str, float]


def figures_of(grid: str, width: int, fields: int, found: list[Found]) -> list[Figure]:
    """Hold both ways of transrank against both of mpi4py, launch by launch."""
    where = f"{grid}, halo {width}, {fields} field{'s' if fields > 1 else ''}"
    return [
        ratio_figure(
            f"{where}: {usual} / {way}",
            [each[way] for each in found],
            [each[usual] for each in found],
            LEAST,
            at_least=True,
        )
        for usual in BY_MPI
        for way in BY_TRANSRANK
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_check_option(parser)
    parser.add_argument("--launches", type=pairs, default=5, help="of each grid (default: 5)")
    parser.add_argument("--plates", action="store_true", help="square blocks of seven sizes")
    options = parser.parse_args()
    grids = PLATES if options.plates else GRIDS
    found: dict[str, list[Found]] = {grid: [] for grid, *_ in grids}
    for number in range(options.launches):
        for grid, *rest in grids:
            words = [sys.executable, "-m", "mpi4py", str(PROGRAM), grid, *map(str, rest)]
            found[grid].append(json.loads(printed_at_two_ranks(words)))
        print(f"round {number + 1} of {options.launches} done", file=sys.stderr)
    figures = [
        figure
        for grid, width, fields, _ in grids
        for figure in figures_of(grid, width, fields, found[grid])
    ]
    return report(figures, options.check)


if __name__ == "__main__":
    sys.exit(main())
