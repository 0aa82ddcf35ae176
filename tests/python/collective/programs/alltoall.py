# SPDX-License-Identifier: BSD-3-Clause
# ranks: 2 3
"""Alltoalls of NumPy arrays by every algorithm, beside MPI's, and what is refused."""

import os
import tempfile
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest

import transrank
from python import spmd
from python.spmd import WORLD, refused
from transrank.installation import mpi_kind

NAMES = ["auto", *(name for name, _ in transrank.alltoall_algorithms())]
USABLE = [name for name in NAMES if name != "two-process" or WORLD.size <= 2]

# What `auto` takes for private arrays: as measured, where each rank has a core.
MEASURED = {"mpi", "on-node-direct"} if len(os.sched_getaffinity(0)) >= WORLD.size else {"mpi"}

TITLE = "transrank alltoall choices 1"

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
def test_every_algorithm_does_what_mpi_does(case):
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


@spmd.property_test(cases, examples=20)
def test_each_start_may_be_given_its_arrays(case):
    options = {"algorithm": case["algorithm"], "radix": case["radix"], "any_memory": True}
    like = draw(case, bool(case["shared"]))
    apart = transrank.Alltoall(WORLD, like, np.zeros_like(np.asarray(like)), **options)
    in_place = transrank.Alltoall(WORLD, like, **options)
    outcomes = []
    for step in range(3):
        send = draw({**case, "seed": int(case["seed"]) ^ step}, step == WORLD.rank)
        wanted = expected(send).tobytes()
        receive = np.zeros_like(np.asarray(send))
        if step == 0:
            apart.run(send, receive)
        else:
            apart.start(send, receive)
            apart.run(send, receive)  # under way already, so it only waits
        in_place.run(send)
        outcomes += [receive.tobytes() == wanted, send.tobytes() == wanted]
    assert all(outcomes)


def test_a_start_with_arrays_that_cannot_be_moved_breaks_nothing():
    send, receive = np.arange(3.0 * WORLD.size), np.zeros(3 * WORLD.size)
    for algorithm in USABLE:
        bound = transrank.Alltoall(WORLD, send, receive, algorithm, any_memory=True)
        for wrong, says in (
            ((send[1:], receive), "bound to shape"),
            ((send.astype("f4"), receive), "bound to shape"),
            ((send, np.zeros(6 * WORLD.size)[::2]), "strides"),
            ((send,), "one array, and two were bound"),
            ((), "no arrays are given to start"),
        ):
            with pytest.raises(ValueError, match=says):
                bound.start(*wrong)
        bound.run(send, receive)
        assert receive.tobytes() == expected(send).tobytes()
    with pytest.raises(ValueError, match="not those that were bound"):
        transrank.Alltoall(WORLD, send, receive).run(send, receive.copy())


def test_the_algorithm_in_use_is_named():
    shared = transrank.zeros((WORLD.size, 8))
    own = np.zeros((WORLD.size, 8))
    assert transrank.Alltoall(WORLD, shared, own).algorithm == "on-node-direct"
    assert transrank.Alltoall(WORLD, own, shared).algorithm in MEASURED
    assert repr(transrank.Alltoall(WORLD, own, algorithm="bruck")) == "<Alltoall by bruck>"


def test_every_algorithm_has_the_life_of_an_exchange():
    send = np.arange(3.0 * WORLD.size) + 100 * WORLD.rank
    for algorithm in USABLE:
        receive = np.zeros_like(send)
        bound = transrank.Alltoall(WORLD, send, receive, algorithm)
        bound.start()
        bound.run()  # under way already, so it only waits
        assert receive.tobytes() == expected(send).tobytes()
        assert bound.explain().startswith(f"alltoall by {bound.algorithm}")
        bound.close()
        with pytest.raises(transrank.Misuse, match="this alltoall has been closed"):
            bound.run()


def test_what_is_wrong_on_one_rank_is_told_on_all():
    good = np.zeros((WORLD.size, 4))
    last = WORLD.rank == WORLD.size - 1

    def call(send: object, receive: object = None, **options: object) -> None:
        transrank.alltoall(WORLD, send, receive, **options)

    refused("must be a multiple of that", lambda: call(np.zeros(WORLD.size + 1) if last else good))
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


FOLDER = tempfile.TemporaryDirectory()


