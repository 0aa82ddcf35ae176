# SPDX-License-Identifier: BSD-3-Clause
"""A rank that ends is named by an error of those that wait for it in a collective call."""

import sys
import textwrap

import pytest

PROGRAM = """
import sys
import numpy as np
import transrank
from transrank.mpi import MPI
world = MPI.COMM_WORLD
route = transrank.route.lists(world, [world.rank], [0])
new = world.Dup()
if world.rank == 0:
    {leaves}
for _ in range(2):
    try:
        {waits}
    except transrank.BrokenExchange as error:
        print(f"told: {{error}}\\n", end="", flush=True)
sys.exit(1)
"""
WAYS = [
    ("raise ValueError('a mistake of the user')", "transrank.Numbering(world, 3)"),
    ("sys.exit(3)", "transrank.Exchange(route, world, (np.zeros(1), np.zeros(1)))"),
    ("MPI.Finalize(); sys.exit()", "transrank.alltoall(world, np.zeros(3), np.zeros(3))"),
    ("sys.exit(3)", "transrank.Numbering(new, 3)"),
]


@pytest.mark.parametrize(("leaves", "waits"), WAYS)
def test_a_rank_that_ends_instead_of_coming_is_named(mpiexec, leaves, waits):
    program = textwrap.dedent(PROGRAM).format(leaves=leaves, waits=waits)
    outcome = mpiexec.run(3, sys.executable, "-c", program)
    assert outcome.status != 0
    told = [line for line in outcome.stdout.splitlines() if line.startswith("told:")]
    assert len(told) == 4, outcome.describe()
    assert set(told) == {
        "told: rank 0 has ended, or is about to, and will not come to the collective call in which "
        "others wait for it; look for an error of that rank"
    }
