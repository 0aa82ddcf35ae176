# SPDX-License-Identifier: BSD-3-Clause
"""Which rank owns which indices: immutable objects that are cheap to copy."""

import transrank.mpi  # noqa: F401  # loads MPI, with which the compiled module is linked
from transrank._core import BlockGrid, Distribution, Numbering, Rows

__all__ = ["BlockGrid", "Distribution", "Numbering", "Rows"]
