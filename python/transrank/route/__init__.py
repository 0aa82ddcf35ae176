# SPDX-License-Identifier: BSD-3-Clause
"""What moves between whom: routes, made together by the ranks that they concern.

Every function here is collective over its communicator, its first argument, and raises AgreedError
with the same words on every rank when something is wrong on any. A route holds, for one rank, what
it sends to whom and receives from whom; it is immutable, can serve any number of exchanges, and
``route.transposed()`` is the way back.
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
