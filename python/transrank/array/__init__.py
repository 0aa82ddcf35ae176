# SPDX-License-Identifier: BSD-3-Clause
"""Distributed arrays of rows, and the update of their ghosts."""

from transrank.array.par_array import ParArray
from transrank.array.transformer import ArrayTransformer

__all__ = ["ArrayTransformer", "ParArray"]
