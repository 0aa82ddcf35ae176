# SPDX-License-Identifier: BSD-3-Clause
"""How many random cases a test tries."""

from __future__ import annotations

import os

VARIABLE = "TRANSRANK_TRIALS"


def trials(sample: int) -> int:
    """As many as the environment says; a sample where it says nothing."""
    return int(os.environ.get(VARIABLE, sample))
