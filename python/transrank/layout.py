# SPDX-License-Identifier: BSD-3-Clause
"""Who owns what: pure geometry, immutable, cheap to copy."""

from transrank import mpi as _mpi  # loads MPI before the compiled module, which is linked with it
from transrank._core import BlockGrid, Distribution, Numbering, Rows

__all__ = ["BlockGrid", "Distribution", "Numbering", "Rows"]

assert _mpi.MPI is not None
