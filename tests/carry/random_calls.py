# SPDX-License-Identifier: BSD-3-Clause
"""Random alltoalls over random communicators: prints a digest of all that was received.

mpiexec -n RANKS python random_calls.py SEED CALLS
Every rank draws the same numbers from the seed; the types on both sides of a pair differ.
"""

import hashlib
import random
import sys

from mpi4py import MPI

import numpy as np

WORLD = MPI.COMM_WORLD
ROOM = 1 << 13  # bytes of a block and what lies between
LONG = 1 << 18


class Types:
    """Random datatypes of so many doubles; freed together."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.made: list[MPI.Datatype] = []

    def keep(self, made: MPI.Datatype) -> MPI.Datatype:
        self.made.append(made.Commit())
        return made

    def of(self, doubles: int, room: int, depth: int = 2) -> MPI.Datatype:
        """At most `room` bytes long, from 0 on."""
        draw, base = self.draw, MPI.DOUBLE
        kind = draw.randrange(9)
        if doubles == 0 or kind == 0 or room < 64 * doubles:
            return self.keep(base.Create_contiguous(doubles))
        divisors = [n for n in range(1, doubles + 1) if doubles % n == 0]
        length = draw.choice(divisors)
        count = doubles // length
        if kind == 1:
            return self.keep(base.Create_vector(count, length, length + draw.randrange(3)))
        if kind == 2:
            return self.keep(base.Create_hvector(count, length, 8 * length + 8 * draw.randrange(3)))
        if kind == 3:
            rows, wide = count, length + draw.randrange(3)
            start = draw.randrange(wide - length + 1)
            sizes, parts, starts = (rows + 1, wide), (rows, length), (draw.randrange(2), start)
            order = MPI.ORDER_C
            if draw.random() < 0.3:
                sizes, parts, starts = sizes[::-1], parts[::-1], starts[::-1]
                order = MPI.ORDER_F
            return self.keep(base.Create_subarray(sizes, parts, starts, order))
        places = draw.sample(range(2 * count), count)  # in any order
        if kind == 4:
            return self.keep(base.Create_indexed([length] * count, [length * p for p in places]))
        if kind == 5:
            return self.keep(base.Create_indexed_block(length, [length * p for p in places]))
        if kind == 6:
            places = [8 * length * p for p in places]
            return self.keep(base.Create_hindexed([length] * count, places))
        if depth and count > 1:
            part = room // count // 8 * 8
            inner = self.of(length, part, depth - 1)
            if kind == 7:
                wide = inner.Create_resized(0, part)
                self.made.append(wide)
                return self.keep(wide.Create_contiguous(count))
            places = [part * i for i in draw.sample(range(count), count)]
            return self.keep(MPI.Datatype.Create_struct([1] * count, places, [inner] * count))
        return self.keep(base.Create_contiguous(doubles).Create_dup())

    def free(self) -> None:
        for each in self.made:
            each.Free()


def communicators(draw: random.Random, comms: list) -> None:
    """Make one more or free one, the same on all ranks."""
    if len(comms) > 1 and draw.random() < 0.4:
        made = comms.pop(draw.randrange(1, len(comms)))
        if made != MPI.COMM_NULL:
            made.Free()
        return
    kind = draw.randrange(3)
    if kind == 0:
        made = WORLD.Dup()
    elif kind == 1:
        colors = [draw.randrange(2) for _ in range(WORLD.size)]
        keys = [draw.randrange(9) for _ in range(WORLD.size)]
        made = WORLD.Split(colors[WORLD.rank], keys[WORLD.rank])
    else:
        made = WORLD.Create_cart([WORLD.size], reorder=False)
    comms.append(made)


def arrays(bytes_: int, draw: random.Random) -> np.ndarray:
    fill = np.random.default_rng([draw.randrange(1 << 30), WORLD.rank])
    return fill.integers(0, 255, bytes_, "u1")


def one_call(comm: MPI.Intracomm, draw: random.Random) -> bytes:
    size, me = comm.size, comm.rank
    alone = random.Random(draw.randrange(1 << 30) + me)  # what a rank decides by itself
    types = Types(alone)
    kind, in_place = draw.randrange(4), draw.random() < 0.15
    lengths = draw.choice([[0, 1, 3], [24, 30, 40], [64, 100, 120], [0, 7, 96]])
    doubles = [[draw.choice(lengths) for _ in range(size)] for _ in range(size)]
    if in_place:  # each pair sends as much as it receives
        doubles = [[doubles[min(i, j)][max(i, j)] for j in range(size)] for i in range(size)]
    source, target = arrays(size * ROOM, draw), arrays(size * ROOM, draw)
    places = [ROOM * i for i in draw.sample(range(size), size)]
    sent, received = doubles[me], [doubles[i][me] for i in range(size)]
    if kind == 0:  # different types on each side of each pair
        outs, ins = ([types.of(n, ROOM) for n in each] for each in (sent, received))
        few = types.keep(MPI.BYTE.Create_contiguous(0))
        ins = [
            few if n == 0 and alone.random() < 0.5 else t
            for n, t in zip(received, ins, strict=True)
        ]
        ones = [1] * size
        if in_place:
            pairs = [types.of(doubles[0][0], ROOM)] * size
            comm.Alltoallw(MPI.IN_PLACE, [target, (ones, places), pairs])
        else:
            comm.Alltoallw([source, (ones, places), outs], [target, (ones, places[::-1]), ins])
    elif kind == 1:
        counts = [n // 4 for n in sent], [n // 4 for n in received]
        unit = types.of(4, 64)
        wide = types.keep(unit.Create_resized(0, 64))
        other = types.keep(types.of(4, 80).Create_resized(0, 80))
        starts = [p // 128 for p in places]
        if in_place:
            comm.Alltoallv(MPI.IN_PLACE, [target, (counts[1], starts), wide])
        else:
            comm.Alltoallv(
                [source, (counts[0], starts), wide], [target, (counts[1], starts), other]
            )
    elif kind == 2:
        count = doubles[0][0]
        if in_place:
            comm.Alltoall(MPI.IN_PLACE, [target, count, MPI.DOUBLE])
        else:
            one = types.of(count, ROOM)
            other = types.keep(one.Create_resized(0, ROOM)), types.of(count, ROOM)
            out = [source, 1, other[0]]
            comm.Alltoall(out, [target, 1, types.keep(other[1].Create_resized(0, ROOM))])
    else:  # long, contiguous and not
        count = draw.choice([1, 300, 5000, LONG // 16])
        source, target = arrays(2 * 8 * size * count, draw), arrays(2 * 8 * size * count, draw)
        strided = types.keep(MPI.DOUBLE.Create_vector(count, 1, 2))
        spaced = types.keep(strided.Create_resized(0, 16 * count))
        if in_place:
            comm.Alltoall(MPI.IN_PLACE, [target, 1, spaced])
        elif alone.random() < 0.5:
            comm.Alltoall([source, 1, spaced], [target, count, MPI.DOUBLE])
        else:
            comm.Alltoall([source, count, MPI.DOUBLE], [target, 1, spaced])
    types.free()
    return hashlib.sha256(target.tobytes() + source.tobytes()).digest()


def main() -> None:
    seed, calls = map(int, sys.argv[1:])
    draw = random.Random(seed)
    comms: list = [WORLD]
    digest = hashlib.sha256()
    while calls > 0:
        if draw.random() < 0.3:
            communicators(draw, comms)
        comm = draw.choice(comms)
        message, after = draw.random() < 0.2, draw.randrange(1 << 30)
        repeats = draw.randrange(1, 14)
        if comm != MPI.COMM_NULL:
            # A message that is under way meanwhile.
            to = (comm.rank + 1) % comm.size
            note = arrays(100_000, random.Random(after))
            request = comm.Isend(note, to) if message else MPI.REQUEST_NULL
            # Ranks of different communicators draw apart, and meet again.
            own = random.Random(after)
            for _ in range(repeats):
                digest.update(one_call(comm, own))
            if message:
                got = np.empty_like(note)
                comm.Recv(got, (comm.rank - 1) % comm.size)
                digest.update(got.tobytes())
            request.Wait()
        calls -= repeats
    digests = WORLD.gather(digest.hexdigest())
    if WORLD.rank == 0:
        print(hashlib.sha256("".join(digests).encode()).hexdigest())


main()
