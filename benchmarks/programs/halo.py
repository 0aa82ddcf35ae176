# SPDX-License-Identifier: BSD-3-Clause
"""A halo updated from Python in four ways, in turns: as programs of mpi4py do it, and by transrank.
    mpiexec -n 2 python halo.py EXTENTS WIDTH FIELDS ROUNDS
EXTENTS such as 230x417 are of a periodic grid of doubles, divided along its first axis. Its owners
rewrite their cells before each update. Prints a JSON object: seconds of the slowest rank, medians
of the rounds. Halos are compared with each other, cell by cell, but for their corners, which
transrank fills, too.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mpi4py import MPI

import numpy as np
from slowest import slowest

import transrank

COMM = MPI.COMM_WORLD
Slices = tuple[slice, ...]
Arrays = Sequence[np.ndarray[Any, np.dtype[np.float64]]]


def strips(cart: MPI.Cartcomm, shape: Sequence[int], width: int) -> Iterator[tuple[Any, ...]]:
    """Yield (rank to send to, cells to send, rank to receive from, cells to receive)."""
    for axis, length in enumerate(shape):
        below, above = cart.Shift(axis, 1)
        inner = [slice(width, each - width) for each in shape]

        def strip(begin: int, axis: int = axis, inner: list[slice] = inner) -> Slices:
            return (*inner[:axis], slice(begin, begin + width), *inner[axis + 1 :])

        yield above, strip(length - 2 * width), below, strip(0)
        yield below, strip(width), above, strip(length - width)


def by_subarrays(cart: MPI.Cartcomm, arrays: Arrays, width: int) -> Callable[[], None]:
    """Persistent messages of subarrays: nothing is packed by hand."""
    requests = []
    for tag, array in enumerate(arrays):

        def place(cells: Slices, array: np.ndarray[Any, Any] = array) -> list[Any]:
            begins = [each.start for each in cells]
            lengths = [each.stop - each.start for each in cells]
            kind = MPI.DOUBLE.Create_subarray(array.shape, lengths, begins).Commit()
            return [array, 1, kind]

        for turn, (to, sent, source, received) in enumerate(strips(cart, array.shape, width)):
            number = 100 * tag + turn
            requests.append(cart.Recv_init(place(received), source, number))
            requests.append(cart.Send_init(place(sent), to, number))

    def update() -> None:
        MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)

    return update


def by_packing(cart: MPI.Cartcomm, arrays: Arrays, width: int) -> Callable[[], None]:
    """Strips copied into a buffer, all fields in one message, and out of another."""
    steps = []
    for to, sent, source, received in strips(cart, arrays[0].shape, width):
        buffer = np.empty((len(arrays), *arrays[0][sent].shape))
        steps.append((to, sent, buffer, source, received, np.empty_like(buffer)))

    def update() -> None:
        for to, sent, out, source, received, into in steps:
            for place, array in zip(out, arrays, strict=True):
                place[...] = array[sent]
            cart.Sendrecv(out, to, 0, into, source, 0)
            for place, array in zip(into, arrays, strict=True):
                array[received] = place

    return update


def beside_at_most_one_side(shape: Sequence[int], width: int) -> np.ndarray[Any, Any]:
    """Whether a cell is owned, or in the halo along one axis alone."""
    places = np.indices(shape)
    lengths = np.reshape(shape, (-1, *[1] * len(shape)))
    return ((places < width) | (places >= lengths - width)).sum(axis=0) <= 1


def main() -> None:
    extents = [int(each) for each in sys.argv[1].split("x")]
    width, fields, rounds = map(int, sys.argv[2:])
    dims = [COMM.size, *[1] * (len(extents) - 1)]
    cart = COMM.Create_cart(dims, periods=[True] * len(extents))
    grid = transrank.Grid(cart, extents, halo=width)
    shape = grid.local_shape
    own: dict[str, Arrays] = {
        name: [np.zeros(shape) for _ in range(fields)]
        for name in ("subarrays", "packed", "own arrays")
    }
    shared = [grid.zeros() for _ in range(fields)]
    arrays: dict[str, Arrays] = {**own, "shared arrays": shared}
    ways = {
        "subarrays": by_subarrays(cart, own["subarrays"], width),
        "packed": by_packing(cart, own["packed"], width),
        "own arrays": grid.halo(*own["own arrays"]).update,
        "shared arrays": grid.halo(*shared).update,
    }
    inner = tuple(slice(width, each - width) for each in shape)
    filled = beside_at_most_one_side(shape, width)
    random = np.random.default_rng(COMM.rank)
    names = list(ways)
    times = defaultdict(list)
    for number in range(-20, rounds):
        values = random.random((fields, *(each - 2 * width for each in shape)))
        for turn in range(len(names)):
            name = names[(number + turn) % len(names)]
            for array, value in zip(arrays[name], values, strict=True):
                array[inner] = value
            seconds = slowest(ways[name])
            if number >= 0:
                times[name].append(seconds)
        if number < 2 or number + 1 == rounds:
            for name in names[1:]:
                pairs = zip(arrays[names[0]], arrays[name], strict=True)
                assert all(np.array_equal(one[filled], other[filled]) for one, other in pairs), name
    if COMM.rank == 0:
        print(json.dumps({name: float(np.median(found)) for name, found in times.items()}))


if __name__ == "__main__":
    main()
