# SPDX-License-Identifier: BSD-3-Clause
"""Routes: which data move between which ranks.

Every function here is collective over its communicator, its first argument. If an argument is wrong
on any rank, it raises AgreedError with the same message on every rank. A route describes, for one
rank, what it sends to and receives from each peer; it is immutable and can serve any number of
exchanges, and ``route.transposed()`` is the reverse route.

Arguments are the same on every rank, except lists of indices, counts and displacements, `begin` and
`extent`, and places of files, which are each rank's own.

Two errors cannot be agreed on and are raised on their rank alone while the others wait: an unknown
keyword, and a first argument that is not a communicator. If a rank ends without making a collective
call, the other ranks of its node raise a BrokenExchange that names it, about a second later; this
works from the second collective call of transrank on. ``mpiexec -n 4 python -m mpi4py PROGRAM``
covers the first one: it ends all ranks when one ends with an error.
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
