# SPDX-License-Identifier: BSD-3-Clause
"""Which rank owns which indices: pure geometry, immutable, cheap to copy, without communication."""

import transrank.mpi  # noqa: F401  # loads MPI, with which the compiled module is linked
from transrank._core import BlockGrid, Distribution, Numbering, Rows

__all__ = ["BlockGrid", "Distribution", "Numbering", "Rows"]
