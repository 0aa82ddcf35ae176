# SPDX-License-Identifier: BSD-3-Clause
"""What do a distributed FFT's transfers cost, done by the library, beside MPI_Alltoallw?

Runs programs/fft.py at two ranks, launch after launch: transforms by mpi4py-fft of 64^3, 128^3 and
256^3 doubles, in turns by MPI_Alltoallw, as `transrank carry` carries them, and by the transfers of
transrank.mpi4py_fft. It needs mpi4py-fft (with libfftw3-dev: pip install mpi4py-fft). Spectra must
be equal to the last bit.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from bars import Figure, add_check_option, pairs, report
from native import printed_at_two_ranks
from ratios import ratio_figure

from transrank import installation
from transrank.command import require

PROGRAM = Path(__file__).parent / "programs" / "fft.py"
USUAL, OWN, SHARED = "MPI_Alltoallw", "own arrays", "shared arrays"
CARRIED = "carried"
ROUNDS = {64: 60, 128: 24, 256: 6}
# Times as fast as with MPI_Alltoallw.
LEAST_TRANSFER = {OWN: 1.7, SHARED: 2.7}
LEAST_TRANSFORM = {OWN: 1.05, SHARED: 1.1}
LEAST_CARRIED = {64: 1.3, 128: 1.05, 256: 1.0}
# Of an MPI whose datatypes are faster.
LEAST_ELSEWHERE = 1.05

Found = dict[str, float]


def speedup(points: int, found: list[Found], way: str, what: str, bar: float) -> Figure:
    """Hold a way against MPI_Alltoallw, launch by launch."""
    own, usual = ([each[f"{name}, {what}"] for each in found] for name in (way, USUAL))
    return ratio_figure(f"{points}^3, {what}: {USUAL} / {way}", own, usual, bar, at_least=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_check_option(parser)
    parser.add_argument("--launches", type=pairs, default=5, help="of each size (default: 5)")
    options = parser.parse_args()
    require(["mpi4py_fft"], "mpi4py-fft")
    mpich = installation.build().mpi == "mpich"
    library = installation.variant().folder / "lib" / "libtransrank_carry.so"
    found: dict[int, list[Found]] = {points: [] for points in ROUNDS}
    for number in range(options.launches):
        for points, rounds in ROUNDS.items():
            words = [sys.executable, "-m", "mpi4py", str(PROGRAM), str(points), str(rounds)]
            printed = printed_at_two_ranks(["env", f"LD_PRELOAD={library}", *words])
            found[points].append(json.loads(printed))
        print(f"round {number + 1} of {options.launches} done", file=sys.stderr)
    bars = {"transfer": LEAST_TRANSFER, "transform": LEAST_TRANSFORM}
    figures = [
        speedup(points, launches, way, what, least[way] if mpich else LEAST_ELSEWHERE)
        for points, launches in found.items()
        for what, least in bars.items()
        for way in (OWN, SHARED)
    ]
    figures += [
        speedup(points, found[points], CARRIED, "transform", bar)
        for points, bar in LEAST_CARRIED.items()
    ]
    return report(figures, options.check)


if __name__ == "__main__":
    sys.exit(main())
