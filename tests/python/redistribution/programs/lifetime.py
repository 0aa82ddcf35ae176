# SPDX-License-Identifier: BSD-3-Clause
# ranks: 2 3
"""Redistributions that are interrupted, dropped or left alone, by whatever transport they go."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest

import transrank
from python.spmd import WORLD, main
from transrank import BlockGrid, Distribution, Redistribution

TRANSPORTS = ["auto", "message", "shared-staged"]


def stored(cells: int, transport: str) -> tuple[Redistribution, list[np.ndarray]]:
    """From slabs to columns: every rank sends to all."""
    sides = [
        BlockGrid([Distribution.even(cells, parts) for parts in shape])
        for shape in ((WORLD.size, 1), (1, WORLD.size))
    ]
    bound = Redistribution(WORLD, *sides)
    starts = [np.full(bound.source_shape(), value) for value in (1.0, 2.0)]
    ends = [np.zeros(bound.destination_shape()) for _ in starts]
    bound.store(list(zip(starts, ends, strict=True)), transport=transport)
    return bound, ends


def interrupted_run(bound: Redistribution) -> None:
    """Start it, and be interrupted while nobody else has."""
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        bound.run()


def test_an_interrupt_leaves_it_under_way() -> None:
    for transport in TRANSPORTS:
        bound, ends = stored(24, transport)
        if WORLD.rank == 0:
            interrupted_run(bound)
        WORLD.Barrier()
        bound.run()
        assert all((end == value).all() for end, value in zip(ends, (1, 2), strict=True)), transport


def test_nobody_writes_where_the_arrays_of_a_dropped_one_were() -> None:
    for transport in TRANSPORTS:
        bound, ends = stored(600, transport)
        bound.run()
        later: list[np.ndarray] = []
        WORLD.Barrier()
        if WORLD.rank == 0:
            interrupted_run(bound)
            shape = ends[0].shape
            del bound, ends
            later = [np.full(shape, -1.0) for _ in range(6)]
            WORLD.Barrier()
        else:
            WORLD.Barrier()
            with pytest.raises(transrank.BrokenExchange, match="rank 0"):  # noqa: PT012
                while True:  # one that only sends to rank 0 may be through with a round
                    bound.run()
        WORLD.Barrier()
        assert all((array == -1).all() for array in later), transport


main(globals())
