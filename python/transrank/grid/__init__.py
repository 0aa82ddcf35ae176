# SPDX-License-Identifier: BSD-3-Clause
"""Where a program begins: grids of cells and rows of a mesh, their arrays, and updates of these."""

from transrank.grid.ghosts import Ghosts
from transrank.grid.grid import Grid
from transrank.grid.halo import Halo

__all__ = ["Ghosts", "Grid", "Halo"]
