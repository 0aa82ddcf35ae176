# SPDX-License-Identifier: BSD-3-Clause
# ranks: 2 3
"""Alltoalls of NumPy arrays by every algorithm, beside MPI's, and what is refused."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest

import transrank
from python import spmd
from python.spmd import WORLD, refused

NAMES = ["auto", *(name for name, _ in transrank.alltoall_algorithms())]
USABLE = [name for name in NAMES if name != "two-process" or WORLD.size <= 2]

cases = st.fixed_dictionaries(
    {
        "algorithm": st.sampled_from(USABLE),
        "rows": st.integers(0, 3),
        "columns": st.integers(0, 40),
        "dtype": st.sampled_from(["u1", "f8", "i4,f8"]),
        "shared": st.booleans(),
        "radix": st.integers(2, 4),
        "seed": st.integers(0, 2**32 - 1),
    }
)


def draw(case: dict[str, object], shared: bool) -> np.ndarray:
    shape = (int(case["rows"]) * WORLD.size, int(case["columns"]))
    dtype = np.dtype(case["dtype"])
    array = transrank.zeros(shape, dtype) if shared else np.zeros(shape, dtype)
    random = np.random.default_rng([int(case["seed"]), WORLD.rank])
    array.view("u1")[...] = random.integers(0, 256, array.view("u1").shape, "u1")
    return array


def expected(send: np.ndarray) -> np.ndarray:
    received = np.empty_like(np.asarray(send))
    WORLD.Alltoall(send.view("u1"), received.view("u1"))
    return received


@spmd.property_test(cases, examples=40)
def test_every_algorithm_does_what_mpi_does(case: dict[str, object]) -> None:
    send = draw(case, bool(case["shared"]))
    options = {"algorithm": case["algorithm"], "radix": case["radix"]}
    receive = np.zeros_like(np.asarray(send))
    bound = transrank.Alltoall(WORLD, send, receive, **options)
    bound.run()
    wanted = expected(send)
    first = receive.tobytes() == wanted.tobytes()
    receive.view("u1")[...] = 0
    bound.start()
    while not bound.test():
        pass
    again = receive.tobytes() == wanted.tobytes()
    both = send.copy()
    transrank.alltoall(WORLD, both, **options)
    assert first
    assert again
    assert both.tobytes() == wanted.tobytes()


def test_the_algorithm_in_use_is_named() -> None:
    shared = transrank.zeros((WORLD.size, 8))
    own = np.zeros((WORLD.size, 8))
    assert transrank.Alltoall(WORLD, shared, own).algorithm == "on-node-direct"
    assert transrank.Alltoall(WORLD, own, shared).algorithm == "mpi"
    assert repr(transrank.Alltoall(WORLD, own, algorithm="bruck")) == "<Alltoall by bruck>"


def test_what_is_wrong_on_one_rank_is_told_on_all() -> None:
    good = np.zeros((WORLD.size, 4))
    last = WORLD.rank == WORLD.size - 1

    def call(send: object, receive: object = None, **options: object) -> None:
        transrank.alltoall(WORLD, send, receive, **options)

    refused("multiple of their number", lambda: call(np.zeros(WORLD.size + 1) if last else good))
    refused("C-contiguous", lambda: call(np.zeros((4, WORLD.size)).T if last else good))
    refused("overlaps", lambda: call(good, good[:] if last else good.copy()))
    refused("not a NumPy array", lambda: call("blocks" if last else good))
    refused("blocks of float32", lambda: call(good.astype("f4") if last else good))
    refused("calls alltoall with blocks of", lambda: call(np.zeros((WORLD.size, 5 if last else 4))))
    refused("unknown alltoall algorithm", lambda: call(good, algorithm="nosuch"))
    refused("places for", lambda: call(good, torus=[1]))
    read_only = good.copy()
    read_only.flags.writeable = not last
    refused("read-only", lambda: call(good, read_only))


def test_calls_in_the_wrong_order_are_refused() -> None:
    send = np.zeros((WORLD.size, 2))
    bound = transrank.Alltoall(WORLD, send, algorithm="linear")
    with pytest.raises(transrank.Misuse):
        bound.wait()
    bound.start()
    with pytest.raises(transrank.Misuse):
        bound.start()
    bound.wait()


if __name__ == "__main__":
    spmd.main(globals())
