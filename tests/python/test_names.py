# SPDX-License-Identifier: BSD-3-Clause
"""What the package offers, of which most is loaded on first use."""

import pytest

import transrank
from python.test_mpi import python


def test_every_name_can_be_used():
    names = [name for name in transrank.__all__ if name != "__version__"]
    python(
        f"""
        import transrank
        for name in {names}:
            assert name in dir(transrank), name
            value = getattr(transrank, name)
            where = getattr(value, "__module__", value.__name__)
            assert where.startswith("transrank"), name
        """
    ).check()


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'transrank' has no attribute 'zeroes'"):
        transrank.zeroes  # noqa: B018
