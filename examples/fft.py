# SPDX-License-Identifier: BSD-3-Clause
"""A distributed 3-D FFT by mpi4py-fft, whose transfers between pencils are transrank's.
mpiexec -n 4 python -m mpi4py examples/fft.py --points 64
"""

import argparse

from mpi4py import MPI

import numpy as np

from transrank.command import require

require(["mpi4py_fft"], "mpi4py-fft")

import mpi4py_fft  # noqa: E402

import transrank.mpi4py_fft as by_transrank  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=64, help="in each dimension")
    points, comm = parser.parse_args().points, MPI.COMM_WORLD

    def plan() -> mpi4py_fft.PFFT:
        extents = (points, points + 1, points + 2)
        return mpi4py_fft.PFFT(comm, extents, dtype=float, planner_effort="FFTW_ESTIMATE")

    by_transrank.leave()
    usual = plan()
    field = np.random.default_rng(comm.rank).random(usual.forward.input_array.shape)
    spectrum = usual.forward(field).copy()
    for shared in (False, True):
        by_transrank.use(shared=shared)
        fft = plan()
        for _ in range(3):  # from the second time on by transrank
            same = np.array_equal(fft.forward(field), spectrum)
            returned = np.allclose(fft.backward(), field)
        fft.destroy()
        print(f"rank {comm.rank}, {shared=}: same spectrum {same}, field returned {returned}")
        if not (same and returned):
            raise SystemExit(1)


if __name__ == "__main__":
    main()
