# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3
"""What is wrong with an array on one rank is the same error on every rank."""

import copy
import pickle
import tempfile
from functools import partial
from typing import Any

import numpy as np
import pytest

import transrank
from python.spmd import WORLD, main, refused

LAST = WORLD.size - 1
ROWS = 3


def on_last(wrong: Any, right: Any) -> Any:
    return wrong if WORLD.rank == LAST else right


def numbered(father: Any = None, son: Any = None) -> transrank.ArrayTransformer:
    transformer = transrank.ArrayTransformer(
        WORLD, np.zeros((ROWS, 2)) if father is None else father, son
    )
    transformer.create_global_mapping()
    return transformer


def test_arrays_that_cannot_be_moved():
    good = np.zeros((ROWS, 2))
    for wrong, says in [
        ([1.0, 2.0], "the father is a list, not a NumPy array"),
        (np.zeros((ROWS, 4))[:, ::2], "does not consist of C-contiguous rows"),
        (np.array(3.0), "does not consist of C-contiguous rows"),
    ]:
        refused(says, lambda wrong=wrong: transrank.ArrayTransformer(WORLD, on_last(wrong, good)))
    refused("references to Python objects", lambda: bound(np.full((ROWS, 2), None)))


def bound(father: Any) -> None:
    transformer = numbered(father)
    transformer.create_ghost_mapping([0])
    transformer.init_persistent_pull()


def test_rows_that_differ_between_ranks():
    if WORLD.size == 1:
        return
    for wrong in (np.zeros((ROWS, 3)), np.zeros((ROWS, 2), np.float32)):
        transformer = numbered(on_last(wrong, np.zeros((ROWS, 2))))
        refused(f"rank {LAST} has rows of", lambda t=transformer: t.create_ghost_mapping([0]))


def test_sons_that_do_not_fit():
    father = transrank.ParArray.variable([2] * ROWS, float)
    for son in (transrank.ParArray.variable([2], np.int64), transrank.ParArray.fixed(1, 2, float)):
        transformer = numbered(father, on_last(son, transrank.ParArray.variable([2], float)))
        refused("cannot be ghosts of", lambda t=transformer: t.create_ghost_mapping([0]))
    for wrong in (np.zeros((2, 2)), np.zeros((1, 3)), np.zeros((1, 2), int)):
        transformer = numbered(son=on_last(wrong, np.zeros((1, 2))))
        says = f"the son on rank {LAST} is <ParArray"
        refused(says, lambda t=transformer: t.create_ghost_mapping([0]))
    array, other = np.zeros((ROWS, 2)), np.zeros((ROWS, 2))
    both = transrank.ParArray.of(array)
    transformer = transrank.ArrayTransformer(WORLD, both, on_last(both, other))
    refused("father and son are the same array", transformer.create_global_mapping)


def test_what_is_no_copy_or_has_a_negative_length():
    array = transrank.ParArray.fixed(ROWS, 2)
    for it in (array, transrank.ArrayTransformer(WORLD, np.zeros((ROWS, 2)))):
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="cannot be copied"):
                copied(it)
    with pytest.raises(ValueError, match="negative"):
        transrank.ParArray.fixed(ROWS, (-2, -3))


def test_indices_that_have_no_owner():
    extent = ROWS * WORLD.size
    for wrong in ([extent], [-1], [0, 2**62]):
        refused(
            f"on rank {LAST}",
            lambda wrong=wrong: numbered().create_ghost_mapping(on_last(wrong, [0, extent - 1])),
        )
    for wrong, says in [([0.5], "give integers"), ([[1]], "give a one-dimensional list")]:
        refused(says, lambda wrong=wrong: numbered().create_ghost_mapping(on_last(wrong, [0])))
    refused("rank", lambda: numbered().create_ghost_mapping([0], on_last([WORLD.size], [0])))
    refused("rank", lambda: numbered().create_ghost_mapping(on_last([ROWS], [0]), [0]))
    refused("rank", lambda: numbered().create_ghost_mapping(on_last([0, 1], [0]), [0]))


def test_steps_out_of_order():
    transformer = transrank.ArrayTransformer(WORLD, np.zeros((ROWS, 2)))
    refused("create_global_mapping gives them", lambda: transformer.create_ghost_mapping([0]))
    transformer.create_global_mapping()
    refused("create_ghost_mapping makes one", transformer.init_persistent_pull)
    refused("has no ghost mapping", lambda: numbered().borrow_mapping(transformer))
    with pytest.raises(transrank.Misuse, match="call init_persistent_pull first"):
        transformer.start_persistent_pull()
    with pytest.raises(ValueError, match="there are no ghosts yet"):
        _ = transformer.son


def test_a_mapping_for_other_rows():
    lender = numbered()
    lender.create_ghost_mapping([0])
    borrower = numbered(np.zeros((on_last(ROWS + 1, ROWS), 2)))
    says = f"for {ROWS} owned rows on rank {LAST}, but the father has {ROWS + 1}"
    refused(says, lambda: borrower.borrow_mapping(lender))


def test_a_son_of_the_user_receives_the_ghosts():
    father, son = np.arange(2.0 * ROWS).reshape(ROWS, 2) + 100 * WORLD.rank, np.zeros((1, 2))
    transformer = numbered(father, son)
    transformer.create_ghost_mapping([ROWS * LAST + 1])
    transformer.pull_once()
    assert son.tolist() == [[2 + 100 * LAST, 3 + 100 * LAST]]
    assert transformer.father.values.base is not None
    assert np.shares_memory(transformer.father.values, father)


