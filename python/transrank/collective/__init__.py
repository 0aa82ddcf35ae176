# SPDX-License-Identifier: BSD-3-Clause
"""Collective operations, whose algorithm the program may choose."""

from transrank._core import alltoall_algorithms
from transrank.collective.all_to_all import Alltoall, alltoall

__all__ = ["Alltoall", "alltoall", "alltoall_algorithms"]
