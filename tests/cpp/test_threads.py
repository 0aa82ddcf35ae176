# SPDX-License-Identifier: BSD-3-Clause
"""Threads with exchanges of their own, on several ranks at once; `make races` watches them.

ThreadSanitizer sees the library's code alone: MPI is not compiled for it, and what MPI does with
memory is left out. The locks that MPI takes are seen, and order what happens before and after.
"""

import shutil

import pytest

from conftest import Mpiexec
from support.bounded import Finished
from support.built import build_folder, cpp_test

WATCHER = {
    "TSAN_OPTIONS": "ignore_noninstrumented_modules=1 ignore_interceptors_accesses=1",
    # UCX looks at memory that is unmapped, also where a thread ends that is no longer watched.
    "UCX_MEM_EVENTS": "n",
    "UCX_TLS": "^cma",  # UCX tries a read from a bad address, which ends ThreadSanitizer
}
CHOICES = build_folder() / "CMakeCache.txt"
WATCHED = CHOICES.exists() and "TRANSRANK_SANITIZE:STRING=thread\n" in CHOICES.read_text()


def run(mpiexec: Mpiexec, ranks: int, *arguments: str) -> Finished:
    # Its shadow memory has fixed places, which newer kernels may have given to something else.
    fixed = ["setarch", "-R"] if WATCHED and shutil.which("setarch") else []
    program = cpp_test("threads/own_exchanges_program")
    done = mpiexec.run(ranks, *fixed, program, *arguments, env=WATCHER if WATCHED else None)
    if "unexpected memory mapping" in done.stderr:
        pytest.skip("this kernel leaves ThreadSanitizer no place for its shadow memory")
    return done


@pytest.mark.parametrize("ranks", [2, 3])
def test_threads_make_and_run_what_is_their_own_at_once(mpiexec, ranks):
    run(mpiexec, ranks).check()


@pytest.mark.skipif(not WATCHED, reason="only ThreadSanitizer sees it: make races")
def test_threads_that_share_their_arrays_are_reported(mpiexec):
    done = run(mpiexec, 2, "raced")
    assert done.status != 0
    assert "data race" in done.stderr
