# SPDX-License-Identifier: BSD-3-Clause
"""A distributed FFT of mpi4py-fft with four kinds of transfers, in turns: MPI_Alltoallw, the same
as `transrank carry` carries it, and transrank's in the program's own arrays and in shared ones.
    transrank carry -- mpiexec -n 2 python fft.py POINTS ROUNDS
Prints a JSON object: seconds of the slowest rank, medians of the rounds, of a transfer and of a
forward transform. Spectra are compared bit by bit.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from typing import Any

from mpi4py import MPI

import mpi4py_fft
import numpy as np
from slowest import slowest

import transrank.mpi4py_fft as by_transrank

COMM = MPI.COMM_WORLD
CARRIED = "carried"


def main() -> None:
    points, rounds = map(int, sys.argv[1:])

    def plan() -> Any:
        return mpi4py_fft.PFFT(COMM, (points, points, points), dtype=float)

    by_transrank.leave()
    ways = {"MPI_Alltoallw": plan(), CARRIED: plan()}
    for shared, name in ((False, "own arrays"), (True, "shared arrays")):
        by_transrank.use(shared=shared)
        ways[name] = plan()
    names = list(ways)
    random = np.random.default_rng(COMM.rank)
    times = defaultdict(list)
    for number in range(-10, rounds):  # the first runs find out what is faster
        field = random.random(ways["own arrays"].forward.input_array.shape)
        spectra = {}
        for turn in range(len(names)):
            name = names[(number + turn) % len(names)]
            fft = ways[name]
            MPI.Pcontrol(int(name == CARRIED))
            fft.forward.input_array[...] = field
            whole = slowest(fft.forward)
            spectra[name] = fft.forward.output_array
            # Between the ranks; those before it stay on one.
            last = fft.transfer[-1]
            start, end = fft.xfftn[-2].forward.output_array, fft.xfftn[-1].forward.input_array
            moved = slowest(lambda last=last, start=start, end=end: last.forward(start, end))
            if number >= 0:
                times[f"{name}, transform"].append(whole)
                times[f"{name}, transfer"].append(moved)
        if number < 2 or number + 1 == rounds:
            for name in names[1:]:
                assert np.array_equal(spectra[names[0]], spectra[name]), name
    if COMM.rank == 0:
        print(json.dumps({name: float(np.median(found)) for name, found in times.items()}))


if __name__ == "__main__":
    main()
