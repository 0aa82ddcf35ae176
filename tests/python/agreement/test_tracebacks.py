# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong is printed once by each rank, with the frames that lead to it in the program."""

import sys
import textwrap

import pytest

from conftest import Mpiexec

PROGRAM = """
import numpy as np
import transrank
from transrank.mpi import MPI
world = MPI.COMM_WORLD
first = world.rank == 0
owners = transrank.Distribution.even(8, world.size)
route = transrank.route.lists(world, [world.rank], [0])
class Own:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("not to be had")
class Place:
    def __fspath__(self):
        raise RuntimeError("not to be had")
def own_reader():
    raise RuntimeError("not to be had")
{call}
"""
OF_THE_LIBRARY = [
    ("transrank.Redistribution(world, owners, 3)", "the list of cells of the source has shape ()"),
    ("transrank.route.ghost_pull(world, owners, [0.5])", "give integers"),
    ("transrank.route.ghost_pull(world, owners, [0.5] if first else [0])", "give integers"),
    ("transrank.route.save(world, 3, 'nowhere')", "a Route is needed, not a int"),
    ("transrank.Exchange(route, world, (np.zeros(1), np.zeros(1)), transport=3)", "transport"),
    ("transrank.Numbering(world, -1)", "-1"),
]
OF_THE_PROGRAM = [
    ("transrank.route.ghost_pull(world, owners, Own())", "__array__"),
    ("transrank.route.load(world, Place())", "__fspath__"),
    ("from transrank.agreement import agree; agree(world, own_reader)", "own_reader"),
]


def output_of(mpiexec: Mpiexec, call: str) -> str:
    program = textwrap.dedent(PROGRAM).format(call=call)
    outcome = mpiexec.run(2, sys.executable, "-c", program)
    assert outcome.status != 0
    assert "AgreedError" in outcome.stderr, outcome.describe()
    return outcome.stderr


@pytest.mark.parametrize(("call", "words"), OF_THE_LIBRARY)
def test_each_rank_prints_what_is_wrong_once(mpiexec, call, words):
    output = output_of(mpiexec, call)
    lines = [line for line in output.splitlines() if words in line and "Error: " in line]
    assert 1 <= len(lines) <= 2, output
    assert "direct cause" not in output
    assert "During handling" not in output


@pytest.mark.parametrize(("call", "frame"), OF_THE_PROGRAM)
def test_an_error_in_code_of_the_program_keeps_its_traceback(mpiexec, call, frame):
    output = output_of(mpiexec, call)
    assert 1 <= output.count(f"in {frame}") <= 2, output
    assert output.count("direct cause") == output.count(f"in {frame}"), output
