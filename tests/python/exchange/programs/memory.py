# SPDX-License-Identifier: BSD-3-Clause
# ranks: 1 2
"""Arrays in shared memory are ordinary NumPy arrays to their user."""

import pickle

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import transrank
from python.spmd import main, property_test

SHAPES = arrays.array_shapes(min_dims=0, min_side=0, max_side=5)
TYPES = st.one_of(
    arrays.scalar_dtypes(),
    arrays.array_dtypes(max_size=3),
    arrays.nested_dtypes(max_leaves=4, max_itemsize=64),
).filter(lambda dtype: dtype.itemsize > 0 and dtype.subdtype is None)


@property_test(st.tuples(SHAPES, TYPES), examples=100)
def test_zeros_are_those_of_numpy(case):
    shape, dtype = case
    ours, theirs = transrank.zeros(shape, dtype), np.zeros(shape, dtype)
    assert type(ours) is np.ndarray
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    assert ours.flags.c_contiguous
    assert ours.tobytes() == theirs.tobytes()
    assert ours.flags.writeable
    assert ours.flags.aligned


def test_the_constructors_follow_numpy():
    for ours, theirs in [
        (transrank.zeros(3), np.zeros(3)),
        (transrank.empty((2, 3), int).shape, np.empty((2, 3), int).shape),
        (transrank.full(2, 7), np.full(2, 7)),
        (transrank.full((2, 2), [1.5, 2]), np.full((2, 2), [1.5, 2])),
        (transrank.full(2, 7, "f4"), np.full(2, 7, "f4")),
        (transrank.zeros_like([[1, 2]]), np.zeros_like([[1, 2]])),
        (transrank.empty_like(np.ones(2, "i2"), float).dtype, np.dtype(float)),
        (transrank.full_like(np.ones((2, 2), "i2"), 3), np.full_like(np.ones((2, 2), "i2"), 3)),
    ]:
        np.testing.assert_array_equal(ours, theirs, strict=isinstance(ours, np.ndarray))


def test_what_cannot_be_shared_is_refused():
    with pytest.raises(TypeError, match=r"object hold references to .* such as float"):
        transrank.zeros(3, object)
    with pytest.raises(ValueError, match=r"shape \(2, -1\) cannot be made"):
        transrank.zeros((2, -1))
    with pytest.raises(TypeError, match=r"shape is 2\.5; give an integer"):
        transrank.zeros(2.5)
    for many in (10**13, 2**62, 2**70):
        with pytest.raises(MemoryError):
            transrank.zeros(many, np.int8)


def test_they_can_be_pickled_sliced_and_written():
    array = transrank.zeros((3, 4))
    array[1] = np.arange(4)
    assert (pickle.loads(pickle.dumps(array)) == array).all()  # noqa: S301
    assert array.T[2].tolist() == [0, 2, 0]
    assert float(array.sum()) == 6


main(globals())
