# SPDX-License-Identifier: BSD-3-Clause
"""Moving bundles of fields from one layout of a grid to another."""

from transrank.redistribution.redistribution import Redistribution

__all__ = ["Redistribution"]
