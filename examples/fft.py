# SPDX-License-Identifier: BSD-3-Clause
"""A distributed 3-D FFT: mpi4py-fft as it is, but for its transfers between pencils.
mpiexec -n 4 python -m mpi4py examples/fft.py --points 64
"""

import argparse

from mpi4py import MPI

import numpy as np

import transrank
from transrank.command import require

require(["mpi4py_fft"], "mpi4py-fft")

import mpi4py_fft  # noqa: E402
from mpi4py_fft import pencil  # noqa: E402


class Transfer(pencil.Transfer):
    """In place of MPI_Alltoallw of subarrays; bound each way to the arrays of the first call."""

    def __init__(self, comm, shape, _dtype, _subshape_a, axis_a, _subshape_b, axis_b):
        def grid(divided):
            parts = [comm.size if axis == divided else 1 for axis in range(len(shape))]
            return transrank.BlockGrid(list(map(transrank.Distribution.even, shape, parts)))

        self.comm, self.forth, self.back = comm, None, None
        self.route = transrank.Redistribution(comm, grid(axis_b), grid(axis_a)).route

    def forward(self, array_a, array_b):
        self.forth = self.forth or self.bound(self.route, array_a, array_b)
        self.forth.run((array_a, array_b))

    def backward(self, array_b, array_a):
        self.back = self.back or self.bound(self.route.transposed(), array_b, array_a)
        self.back.run((array_b, array_a))

    def bound(self, route, *arrays):
        return transrank.Exchange(route, self.comm, arrays, dimensions=arrays[0].ndim)

    def destroy(self):
        self.forth = self.back = None


def plan(comm, extents, *, transfers=Transfer, shared=True):
    """An mpi4py_fft.PFFT with these transfers, whose arrays node-mates can map if `shared`."""
    usual = pencil.Transfer, mpi4py_fft.fftw.aligned
    pencil.Transfer = transfers
    if shared:  # from the beginning of a page on, which is all that FFTW asks for
        mpi4py_fft.fftw.aligned = lambda shape, dtype, **_: transrank.zeros(shape, dtype)
    try:
        return mpi4py_fft.PFFT(comm, extents, dtype=float)
    finally:
        pencil.Transfer, mpi4py_fft.fftw.aligned = usual


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=64, help="in each dimension")
    points, comm = parser.parse_args().points, MPI.COMM_WORLD
    extents = (points, points + 1, points + 2)
    usual = plan(comm, extents, transfers=pencil.Transfer, shared=False)
    field = np.random.default_rng(comm.rank).random(usual.forward.input_array.shape)
    spectrum = usual.forward(field).copy()
    for shared in (False, True):
        fft = plan(comm, extents, shared=shared)
        same = np.array_equal(fft.forward(field), spectrum)
        returned = np.allclose(fft.backward(), field)
        fft.destroy()
        print(f"rank {comm.rank}, {shared=}: same spectrum {same}, field returned {returned}")
        if not (same and returned):
            raise SystemExit(1)


if __name__ == "__main__":
    main()
