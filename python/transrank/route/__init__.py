# SPDX-License-Identifier: BSD-3-Clause
"""Routes: which data move between which ranks.

Every function here is collective over its communicator, its first argument. If an argument is
invalid on any rank, every rank raises AgreedError with the same message. A route describes which
units (such as cells or rows) one rank sends to and receives from each peer. A route is immutable
and can serve any number of exchanges. ``route.transposed()`` is the reverse route.

Arguments must be the same on every rank. Only lists of indices, counts and displacements, `begin`
and `extent`, and paths of files may differ.

Two errors are raised on one rank alone while the other ranks wait: an unknown keyword, and a first
argument that is not a communicator. If that rank then ends, the other ranks of its node raise a
BrokenExchange that names this rank, about a second later, except in the first collective call of
transrank. ``mpiexec -n 4 python -m mpi4py PROGRAM`` helps in the first call too: it ends all ranks
when one rank ends with an error.
"""

from transrank._core import Leg, Route
from transrank.route.blocks import alltoall, alltoallv
from transrank.route.files import load, save
from transrank.route.ghosts import ghost_pull, ghost_push
from transrank.route.grids import halo, redistribution
from transrank.route.index_lists import lists

__all__ = [
    "Leg",
    "Route",
    "alltoall",
    "alltoallv",
    "ghost_pull",
    "ghost_push",
    "halo",
    "lists",
    "load",
    "redistribution",
    "save",
]
