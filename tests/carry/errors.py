# SPDX-License-Identifier: BSD-3-Clause
"""Odd and wrong arguments over a communicator that is carried, under mpiexec."""

from mpi4py import MPI

import numpy as np
import pytest

COMM = MPI.COMM_WORLD.Dup()
COMM.Set_errhandler(MPI.ERRORS_RETURN)
SIZE = COMM.size


def exchange(count: int = 3) -> None:
    source = np.arange(SIZE * count, dtype="i4") + 100 * COMM.rank
    target = np.empty_like(source)
    COMM.Alltoall(source, target)
    wanted = [np.arange(count) + 100 * i + COMM.rank * count for i in range(SIZE)]
    assert np.array_equal(target, np.concatenate(wanted))


def longer_than_expected(count: int) -> None:
    """Each rank expects one element less from the next rank than that sends."""
    sent = [count] * SIZE
    expected = [count - (i == (COMM.rank + 1) % SIZE) for i in range(SIZE)]
    starts = [count * i for i in range(SIZE)]
    source, target = np.zeros(SIZE * count), np.zeros(SIZE * count)
    with pytest.raises(MPI.Exception) as caught:
        COMM.Alltoallv(
            [source, (sent, starts), MPI.DOUBLE], [target, (expected, starts), MPI.DOUBLE]
        )
    # MPICH's own speaks of the status of one of its messages.
    assert caught.value.Get_error_class() in (MPI.ERR_TRUNCATE, MPI.ERR_IN_STATUS)


for _ in range(20):
    exchange()
for count in (5, 30_000):  # from the third call on carried
    for _ in range(3):
        longer_than_expected(count)
        exchange()

# Absolute addresses, and ranks that pass nothing at all.
source, target = np.arange(SIZE, dtype="f8") + COMM.rank, np.zeros(SIZE)
for _ in range(12):
    target[:] = 0
    types = [
        [
            MPI.DOUBLE.Create_hindexed([1], [MPI.Get_address(array) + 8 * i]).Commit()
            for i in range(SIZE)
        ]
        for array in (source, target)
    ]
    ones, zeros = [1] * SIZE, [0] * SIZE
    COMM.Alltoallw([MPI.BOTTOM, (ones, zeros), types[0]], [MPI.BOTTOM, (ones, zeros), types[1]])
    assert np.array_equal(target, np.arange(SIZE) + COMM.rank), target
    for each in types[0] + types[1]:
        each.Free()
    COMM.Alltoallw(
        [None, (zeros, zeros), [MPI.BYTE] * SIZE], [None, (zeros, zeros), [MPI.BYTE] * SIZE]
    )

# Between groups.
if SIZE > 1:
    half = COMM.Split(int(COMM.rank > 0))
    inter = half.Create_intercomm(0, COMM, 1 if COMM.rank == 0 else 0)
    for _ in range(6):
        send = np.full(inter.remote_size, COMM.rank, "i4")
        receive = np.empty_like(send)
        inter.Alltoall(send, receive)
        assert np.array_equal(receive, [0] if COMM.rank else range(1, SIZE))

# A handle that is used again for other ranks.
for turn in range(40):
    part = COMM.Split(0, COMM.rank if turn % 2 else -COMM.rank)
    for _ in range(5):
        send = np.full(SIZE, part.rank, "i4")
        receive = np.empty_like(send)
        part.Alltoall(send, receive)
        assert np.array_equal(receive, range(SIZE))
    part.Free()
COMM.Barrier()
if COMM.rank == 0:
    print("all as expected")