def test_an_array_that_is_bound_cannot_be_resized():
    father = np.full((ROWS, 2), float(WORLD.rank))
    transformer = numbered(father)
    transformer.create_ghost_mapping(np.arange(ROWS * WORLD.size))
    transformer.init_persistent_pull()
    if WORLD.rank == LAST:
        with pytest.raises(ValueError, match="cannot resize"):
            father.resize((100_000, 2), refcheck=False)
    transformer.start_persistent_pull()
    transformer.wait_persistent_pull()
    assert transformer.son.values[:, 0].tolist() == [
        float(rank) for rank in range(WORLD.size) for _ in range(ROWS)
    ]


def test_a_resized_par_array_must_be_bound_again():
    father = transrank.ParArray.fixed(ROWS, 2)
    transformer = numbered(father)
    transformer.create_ghost_mapping([0])
    transformer.init_persistent_pull()
    father.resize(ROWS)
    with pytest.raises(transrank.Misuse, match=f"was resized on rank {WORLD.rank} after init"):
        transformer.start_persistent_pull()
    father.values[...] = WORLD.rank + 1
    transformer.pull_once()
    assert transformer.son.values.tolist() == [[1, 1]]
    father.resize(ROWS + 1)
    assert father.values.tolist() == [[0, 0]] * (ROWS + 1)
    refused(f"the father has {ROWS + 1}", transformer.init_persistent_pull)
    with pytest.raises(ValueError, match="the user's own"):
        transrank.ParArray.of(np.zeros(3)).resize(4)
    with pytest.raises(ValueError, match="more than the bound 2"):
        transrank.ParArray.bounded([1], 2).resize([3])


def test_rows_that_got_other_lengths_are_fitted_again():
    father = transrank.ParArray.variable([1, 2, 3], np.int32)
    transformer = numbered(father)
    transformer.create_ghost_mapping([3 * LAST + 1])
    father.resize([1, 4, 3])
    father.memory[...] = WORLD.rank
    refused("fit_son makes room", transformer.init_persistent_pull)
    transformer.fit_son()
    transformer.pull_once()
    assert transformer.son[0].tolist() == [LAST] * 4


def test_what_is_written_must_be_writeable():
    father, son = np.zeros((ROWS, 2)), np.zeros((1, 2))
    transformer = numbered(father, son)
    transformer.create_ghost_mapping([0])
    father.flags.writeable = on_last(False, True)
    transformer.pull_once()
    push = partial(transformer.init_persistent_push, "add")
    refused(f"the father on rank {LAST} is read-only", push)
    son.flags.writeable = on_last(False, True)
    refused(f"the son on rank {LAST} is read-only", transformer.init_persistent_pull)


def test_a_route_that_exists_serves_as_mapping():
    wanted = np.arange(ROWS * WORLD.size)[::-1]
    lender = numbered()
    lender.create_ghost_mapping(wanted)
    with tempfile.TemporaryDirectory() as own:
        folder = WORLD.bcast(own, root=0)
        transrank.route.save(WORLD, lender.mapping.route, folder)
        loaded = transrank.route.load(WORLD, folder)
        WORLD.Barrier()
    transformer = numbered(np.full((ROWS, 2), WORLD.rank))
    transformer.use_route(loaded)
    assert transformer.ghosts.tolist() == wanted.tolist()
    transformer.pull_once()
    assert transformer.son.values[:, 0].tolist() == (wanted // ROWS).tolist()
    other = numbered(np.zeros((on_last(ROWS + 1, ROWS), 2)))
    refused(f"leads from {ROWS} rows on rank {LAST}", lambda: other.use_route(loaded))
    refused("a Route is needed, not a int", lambda: numbered().use_route(on_last(3, loaded)))


def test_uneven_sons_of_the_user():
    father = transrank.ParArray.variable([1, 2, 3], np.int32)
    transformer = numbered(father, transrank.ParArray.variable(on_last([1], [2]), np.int32))
    refused("room for", lambda: transformer.create_ghost_mapping([1]))
    refused("fit_son makes room", transformer.init_persistent_pull)
    son = transrank.ParArray.variable([2], np.int32)
    transformer = numbered(father, son)
    father.memory[...] = WORLD.rank
    transformer.create_ghost_mapping([3 * LAST + 1])
    transformer.pull_once()
    assert son[0].tolist() == [LAST, LAST]


def test_rows_say_what_they_are():
    fixed = transrank.ParArray.fixed(3, (2, 2), alignment=8)
    assert (fixed.values.shape, len(fixed.memory), fixed.kind) == ((3, 2, 2), 24, "fixed")
    fixed[1][...] = 5
    assert fixed.values[1].tolist() == [[5, 5], [5, 5]]
    assert repr(fixed) == "<ParArray of 3 rows of shape (2, 2) of float64>"
    uneven = transrank.ParArray.variable([2, 0, 1], np.int32)
    assert [len(uneven[row]) for row in range(3)] == [2, 0, 1]
    with pytest.raises(ValueError, match="rows of variable length do not form an array"):
        _ = uneven.values
    with pytest.raises(IndexError, match=r"row 3 is out of range \[0, 3\)"):
        _ = uneven[3]
    assert "at most 4 elements" in repr(transrank.ParArray.bounded([1], 4))
    with pytest.raises(ValueError, match="more than the bound 1"):
        transrank.ParArray.bounded([2], 1)


main(globals())
