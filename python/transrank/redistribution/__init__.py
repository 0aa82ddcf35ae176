# SPDX-License-Identifier: BSD-3-Clause
"""Bundles of fields, from one layout of a grid to another one."""

from transrank.redistribution.redistribution import Redistribution

__all__ = ["Redistribution"]
