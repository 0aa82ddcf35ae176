# SPDX-License-Identifier: BSD-3-Clause
"""Transfers of mpi4py-fft with and without transrank, under mpiexec: prints what it compared."""

import itertools

from mpi4py import MPI

import mpi4py_fft
import numpy as np
from mpi4py_fft.pencil import Pencil, Subcomm

import transrank.mpi4py_fft as by_transrank

COMM = MPI.COMM_WORLD
SHAPE = (7, 9, 8)


def transformed(dtype: str, padding: list[float] | None) -> list[np.ndarray]:
    options = {} if padding is None else {"padding": list(padding)}
    fft = mpi4py_fft.PFFT(COMM, SHAPE, dtype=dtype, planner_effort="FFTW_ESTIMATE", **options)
    given = fft.forward.input_array.shape
    found = []
    for number in range(4):
        random = np.random.default_rng(COMM.rank + 10 * number)
        spectrum = fft.forward(random.random(given).astype(dtype)).copy()
        found += [spectrum, fft.backward(spectrum).copy()]
    fft.destroy()
    return found


def redistributed(rank: int) -> list[np.ndarray]:
    """Each component of a tensor moves by the same transfer, from and to other arrays."""
    array = mpi4py_fft.DistArray((3,) * rank + SHAPE, subcomm=[0, 0, 1], dtype="f4", rank=rank)
    array[...] = np.random.default_rng(COMM.rank).random(array.shape)
    return [np.array(array.redistribute(axis)) for axis in (1, 0)]


def moved_between_changing_arrays() -> list[np.ndarray]:
    subcomm = Subcomm(COMM, [0, 0, 1])
    one = Pencil(subcomm, SHAPE, 2)
    other = one.pencil(1)
    transfer = one.transfer(other, "D")
    random = np.random.default_rng(COMM.rank)
    found = []
    kept = np.empty(other.subshape, "D")
    for _ in range(4):  # rank 0 takes other arrays each time
        source = random.random(one.subshape).astype("D")
        target = np.empty(other.subshape, "D") if COMM.rank == 0 else kept
        transfer.forward(source, target)
        transfer.backward(target, source)
        found += [target.copy(), source.copy()]
    transfer.destroy()
    return found


def is_same(name, work) -> None:
    by_transrank.leave()
    wanted = work()
    for shared in (False, True):
        by_transrank.use(shared=shared)
        same = all(map(np.array_equal, wanted, work()))
        if not COMM.allreduce(same, MPI.LAND):
            raise SystemExit(f"{name}, {shared=}: rank {COMM.rank} {same=}")
    if COMM.rank == 0:
        print("same", name)


for dtype, padding in itertools.product("fdgFDG", (None, [1.5, 1.0, 1.5])):
    is_same(f"{dtype} {padding}", lambda: transformed(dtype, padding))  # noqa: B023
for rank in (0, 1, 2):
    is_same(f"tensor {rank}", lambda: redistributed(rank))  # noqa: B023
is_same("arrays", moved_between_changing_arrays)
assert issubclass(mpi4py_fft.pencil.Transfer, by_transrank.Transfer)
