# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2 3 4
"""Ghosts of rows against indexing of the whole array."""

import numpy as np
import pytest
from hypothesis import strategies as st

import transrank
from python.spmd import WORLD, main, property_test, refused
from support.trials import trials

Case = tuple[list[int], list[list[int]], tuple[int, ...]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    owned = [draw(st.integers(0, 9)) for _ in range(WORLD.size)]
    rows = st.lists(st.integers(0, max(sum(owned) - 1, 0)), max_size=12 if sum(owned) else 0)
    return owned, [draw(rows) for _ in owned], draw(st.sampled_from([(), (3,), (2, 2)]))


@property_test(cases(), examples=trials(100))
def test_ghosts_are_copies_and_sums_go_back(case):
    owned, wanted, components = case
    mesh = transrank.Ghosts(WORLD, owned[WORLD.rank], wanted[WORLD.rank])
    rows = mesh.zeros(components)
    by_row = (slice(None), *(None for _ in components))
    rows[mesh.owned] = mesh.indices[mesh.owned][by_row] + 1.0
    mesh.update(rows)
    copied = np.array_equal(rows, np.broadcast_to(mesh.indices[by_row] + 1.0, rows.shape))
    local = mesh.local(wanted[WORLD.rank])
    found = np.array_equal(mesh.indices[local], wanted[WORLD.rank])
    ones = mesh.zeros(components, int)
    ones[...] = 1
    mesh.add(ones)
    begin = sum(owned[: WORLD.rank])
    copies = [
        1 + sum(row in of_rank for rank, of_rank in enumerate(wanted) if rank != WORLD.rank)
        for row in range(begin, begin + owned[WORLD.rank])
    ]
    assert copied
    assert found
    assert np.array_equal(
        ones[mesh.owned], np.broadcast_to(np.array(copies, int)[by_row], ones[mesh.owned].shape)
    )
    assert np.all(ones[len(copies) :] == 1)


def test_bound_ghosts_are_updated_in_each_step():
    last = 4 * WORLD.size - 1
    mesh = transrank.Ghosts(WORLD, 4, [[0, last], [last, 0]])
    rows, others = mesh.zeros(), mesh.zeros(dtype=int)
    bound = mesh.halo(rows, others)
    for step in range(3):
        rows[mesh.owned] = step + mesh.indices[mesh.owned]
        others[mesh.owned] = -step
        with bound.updating():
            pass
        assert np.array_equal(rows[mesh.local([last, 0])], [step + last, step])
        assert np.all(others == -step)


def test_what_does_not_fit_is_refused():
    mesh = transrank.Ghosts(WORLD, 4, [0])
    with pytest.raises(ValueError, match="row 99 is neither owned by rank"):
        mesh.local([[0], [99]])
    last = WORLD.rank == WORLD.size - 1
    refused("99", lambda: transrank.Ghosts(WORLD, 4, [99] if last else []))
    refused("integers", lambda: transrank.Ghosts(WORLD, 4, [0.5] if last else []))
    refused("-1", lambda: transrank.Ghosts(WORLD, -1 if last else 4, []))
    refused("ghosts, as mesh.zeros", lambda: mesh.update(np.zeros(1) if last else mesh.zeros()))
    flat = np.zeros(3 * len(mesh.zeros()))
    refused("ghosts, as mesh.zeros", lambda: mesh.halo(flat if last else mesh.zeros()))
    refused("ghosts, as mesh.zeros", lambda: mesh.add(np.zeros(1) if last else mesh.zeros()))
    turned = np.zeros((2, *mesh.zeros().shape)) if last else mesh.zeros((2,))
    refused("the first axis is that of the rows", lambda: mesh.update(turned))
    refused("one by one", lambda: mesh.update([mesh.zeros()] if last else mesh.zeros()))
    with pytest.raises(TypeError, match="give integers"):
        mesh.local([0.5])
    assert "4 rows" in repr(transrank.Ghosts(WORLD, 4 if WORLD.rank == 0 else 0, []))


main(globals())
