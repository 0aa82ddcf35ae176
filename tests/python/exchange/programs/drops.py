# SPDX-License-Identifier: BSD-3-Clause
# ranks: 2 3 4
"""Whatever moves data is dropped at random points, or its arrays are: nobody writes elsewhere.

Memory that is taken afterwards must keep what is put into it; whoever is not told of an error must
have the right values; nobody crashes or waits for ever.
"""

import gc
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

import transrank
from python.spmd import WORLD, main, the_seed, trials
from transrank import BlockGrid, Distribution, Redistribution, route

Array = np.ndarray[Any, Any]
SIZES = [1, 40, 3_000, 40_000]  # short messages, and those that wait for their receiver
TRANSPORTS = ["auto", "kernel-copy", "shared-staged", "message"]
ALGORITHMS = [
    name for name, _ in transrank.alltoall_algorithms() if name != "two-process" or WORLD.size == 2
]
FATES = [
    *("finish", "finish", "late", "drop before start", "drop after start", "drop after tests"),
    *("resize", "freeze", "abandon"),
]
ERRORS = (transrank.Misuse, transrank.BrokenExchange)


class Bound(Protocol):
    def start(self) -> None: ...
    def test(self) -> bool: ...
    def wait(self) -> None: ...


@dataclass
class Job:
    """What is bound, its arrays, and what shall be in the last one."""

    bound: Bound
    arrays: list[Array]
    expected: Callable[[], Array]


def new(shape: int | tuple[int, ...], value: float, *, shared: bool) -> Array:
    return transrank.full(shape, value, float) if shared else np.full(shape, value, float)


def exchange(draw: random.Random, size: int, *, shared: bool) -> Job:
    """Every rank gets a piece of the next one's array."""
    begin = size * ((WORLD.rank + 1) % WORLD.size)
    layout = Distribution.even(size * WORLD.size, WORLD.size)
    moved = route.ghost_pull(WORLD, layout, begin + np.arange(size))
    pair = new(size, WORLD.rank, shared=shared), new(size, -2.0, shared=shared)
    bound = transrank.Exchange(moved, WORLD, pair, transport=draw.choice(TRANSPORTS))
    return Job(bound, [*pair], lambda: np.full(size, float((WORLD.rank + 1) % WORLD.size)))


def alltoall(draw: random.Random, size: int, *, shared: bool) -> Job:
    block = max(1, size // WORLD.size)
    arrays = [new((WORLD.size, block), WORLD.rank, shared=shared)]
    if draw.random() < 0.7:
        arrays.append(new((WORLD.size, block), -2.0, shared=shared))
    bound = transrank.Alltoall(WORLD, *arrays, algorithm=draw.choice(["auto", *ALGORITHMS]))
    sent = np.repeat(np.arange(float(WORLD.size)), block).reshape(WORLD.size, block)
    return Job(bound, arrays, lambda: sent)


def redistribution(draw: random.Random, size: int, *, shared: bool) -> Job:
    rows, columns = WORLD.size * max(1, size // 40), 40
    bound = Redistribution(
        WORLD,
        BlockGrid([Distribution.even(rows, WORLD.size), Distribution.even(columns, 1)]),
        BlockGrid([Distribution.even(rows, 1), Distribution.even(columns, WORLD.size)]),
    )
    pair = (
        new(bound.source_shape(), 5.0, shared=shared),
        new(bound.destination_shape(), -2.0, shared=shared),
    )
    bound.store(pair, transport=draw.choice(TRANSPORTS))
    return Job(bound, [*pair], lambda: np.full(bound.destination_shape(), 5.0))


def work(job: Job, fate: str, draw: random.Random) -> bool:
    """Do what fate says; return whether the data must have arrived."""
    if fate == "drop before start":
        return False
    if fate == "late":
        time.sleep(draw.random() / 100)
    if fate == "freeze":
        job.arrays[-1].flags.writeable = False
    job.bound.start()
    if fate == "resize":
        for array in job.arrays:
            try:
                array.resize(array.size + 1000, refcheck=False)
            except ValueError:
                continue
            raise AssertionError("an array that is bound was resized")
    if fate == "abandon" and hasattr(job.bound, "abandon"):
        job.bound.abandon("given up by the test")
    if fate == "drop after start":
        return False
    for _ in range(draw.randrange(4) if fate == "drop after tests" else 0):
        if job.bound.test():
            return False
    if fate == "drop after tests":
        return False
    job.bound.wait()
    return True


def settle() -> None:
    """Collective. A barrier in which MPI can finish what it still has to do."""
    for _ in range(2):
        request = WORLD.Ibarrier()
        while not request.Test():
            pass


def test_nothing_foreign_is_written_whatever_is_dropped_whenever():
    for number in range(trials(20)):
        common = random.Random(the_seed() * 1_000_003 + number)
        own = random.Random(f"{the_seed()} {number} {WORLD.rank}")
        make = common.choice([exchange, alltoall, redistribution])
        job: Job | None = make(common, common.choice(SIZES), shared=common.random() < 0.5)
        assert job is not None
        fate = own.choice(FATES) if common.random() < 0.9 else "finish"
        shape = job.arrays[-1].shape
        try:
            arrived = work(job, fate, own)
        except ERRORS:
            arrived = False
        right = not arrived or bool((job.arrays[-1] == job.expected()).all())
        if not arrived:
            job = None
            gc.collect()
        later = [np.full(shape, -1.0) for _ in range(4)]
        shared = [transrank.full(shape, -1.0) for _ in range(2)]
        settle()
        whole = all((array == -1).all() for array in (*later, *shared))
        assert right, f"trial {number}, {make.__name__}, {fate}: wrong values"
        assert whole, f"trial {number}, {make.__name__}, {fate}: foreign values"


main(globals())
