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
import ctypes, faulthandler, sys, tempfile
from functools import partial
import numpy as np
import transrank as t
from transrank.mpi import MPI
world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
library, step = ctypes.CDLL(sys.argv[1]), int(sys.argv[2])
even = t.Distribution.even(8 * ranks, ranks)
grid = t.BlockGrid([t.Distribution.even(8, ranks)], halo=[(1, 1, True)])
route = t.route.ghost_pull(world, even, 8 * ((rank + 1) % ranks) + np.arange(8))
place = world.bcast(tempfile.mkdtemp() if rank == 0 else None) + "/a folder of a long name"
def transformer(c):
    made = t.ArrayTransformer(c, np.zeros(8))
    made.create_global_mapping()
    return made
def mapped(c):
    made = transformer(c)
    made.create_ghost_mapping([0, 9])
    return made
# What is called over a communicator, with what is made before.
calls = {
    "Exchange": lambda c: lambda: t.Exchange(route, c, (np.zeros(8), np.zeros(8))).run(),
    "Alltoall": lambda c: lambda: t.alltoall(c, np.zeros(ranks), np.zeros(ranks), "pairwise"),
    "Redistribution": lambda c: lambda: t.Redistribution(c, grid, grid),
    "ghost_pull": lambda c: lambda: t.route.ghost_pull(c, even, [0, 9]),
    "ghost_push": lambda c: lambda: t.route.ghost_push(c, even, [0, 1], [0, 1]),
    "lists": lambda c: lambda: t.route.lists(c, [rank], [0]),
    "alltoallv": lambda c: lambda: t.route.alltoallv(c, [1] * ranks, [1] * ranks),
    "Numbering": lambda c: lambda: t.Numbering(c, 4),
    "save": lambda c: lambda: t.route.save(c, route, place),
    "load": lambda c: lambda: t.route.load(c, place),
    "use_route": lambda c: lambda made=transformer(c): made.use_route(route),
    "create_ghost_mapping": lambda c: partial(transformer(c).create_ghost_mapping, [0]),
    "fit_son": lambda c: mapped(c).fit_son,
    "pull_once": lambda c: mapped(c).pull_once,
    "Grid.gather": lambda c: partial(t.Grid.gather, g := t.Grid(c, (8,)), g.zeros()),
    "Ghosts": lambda c: lambda: t.Ghosts(c, 4, [0, 7]),
}
comm = MPI.COMM_NULL
for name, prepare in calls.items():
    for number in range(0, 120, step):
        faulthandler.dump_traceback_later(20, exit=True)
        if comm == MPI.COMM_NULL:
            comm = world.Dup()
            prepare(comm)()  # the first use of a communicator is not looked at
        call = prepare(comm)
        library.fail_after(number if rank == 1 else -1)
        try:
            call()
            what = "ok"
        except BaseException as error:
            what = type(error).__name__
        library.fail_after(-1)
        outcomes = world.allgather(what)
        if "BrokenExchange" in outcomes:
            comm = MPI.COMM_NULL
        if rank == 0:
            print("tried", name, *outcomes, flush=True)
"""
# Calls without communication: each of their allocations fails in turn.
LOCAL = """
import ctypes, sys, tempfile
import numpy as np
import transrank as t
from transrank import _core
from transrank.mpi import MPI
library = ctypes.CDLL(sys.argv[1])
library.left_over.restype = ctypes.c_long
world = MPI.COMM_WORLD
route = t.route.lists(world, np.arange(9), np.arange(9)[::-1].copy())
transformer = t.ArrayTransformer(world, np.zeros(8))
transformer.create_global_mapping()
transformer.create_ghost_mapping([0, 7])
place = tempfile.mkdtemp() + "/a file of a name that is long"
calls = {
    "mapping": lambda: transformer.mapping.route,
    "Route": lambda: t.Route(0, 1, 9, 9, route.sends, route.receives),
    "Route.save": lambda: route.save(place),
    "Route.load": lambda: t.Route.load(place),
    "check_consistent": lambda: _core.check_consistent([route]),
    "BlockGrid": lambda: t.BlockGrid([t.Distribution.irregular([0, 4, 8])], halo=[(1, 1, True)]),
}
for name, call in calls.items():
    call()
    lacking, left = 0, -1
    for number in range(1000):
        library.fail_after(number)
        try:
            call()
        except MemoryError:
            lacking += 1
        left = library.left_over()
        library.fail_after(-1)
        if left >= 0:
            break
    print("tried", name, lacking, flush=True)
"""
ALLOWED = {("ok", "ok"), ("AgreedError", "AgreedError"), ("BrokenExchange", "MemoryError")}


@pytest.fixture(scope="module")
def failing(tmp_path_factory):
    if shutil.which(COMPILER) is None:
        pytest.skip(f"there is no {COMPILER}")
    source = tmp_path_factory.mktemp("failing") / "failing.cpp"
    source.write_text(FAILING)
    library = source.with_suffix(".so")
    command = [COMPILER, "-shared", "-fPIC", "-O1", source, "-o", library]
    run_bounded(command, timeout=60, env={}).check()
    return library


def lines_of(mpiexec, ranks: int, program: str, failing, *arguments: str) -> list[list[str]]:
    outcome = mpiexec.run(
        ranks,
        *(sys.executable, "-c", program, failing, *arguments),
        timeout=trials.seconds(120),
        env={"LD_PRELOAD": str(failing)},
    ).check()
    return [line.split()[1:] for line in outcome.stdout.splitlines() if line.startswith("tried ")]


def test_memory_that_one_rank_lacks_is_an_error_on_all(mpiexec, failing):
    step = "1" if trials.trials(0) else "31"
    seen = Counter(map(tuple, lines_of(mpiexec, 2, PROGRAM, failing, step)))
    assert {(one, other) for _, one, other in seen} <= ALLOWED, seen
    assert {name for name, one, _ in seen if one != "ok"} == {name for name, *_ in seen}


def test_a_lack_of_memory_ends_no_process(mpiexec, failing):
    lacking = {name: int(times) for name, times in lines_of(mpiexec, 1, LOCAL, failing)}
    assert len(lacking) == LOCAL.count('": lambda')
    assert min(lacking.values()) > 0, lacking
