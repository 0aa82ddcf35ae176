# SPDX-License-Identifier: BSD-3-Clause
"""Saving and loading the routes of all ranks together."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from transrank import _core
from transrank.agreement import agree, require_communicator, require_route

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def save(comm: Intracomm, route: _core.Route, place: str | os.PathLike[str]) -> None:
    """Collective. Write each rank's `route` to a file, which appears complete or not at all.

    Parameters
    ----------
    place
        a folder for files ``rank-N.route``, which is created if needed; or a path that contains
        ``{rank}``, which stands for the rank. `place` may differ between ranks (local disks).

    Raises
    ------
    AgreedError
        when the ranks' routes do not match each other (then nothing is written), or when a rank
        cannot write its file.
    """
    require_communicator(comm)

    def check() -> str:
        require_route(route)
        return _path(place)

    _core.save_routes(comm, route, agree(comm, check))


def load(comm: Intracomm, place: str | os.PathLike[str]) -> _core.Route:
    """Collective. Read this rank's route from `place`, where as many ranks have called `save`.

    Raises AgreedError when a file is missing, truncated or altered, when a file belongs to another
    rank or number of ranks, or when the files do not match each other.
    """
    require_communicator(comm)
    return _core.load_routes(comm, agree(comm, lambda: _path(place)))


def _path(place: str | os.PathLike[str]) -> str:
    """Raise TypeError or ValueError unless the system could have such a path."""
    if b"\0" in os.fsencode(place):
        raise ValueError(f"{place!r} is not a valid path: it contains a NUL character")
    return os.fspath(place)
