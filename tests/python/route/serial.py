# SPDX-License-Identifier: BSD-3-Clause
"""What routes must do, the plain way: all ranks' arrays in one process, one index at a time."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from transrank import _core

UNTOUCHED = -1


def pairs(leg: _core.Leg) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Source and destination unit of everything a leg moves, in its order."""
    sources, destinations = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for source, destination, length, *loops in leg.segments:
        source, destination = source + np.arange(length), destination + np.arange(length)
        for count, source_stride, destination_stride in np.reshape(loops, (-1, 3)):
            step = np.arange(count)[:, np.newaxis]
            source = (source + step * source_stride).ravel()
            destination = (destination + step * destination_stride).ravel()
        sources.append(source)
        destinations.append(destination)
    return np.concatenate(sources), np.concatenate(destinations)


def deliver(
    routes: Sequence[_core.Route],
    sources: Sequence[NDArray[np.int64]],
    destinations: Sequence[NDArray[np.int64]] | None = None,
) -> list[NDArray[np.int64]]:
    """Move everything once as the receivers see it, and check that the senders see the same."""
    _core.check_consistent(routes)
    if destinations is None:
        destinations = [np.full(route.destination_extent, UNTOUCHED) for route in routes]
    received = [array.copy() for array in destinations]
    sent = [array.copy() for array in destinations]
    for route in routes:
        for leg in route.receives:
            source, destination = pairs(leg)
            received[route.rank][destination] = sources[leg.peer][source]
        for leg in route.sends:
            source, destination = pairs(leg)
            sent[leg.peer][destination] = sources[route.rank][source]
    for one, other in zip(received, sent, strict=True):
        np.testing.assert_array_equal(one, other)
    return received


def granted(requests: Sequence[Sequence[_core.Leg]]) -> list[list[_core.Leg]]:
    """Hand every leg to its peer, as the sparse exchange of a parallel program would."""
    legs: list[list[_core.Leg]] = [[] for _ in requests]
    for rank, mine in enumerate(requests):
        for leg in mine:
            legs[leg.peer].append(_core.Leg(rank, leg.segments))
    return legs


def ghosts_of(owners: _core.Distribution, lists: Sequence[Sequence[int]]) -> list[_core.Route]:
    """The routes by which each rank gets the rows of its list."""
    requests = []
    for wish in lists:
        runs: dict[int, list[list[int]]] = defaultdict(list)
        for slot, index in enumerate(wish):
            owner, row = owners.owner(index)
            last = runs[owner][-1] if runs[owner] else [-1, -1, 0]
            if [row, slot] == [last[0] + last[2], last[1] + last[2]]:
                last[2] += 1
            else:
                runs[owner].append([row, slot, 1, 1, 0, 0])
        requests.append([_core.Leg(peer, np.array(runs[peer])) for peer in sorted(runs)])
    return [
        _core.Route(rank, owners.parts, owners.owned(rank), len(lists[rank]), legs, requests[rank])
        for rank, legs in enumerate(granted(requests))
    ]