def choices(*rules: str, **changed: object) -> str:
    """Return the path of a file of choices, which rank 0 has written."""
    told = {"mpi": mpi_kind(), "ranks": WORLD.size, "ranks-per-node": WORLD.size}
    head = [f"{name} {changed.get(name.replace('-', '_'), value)}" for name, value in told.items()]
    lines = [TITLE, *head, f"rules {changed.get('count', len(rules))} # of them", *rules]
    path = Path(FOLDER.name, "choices")
    path.write_text("\n".join([*lines, *changed.get("last", ["end"])]) + "\n")
    return str(WORLD.bcast(str(path)))


def test_auto_takes_what_a_file_says():
    own, shared = np.zeros((WORLD.size, 8)), transrank.zeros((WORLD.size, 8))
    path = choices("private 8 64 bruck", "shared 0 64 linear", "private 65 99 pairwise")

    def taken(send: np.ndarray, **options: object) -> str:
        receive = np.zeros_like(np.asarray(send))
        send[...] = WORLD.rank
        bound = transrank.Alltoall(WORLD, send, receive, **options)
        bound.run()
        assert receive.tobytes() == expected(send).tobytes()
        return bound.algorithm

    assert taken(own, choices=path) == "bruck"
    assert taken(own, choices=Path(path)) == "bruck"
    assert taken(shared, choices=path) == "linear"
    assert taken(own[:, :1].copy(), choices=path) == "bruck"
    assert taken(np.zeros((WORLD.size, 9)), choices=path) == "pairwise"
    assert taken(np.zeros((WORLD.size, 13)), choices=path) in MEASURED
    assert taken(own, algorithm="linear", choices=path) == "linear"
    assert taken(own) in MEASURED
    assert taken(own) == taken(own)  # measured once
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRANSRANK_ALLTOALL_CHOICES", path if WORLD.rank == 0 else "/elsewhere")
        assert taken(own) == "bruck"
    assert taken(own, choices=choices("private 0 99 linear")) == "linear"
    for other in ({"ranks": WORLD.size + 1}, {"ranks_per_node": 1}):
        assert taken(own, choices=choices("private 0 99 bruck", **other)) in MEASURED


def test_files_that_are_no_choices_are_refused_on_every_rank():
    send = np.zeros((WORLD.size, 8))
    rule = "private 8 64 bruck"

    def use(path: str) -> None:
        transrank.alltoall(WORLD, send, choices=path)

    def refuse(says: str, *rules: str, **changed: object) -> None:
        path = choices(*rules, **changed)
        refused(says, lambda: use(path))

    refuse("was measured with another, this program uses", rule, mpi="another")
    refuse("ends in line 6 without 'end'", rule, last=[])
    refuse("line 6: expected 'shared|private FIRST LAST ALGORITHM'", count=1)
    refuse("line 7: expected 'end' after 1 rules", rule, rule, count=1)
    refuse("line 7: some of these lengths have a rule already", rule, "private 64 70 linear")
    refuse("line 7: some of these lengths have a rule already", "private 64 70 linear", rule)
    refuse("line 6: the range of 64 to 8 bytes is empty", "private 64 8 bruck")
    refuse("line 6: '8B' is not an integer", "private 8B 64 bruck")
    refuse("line 6: unknown alltoall algorithm 'nosuch'", "private 8 64 nosuch")
    refuse("line 6: 'auto' cannot choose itself", "private 8 64 auto")
    refuse("cannot be used here: only for 1 or 2 ranks", "shared 8 64 two-process", ranks=3)
    refuse("line 3: expected 'ranks VALUE'", rule, mpi=f"{mpi_kind()}\nnodes 3")
    refuse("line 4: '0' is not an integer of at least 1", rule, ranks_per_node=0)
    refused("No such file", lambda: use("/nosuch"))
    Path(FOLDER.name, "text").write_text("alltoall choices of somebody else\n")
    path = WORLD.bcast(str(Path(FOLDER.name, "text")))
    refused("is not a file of alltoall choices", lambda: use(path))
    pipe = Path(FOLDER.name, "pipe")
    if WORLD.rank == 0:
        os.mkfifo(pipe)
    refused("pipe is not a regular file", lambda: use(WORLD.bcast(str(pipe))))
    refused("calls alltoall with the choices", lambda: use(f"/nosuch-{WORLD.rank}"))


if __name__ == "__main__":
    spmd.main(globals())
