# SPDX-License-Identifier: BSD-3-Clause
"""Which rows are ghosts of which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from transrank.layout import Numbering
    from transrank.route import Route


@dataclass(frozen=True)
class Mapping:
    """Whatever the rows hold: it serves arrays of any type and row length.

    Attributes
    ----------
    numbering
        the global indices of the rows that each rank owns.
    route
        from owned rows to ghost rows, counted in rows.
    ghosts
        the global index of each ghost row.
    """

    numbering: Numbering
    route: Route
    ghosts: NDArray[np.int64]
