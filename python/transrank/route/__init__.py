# SPDX-License-Identifier: BSD-3-Clause
"""What moves between whom: routes, made together by the ranks that they concern.

Every function here is collective over its communicator, its first argument, and raises AgreedError
with the same words on every rank when something is wrong on any. A route holds, for one rank, what
it sends to whom and receives from whom; it is immutable, can serve any number of exchanges, and
``route.transposed()`` is the way back.

What cannot be agreed on is an error of its rank alone, for which the others wait: an unknown
keyword, and a first argument that is no communicator. A rank that ends instead of coming to a
collective call is named by a BrokenExchange on the others of its node, a second later, once they
have made anything of transrank together. Of the first call of a program nobody can tell: there
``mpiexec -n 4 python -m mpi4py PROGRAM`` ends all ranks when one ends with an error.
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
