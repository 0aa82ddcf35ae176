# SPDX-License-Identifier: BSD-3-Clause
"""An allocation that fails on one rank ends a collective call on all ranks: no abort, no wait."""

import os
import shutil
import sys
from collections import Counter

import pytest

from support import trials
from support.bounded import run_bounded

COMPILER = os.environ.get("CXX", "g++")
# The n-th allocation of C++ from now on fails; none when n is negative.
FAILING = """
#include <atomic>
#include <cstdlib>
#include <new>
static std::atomic<long> left{-1};
extern "C" void fail_after(long n) { left = n; }
extern "C" long left_over() { return left; }
void* operator new(std::size_t bytes) {
    void* memory = left >= 0 && left-- == 0 ? nullptr : std::malloc(bytes + (bytes == 0));
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
"""
PROGRAM = """
import ctypes, faulthandler, sys
import numpy as np
import transrank as t
from transrank.mpi import MPI
world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
library, step = ctypes.CDLL(sys.argv[1]), int(sys.argv[2])
even = t.Distribution.even(8 * ranks, ranks)
grid = t.BlockGrid([t.Distribution.even(8, ranks)], halo=[(1, 1, True)])
route = t.route.ghost_pull(world, even, 8 * ((rank + 1) % ranks) + np.arange(8))
calls = {
    "Exchange": lambda c: t.Exchange(route, c, (np.zeros(8), np.zeros(8))),
    "Alltoall": lambda c: t.Alltoall(c, np.zeros(ranks), np.zeros(ranks), "pairwise"),
    "Redistribution": lambda c: t.Redistribution(c, grid, grid),
    "ghost_pull": lambda c: t.route.ghost_pull(c, even, [0, 9]),
    "lists": lambda c: t.route.lists(c, [rank], [0]),
    "alltoallv": lambda c: t.route.alltoallv(c, [1] * ranks, [1] * ranks),
    "Numbering": lambda c: t.Numbering(c, 4),
}
for name, call in calls.items():
    for number in range(0, 60, step):
        faulthandler.dump_traceback_later(20, exit=True)
        comm = world.Dup()
        call(comm)  # the first use of a communicator is not looked at
        library.fail_after(number if rank == 1 else -1)
        try:
            call(comm)
            what = "ok"
        except BaseException as error:
            what = type(error).__name__
        library.fail_after(-1)
        outcomes = world.gather(what)
        if rank == 0:
            print("tried", name, *outcomes, flush=True)
"""
ALLOWED = {("ok", "ok"), ("AgreedError", "AgreedError"), ("BrokenExchange", "MemoryError")}


@pytest.mark.skipif(shutil.which(COMPILER) is None, reason=f"there is no {COMPILER}")
def test_memory_that_one_rank_lacks_is_an_error_on_all(mpiexec, tmp_path):
    source, library = tmp_path / "failing.cpp", tmp_path / "failing.so"
    source.write_text(FAILING)
    command = [COMPILER, "-shared", "-fPIC", "-O1", source, "-o", library]
    run_bounded(command, timeout=60, env={}).check()
    step = "1" if trials.trials(0) else "23"
    outcome = mpiexec.run(
        2,
        *(sys.executable, "-c", PROGRAM, library, step),
        timeout=trials.seconds(120),
        env={"LD_PRELOAD": str(library)},
    ).check()
    lines = [line.split() for line in outcome.stdout.splitlines() if line.startswith("tried ")]
    seen = Counter((name, one, other) for _, name, one, other in lines)
    assert {(one, other) for _, one, other in seen} <= ALLOWED, seen
    assert {name for name, one, _ in seen if one != "ok"} == {name for name, *_ in seen}
