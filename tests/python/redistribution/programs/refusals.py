# SPDX-License-Identifier: BSD-3-Clause
# ranks: 2 3
"""What cannot be redistributed is one error on every rank, and destinations stay as they are."""

from typing import Any

import numpy as np
import pytest

from python.spmd import WORLD, main, refused
from transrank import BlockGrid, Distribution, Redistribution


def grid(*extents: int, parts: int | None = None) -> BlockGrid:
    """Divided along its first dimension, among all ranks unless told otherwise."""
    parts = WORLD.size if parts is None else parts
    return BlockGrid(
        [
            Distribution.even(extent, parts if dimension == 0 else 1)
            for dimension, extent in enumerate(extents)
        ]
    )


def test_layouts_that_do_not_belong_together_are_refused():
    def make(source: Any, destination: Any, **options: Any) -> None:
        Redistribution(WORLD, source, destination, **options)

    first = WORLD.rank == 0
    refused("dimension 1 has extent 4 in the source", lambda: make(grid(8, 4), grid(8, 5)))
    refused("2 dimensions and the destination grid 1", lambda: make(grid(8, 4), grid(8)))
    more = grid(8, parts=WORLD.size + 1)
    refused(f"puts a part on rank {WORLD.size}", lambda: make(grid(8), more))
    refused("extent 8 in the source", lambda: make(grid(8), grid(8 if first else 9)))
    refused("redistributes to a", lambda: make(grid(8), grid(8) if first else [0]))
    refused("cells numbered in", lambda: make(grid(8), [], numbering="C" if first else "F"))
    refused("not from lists", lambda: make([], grid(8), fill_halo=True))
    refused("a list, which has no halo", lambda: make(grid(8), [], fill_halo=True))
    refused("unknown numbering", lambda: make(grid(8), [], numbering="Z"))
    refused("give integers", lambda: make(grid(8), [0.5]))


def test_lists_with_missing_or_repeated_cells_are_refused():
    whole = list(range(8)) if WORLD.rank == 0 else []
    last = WORLD.rank == WORLD.size - 1
    layout = grid(8)
    refused(
        "is in the source lists of rank 0 and of rank",
        lambda: Redistribution(WORLD, [*whole, *([5] if last else [])], layout),
    )
    refused("are in no source list", lambda: Redistribution(WORLD, whole[:-1], layout))
    beyond = [8] if last else []
    refused("has number 8, but the grid has 8", lambda: Redistribution(WORLD, layout, beyond))


def test_transports_and_fields_that_do_not_fit_are_refused_and_nothing_moves():
    source, destination = grid(6, 4), grid(6, 4, parts=1)
    redistribution = Redistribution(WORLD, source, destination)
    start = np.ones(redistribution.source_shape())
    end = np.zeros(redistribution.destination_shape())

    def store(pair: Any, **options: Any) -> None:
        redistribution.store(pair, **options)

    last = WORLD.rank == WORLD.size - 1
    refused("unknown transport 'pigeon'", lambda: store((start, end), transport="pigeon"))
    other = "message" if last else "shared-staged"
    refused("binds an exchange with", lambda: store((start, end), transport=other))
    refused("fields", lambda: store([(start, end)] * (2 if last else 1)))
    refused(
        "units of shape () of float32",
        lambda: store((start.astype("float32"), end.astype("float32")) if last else (start, end)),
    )
    refused("the source has shape (1, 1)", lambda: store((np.ones((1, 1)), end)))
    assert (end == 0).all()
    redistribution.store((start, end))
    redistribution.run()
    assert (end == 1).all()
    refused("unknown transport", lambda: store((start, end), transport="?"))
    end[...] = 0
    redistribution.run()  # what was stored before
    assert (end == 1).all()


def test_what_was_not_stored_cannot_run():
    redistribution = Redistribution(WORLD, grid(6), grid(6))
    with pytest.raises(RuntimeError, match="call store first"):
        redistribution.run()


if __name__ == "__main__":
    main(globals())
