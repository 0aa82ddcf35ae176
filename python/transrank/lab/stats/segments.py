# SPDX-License-Identifier: BSD-3-Clause
"""Many short arrays as parts of one: NumPy is called once for all that have the same length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Of the squares of the lengths that are worked on at once: what pairs of values take of memory.
MOST_AT_ONCE = 1 << 18

Array = NDArray[Any]


class Segments:
    """Consecutive parts of an array, some of them perhaps empty, by their lengths."""

    def __init__(self, lengths: Iterable[int] | Array) -> None:
        self.lengths = np.fromiter(lengths, dtype=np.int64)
        self._ends = np.concatenate([[0], np.cumsum(self.lengths)])

    def parts(self, flat: Array) -> list[Array]:
        """Each part of an array."""
        return [flat[begin:end] for begin, end in pairwise(self._ends.tolist())]

    def spread(self, values: Array) -> Array:
        """A value for each part, repeated over its length."""
        return np.repeat(values, self.lengths, axis=0)

    def sums(self, flat: Array) -> NDArray[np.int64]:
        """The sum of each part of an array of whole numbers or of truth values."""
        before = np.concatenate([[0], np.cumsum(flat)])
        found: NDArray[np.int64] = np.diff(before[self._ends])
        return found

    def each(self, of: Callable[..., Array], *flat: Array) -> list[Any]:
        """What `of` makes of each part, a row of its matrices; None of an empty part."""
        found: list[Any] = [None] * self.lengths.size
        for length in np.unique(self.lengths[self.lengths > 0]).tolist():
            (places,) = np.nonzero(self.lengths == length)
            step = max(MOST_AT_ONCE // length**2, 1)
            for some in np.split(places, range(step, places.size, step)):
                rows = self._ends[some, None] + np.arange(length)
                results = of(*(array[rows] for array in flat))
                for place, result in zip(some.tolist(), results.tolist(), strict=True):
                    found[place] = result
        return found


def joined(arrays: Sequence[Array], dtype: type = np.float64) -> Array:
    """The arrays behind each other."""
    return np.concatenate(arrays) if arrays else np.empty(0, dtype)
