# SPDX-License-Identifier: BSD-3-Clause
"""Tests that run on all ranks of an MPI job at once, property tests among them.

Programs in folders `programs/` end with ``spmd.main(globals())``, which runs their functions
`test_*` in order; `run_programs` runs several in one job. An error of one rank is printed and ends
the job, so that no rank waits for ever.
Property tests draw the same cases on every rank, from one seed; an assertion that fails on some
rank fails on all, and therefore the case is made smaller on all ranks in step.
"""

import functools
import re
import runpy
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from transrank.mpi import MPI  # isort: split

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import transrank
from support.trials import SEED_VARIABLE
from support.trials import seed as the_seed
from support.trials import trials as trials

WORLD = MPI.COMM_WORLD

T = TypeVar("T")


def property_test(
    strategy: st.SearchStrategy[T], examples: int
) -> Callable[[Callable[[T], None]], Callable[[], None]]:
    """A test of many cases, drawn in step on every rank.

    The body may communicate, but asserts only when it has communicated for the last time: ranks
    whose assertions hold would otherwise go on alone.
    """

    def decorate(body: Callable[[T], None]) -> Callable[[], None]:
        @settings(
            max_examples=examples,
            database=None,
            deadline=None,
            print_blob=False,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        )
        @seed(the_seed())
        @given(strategy)
        def on_this_rank(case: T) -> None:
            _check_same(case)
            _together(body, case)

        @functools.wraps(body)
        def run() -> None:
            on_this_rank()

        return run

    return decorate


def same_everywhere(value: object) -> bool:
    """Collective. Whether every rank has the value of rank 0."""
    return bool(WORLD.allreduce(value == WORLD.bcast(value, root=0), op=MPI.LAND))


def refused(says: str, work: Callable[[], object]) -> None:
    """Every rank raises AgreedError with the same words, `says` among them."""
    with pytest.raises(transrank.AgreedError) as error:
        work()
    words = str(error.value)
    assert says in words, words
    assert same_everywhere(words), words


def _check_same(case: object) -> None:
    words = re.sub(r"0x[0-9a-f]+", "", repr(case))  # where an object lies differs
    if not same_everywhere(words):
        raise RuntimeError(f"rank {WORLD.rank} has drawn another case: {case}")


def _together(body: Callable[[T], None], case: T) -> None:
    failure: str | None = None
    try:
        body(case)
    except AssertionError as error:
        failure = f"on rank {WORLD.rank} (seed {the_seed()}, {SEED_VARIABLE}): {error}"
    except Exception:
        # Not to be made smaller: the other ranks may be waiting for this one.
        _end_job(f"the case {case} (seed {the_seed()}, {SEED_VARIABLE})")
    failures = [text for text in WORLD.allgather(failure) if text is not None]
    if failures:
        raise FailedTogether(failures[0])


def _end_job(what: str) -> None:
    words = f"{what} failed on rank {WORLD.rank} of {WORLD.size}\n"
    sys.stderr.write(words + traceback.format_exc())
    sys.stderr.flush()
    WORLD.Abort(1)


class FailedTogether(AssertionError):
    """An assertion that failed on some rank, and is raised on all."""


def main(names: dict[str, Any]) -> None:
    """Run the functions test_* of a program; end the job when one fails."""
    for name, function in list(names.items()):
        if name.startswith("test_") and callable(function):
            try:
                function()
            except BaseException as error:
                if isinstance(error, FailedTogether) and WORLD.rank > 0:
                    WORLD.Barrier()  # rank 0 tells of it and ends the job
                _end_job(f"{names['__file__']}: {name}")
            WORLD.Barrier()
            if WORLD.rank == 0:
                print(f"passed {Path(names['__file__']).stem}: {name}", flush=True)


def run_programs() -> None:
    """Run the programs that the command line names, one after the other."""
    for path in sys.argv[1:]:
        runpy.run_path(path, run_name="__main__")
